// Nsight Compute's CSV, one metric a line (--page details) or one launch a line (--page raw).
#include "warpline/validate/csv.hpp"
#include "warpline/validate/importers/imported_rows.hpp"
#include "warpline/validate/importers/text_fields.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <tuple>

#include <fmt/format.h>

namespace warpline {
namespace {

enum class Quantity { time, clock, count, share };

/// A metric and the column it fills. Only the average over SMs is a mean over SMs: .max, .min and
/// .sum of the same counter are other numbers and fill nothing. `units` is how many of a
/// sub-partition's pipes the average over SMs adds up for one in the column: sm__ counters of pipes
/// add the four sub-partitions (their .peak_sustained is 4 a cycle), smsp__ counters do not.
struct Metric {
    std::string_view name;
    const char* column;
    Quantity quantity;
    double units = 1.0;
};

constexpr double sub_partitions = 4.0;
constexpr const char* tensor_share = "tensor share";  // of active cycles, until they are known
constexpr const char* fma_share = "fma share";

constexpr std::array<Metric, 18> metrics = {{
    {"gpu__time_duration.sum", "time_ms", Quantity::time},
    {"Duration", "time_ms", Quantity::time},
    {"sm__cycles_active.avg", "mean_active_cycles", Quantity::count},
    {"SM Active Cycles", "mean_active_cycles", Quantity::count},
    {"sm__cycles_elapsed.avg.per_second", "sm_clock_mhz", Quantity::clock},
    {"smsp__cycles_elapsed.avg.per_second", "sm_clock_mhz", Quantity::clock},
    {"SM Frequency", "sm_clock_mhz", Quantity::clock},
    {"sm__pipe_tensor_cycles_active.avg", "tensor_cycles", Quantity::count, sub_partitions},
    {"sm__pipe_tensor_op_hmma_cycles_active.avg", "tensor_cycles", Quantity::count, sub_partitions},
    {"smsp__pipe_tensor_cycles_active.avg", "tensor_cycles", Quantity::count},
    {"sm__pipe_fma_cycles_active.avg", "fma_cycles", Quantity::count, sub_partitions},
    {"smsp__pipe_fma_cycles_active.avg", "fma_cycles", Quantity::count},
    {"sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active", tensor_share,
     Quantity::share},
    {"sm__pipe_tensor_op_hmma_cycles_active.avg.pct_of_peak_sustained_active", tensor_share,
     Quantity::share},
    {"sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_active", fma_share, Quantity::share},
    {"sm__inst_executed_pipe_xu.avg", "xu_warp_instructions", Quantity::count},
    {"sm__inst_executed_pipe_xu_pred_on.avg", "xu_warp_instructions", Quantity::count},
}};

/// Names that the driver gives to devices, each one part and no other.
constexpr std::array<std::pair<std::string_view, const char*>, 9> devices = {{
    {"NVIDIA A100-SXM4-40GB", "a100_sxm"},
    {"NVIDIA A100-SXM4-80GB", "a100_sxm"},
    {"NVIDIA H100 80GB HBM3", "h100_sxm"},
    {"NVIDIA H200", "h200"},
    {"NVIDIA B200", "b200"},
    {"NVIDIA GB200", "gb200"},
    {"NVIDIA B300", "b300"},
    {"NVIDIA B300 SXM6 AC", "b300"},
    {"NVIDIA GB300", "gb300"},
}};

[[nodiscard]] std::optional<double> megahertz_in(std::string unit) {
    std::transform(unit.begin(), unit.end(), unit.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    for (const auto& [name, factor] : {std::pair{"hz", 1e-6},
                                       {"khz", 1e-3},
                                       {"mhz", 1.0},
                                       {"ghz", 1e3},
                                       {"cycle/nsecond", 1e3},
                                       {"cycle/usecond", 1.0},
                                       {"cycle/second", 1e-6}}) {
        if (unit == name) {
            return factor;
        }
    }
    return std::nullopt;
}

/// To the unit of the column, or nothing when the unit is none that the metric can have.
[[nodiscard]] std::optional<double> factor_of(Quantity quantity, const std::string& unit) {
    switch (quantity) {
        case Quantity::time:
            return milliseconds_in(unit);
        case Quantity::clock:
            return megahertz_in(unit);
        case Quantity::count:
            return unit.empty() || unit == "cycle" || unit == "inst" ? std::optional<double>(1.0)
                                                                     : std::nullopt;
        case Quantity::share:
            return unit == "%" ? std::optional<double>(0.01) : std::nullopt;
    }
    return std::nullopt;
}

/// Puts one metric into the row. Metrics that nothing maps are left alone.
void take_metric(ImportedRow& row, const std::string& name, const std::string& unit,
                 const std::string& value) {
    if (name == "device__attribute_display_name") {
        const auto known = std::find_if(devices.begin(), devices.end(),
                                        [&](const auto& device) { return device.first == value; });
        if (known == devices.end()) {
            row.problem = fmt::format("device '{}' is none that this version knows", value);
        } else {
            row.columns["gpu"] = known->second;
        }
        return;
    }
    const auto metric = std::find_if(metrics.begin(), metrics.end(),
                                     [&](const Metric& known) { return known.name == name; });
    if (metric == metrics.end()) {
        return;
    }
    const auto number = grouped_number(value);
    const auto factor = factor_of(metric->quantity, unit);
    if (!number) {
        row.problem = fmt::format("{} is '{}', not a number", name, value);
    } else if (!factor) {
        row.problem = fmt::format("{} has the unit '{}', which it cannot have", name, unit);
    } else {
        row.columns[metric->column] = exact_text(*number * *factor / metric->units);
    }
}

/// Shares of a pipe's peak while the SM is active, as cycles. They need no knowledge of what a
/// counter adds up, so they win over counts. The column counts both halves of the FMA pipe.
void take_shares(ImportedRow& row) {
    const auto active = row.columns.find("mean_active_cycles");
    for (const auto& [share, column, pipes] :
         {std::tuple{tensor_share, "tensor_cycles", 1.0}, {fma_share, "fma_cycles", 2.0}}) {
        const auto found = row.columns.find(share);
        if (found == row.columns.end()) {
            continue;
        }
        if (active != row.columns.end()) {
            row.columns[column] = exact_text(pipes * *grouped_number(found->second) *
                                             *grouped_number(active->second));
        }
        row.columns.erase(found);
    }
}

/// Indices of the columns that both layouts share.
class Header {
  public:
    explicit Header(const CsvRecord& record) : fields_(record.fields) {}

    [[nodiscard]] std::size_t index(std::string_view name) const {
        return static_cast<std::size_t>(std::find(fields_.begin(), fields_.end(), name) -
                                        fields_.begin());
    }
    [[nodiscard]] bool has(std::string_view name) const { return index(name) < fields_.size(); }
    [[nodiscard]] std::size_t size() const { return fields_.size(); }
    [[nodiscard]] const std::string& name(std::size_t i) const { return fields_[i]; }

  private:
    std::vector<std::string> fields_;
};

[[nodiscard]] std::string damage_of(const CsvRecord& record, const Header& header) {
    if (!record.problem.empty() || record.fields.size() == header.size()) {
        return record.problem;
    }
    return fmt::format("{} fields under a header of {}", record.fields.size(), header.size());
}

[[nodiscard]] std::vector<ImportedRow> one_metric_a_line(const std::vector<CsvRecord>& records,
                                                         const Header& header) {
    std::vector<ImportedRow> rows;
    std::map<std::string, std::size_t> launches;  // row by launch
    const std::size_t id = header.index("ID");
    for (std::size_t i = 1; i < records.size(); ++i) {
        const CsvRecord& record = records[i];
        if (const std::string damage = damage_of(record, header); !damage.empty()) {
            rows.push_back({record.line, {}, damage});
            continue;
        }
        const auto [place, fresh] = launches.emplace(record.fields[id], rows.size());
        if (fresh) {
            rows.push_back({record.line, {}, {}});
            rows.back().columns["note"] = record.fields[header.index("Kernel Name")];
        }
        take_metric(rows[place->second], record.fields[header.index("Metric Name")],
                    record.fields[header.index("Metric Unit")],
                    record.fields[header.index("Metric Value")]);
    }
    return rows;
}

/// The second record holds the units.
[[nodiscard]] std::vector<ImportedRow> one_launch_a_line(const std::vector<CsvRecord>& records,
                                                         const Header& header) {
    std::vector<ImportedRow> rows;
    if (records.size() < 2 || records[1].fields.size() != header.size()) {
        return rows;
    }
    for (std::size_t i = 2; i < records.size(); ++i) {
        const CsvRecord& record = records[i];
        ImportedRow row{record.line, {}, damage_of(record, header)};
        if (row.problem.empty()) {
            row.columns["note"] = record.fields[header.index("Kernel Name")];
            for (std::size_t column = 0; column < header.size(); ++column) {
                take_metric(row, header.name(column), records[1].fields[column],
                            record.fields[column]);
            }
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

}  // namespace

Result<std::vector<ImportedRow>> import_ncu(std::string_view text, const std::string& file,
                                            const ImportOptions& options) {
    // Lines of the profiler itself ("==PROF== ...") come before the table.
    const std::size_t start = text.find("\"ID\"");
    const std::string above(text.substr(0, std::min(start, text.size())));
    const auto offset = static_cast<int>(std::count(above.begin(), above.end(), '\n'));
    auto records = parse_csv(text.substr(std::min(start, text.size())), file);
    if (!records) {
        return tl::unexpected(records.error());
    }
    if (records->empty() || !Header(records->front()).has("Kernel Name")) {
        return fail(FailureKind::input, "no table of an Nsight Compute profile was found",
                    "ncu --csv writes one", {file, 0, 0});
    }
    const Header header(records->front());
    std::vector<ImportedRow> rows = header.has("Metric Name") ? one_metric_a_line(*records, header)
                                                              : one_launch_a_line(*records, header);
    for (ImportedRow& row : rows) {
        row.line += offset;
        take_shares(row);
        if (row.problem.empty() &&
            row.columns["note"].find(options.kernel_name) == std::string::npos) {
            row.problem = "not a launch of the kernel asked for: " + row.columns["note"];
        } else if (row.problem.empty() && row.columns.count("time_ms") == 0 &&
                   row.columns.count("mean_active_cycles") == 0) {
            row.problem =
                "neither gpu__time_duration.sum nor sm__cycles_active.avg was collected (.max and "
                ".sum of cycles are no mean)";
        }
    }
    return rows;
}

}  // namespace warpline
