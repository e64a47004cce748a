#include "warpline/validate/measured_rows.hpp"

#include "warpline/validate/csv.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

#include <fmt/format.h>

namespace warpline {

bool MeasuredRow::clock_is_ceiling() const {
    const auto begins = [this](const char* with) { return clock_evidence.rfind(with, 0) == 0; };
    return clock.has_value() && (begins("stated") || begins("set") || begins("locked"));
}

namespace {

const std::vector<std::string> required_columns = {
    "gpu",     "kernel",   "direction", "head_dim_qk", "head_dim_v", "batch",
    "heads_q", "heads_kv", "seqlen_q",  "seqlen_kv",   "mask"};
const std::vector<std::string> optional_columns = {
    "source",        "sm_clock_mhz",  "clock_evidence",
    "version",       "built",         "dtype",
    "window",        "deterministic", "time_ms",
    "time_min_ms",   "tflops",        "mean_active_cycles",
    "tensor_cycles", "fma_cycles",    "xu_warp_instructions",
    "note"};

constexpr std::string_view blanks = " \t";

[[nodiscard]] std::string trimmed(const std::string& text) {
    const std::size_t begin = text.find_first_not_of(blanks);
    return begin == std::string::npos
               ? std::string()
               : text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

/// Whether all of `text` is a number, and which.
[[nodiscard]] std::optional<double> number_in(std::string_view text) {
    double value = 0.0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    return error == std::errc() && stop == end ? std::optional<double>(value) : std::nullopt;
}

/// The unit behind the number in `text`: "us" of "350 us". Empty when there is none.
[[nodiscard]] std::string unit_behind(const std::string& text) {
    const std::size_t letters = text.find_first_not_of("0123456789.+-eE \t");
    return letters == std::string::npos || letters == 0 ? std::string() : text.substr(letters);
}

/// The fields of one record by column name, with the first complaint about them.
class Fields {
  public:
    explicit Fields(const RowColumns& columns) {
        for (const auto& [name, text] : columns) {
            values_[name] = trimmed(text);
        }
    }

    [[nodiscard]] std::string text(const std::string& column) const {
        const auto found = values_.find(column);
        return found == values_.end() ? std::string() : found->second;
    }

    [[nodiscard]] std::int64_t integer(const std::string& column) {
        const std::string value = text(column);
        std::int64_t result = 0;
        const char* const end = value.data() + value.size();
        const auto [stop, error] = std::from_chars(value.data(), end, result);
        if (value.empty()) {
            complain(column + " is empty");
        } else if (error != std::errc() || stop != end) {
            complain(fmt::format("{} is '{}', not a whole number", column, value));
        }
        return result;
    }

    /// Empty means not known; anything else must be a positive number.
    [[nodiscard]] std::optional<double> positive(const std::string& column) {
        const std::string value = text(column);
        if (value.empty()) {
            return std::nullopt;
        }
        const std::optional<double> number = number_in(value);
        if (!number || !std::isfinite(*number) || *number <= 0.0) {
            const std::string unit = number ? std::string() : unit_behind(value);
            complain(fmt::format("{} is '{}', not a positive number{}", column, value,
                                 unit.empty() ? "" : ": the column names the unit, not the field"));
            return std::nullopt;
        }
        return number;
    }

    /// The value that goes with the word in the column.
    template <typename T>
    [[nodiscard]] T word(const std::string& column,
                         const std::vector<std::pair<std::string, T>>& known) {
        const std::string value = text(column);
        for (const auto& [name, meaning] : known) {
            if (name == value) {
                return meaning;
            }
        }
        complain(value.empty() ? column + " is empty"
                               : fmt::format("{} '{}' is not modelled", column, value));
        return known.front().second;
    }

    void complain(std::string message) {
        if (complaint_.empty()) {
            complaint_ = std::move(message);
        }
    }
    [[nodiscard]] const std::string& complaint() const { return complaint_; }

  private:
    std::map<std::string, std::string> values_;
    std::string complaint_;
};

[[nodiscard]] AttentionProblem problem_of(Fields& fields) {
    AttentionProblem p;
    p.dtype = fields.word<DType>("dtype", {{"", DType::bf16},
                                           {"bf16", DType::bf16},
                                           {"fp16", DType::fp16},
                                           {"fp8", DType::fp8},
                                           {"fp8_e4m3", DType::fp8},
                                           {"fp8_e5m2", DType::fp8}});
    p.direction = fields.word<Direction>(
        "direction", {{"fwd", Direction::forward}, {"bwd", Direction::backward}});
    p.head_dim_qk = fields.integer("head_dim_qk");
    p.head_dim_v = fields.integer("head_dim_v");
    p.batch = fields.integer("batch");
    p.heads_q = fields.integer("heads_q");
    p.heads_kv = fields.integer("heads_kv");
    p.seqlen_q = fields.integer("seqlen_q");
    p.seqlen_kv = fields.integer("seqlen_kv");
    p.mask.kind =
        fields.word<MaskKind>("mask", {{"full", MaskKind::full}, {"causal", MaskKind::causal}});
    if (!fields.text("window").empty()) {
        p.mask.window = fields.integer("window");
        if (p.mask.kind == MaskKind::causal) {
            p.mask.kind = MaskKind::sliding_window;
        } else {
            fields.complain("a window without a causal mask is not modelled");
        }
    }
    p.deterministic =
        fields.word<bool>("deterministic", {{"", false}, {"no", false}, {"yes", true}});
    return p;
}

[[nodiscard]] MeasuredRow row_of(Fields& fields, const SourceLocation& where) {
    MeasuredRow row;
    row.where = where;
    row.source = fields.text("source");
    row.gpu = fields.text("gpu");
    row.clock_evidence = fields.text("clock_evidence");
    row.kernel = fields.text("kernel");
    row.version = fields.text("version");
    row.built = fields.text("built");
    row.note = fields.text("note");
    row.problem = problem_of(fields);
    if (const auto mhz = fields.positive("sm_clock_mhz")) {
        if (*mhz < 1.0 || *mhz > 1e5) {
            fields.complain(fmt::format("sm_clock_mhz is {}, not a clock in MHz", *mhz));
        } else {
            row.clock = ClockHz(std::llround(*mhz * 1e6));
        }
    }
    row.time_ms = fields.positive("time_ms");
    row.time_min_ms = fields.positive("time_min_ms");
    row.tflops = fields.positive("tflops");
    row.mean_active_cycles = fields.positive("mean_active_cycles");
    row.tensor_cycles = fields.positive("tensor_cycles");
    row.fma_cycles = fields.positive("fma_cycles");
    row.xu_warp_instructions = fields.positive("xu_warp_instructions");
    if (row.gpu.empty() || row.kernel.empty()) {
        fields.complain(row.gpu.empty() ? "gpu is empty" : "kernel is empty");
    }
    if (!row.time_ms && !row.tflops && !row.mean_active_cycles) {
        fields.complain("none of time_ms, tflops and mean_active_cycles is known");
    }
    const auto checked = make_attention(row.problem);
    if (!checked) {
        fields.complain(checked.error().diagnostics.front().message);
    }
    return row;
}

[[nodiscard]] std::vector<Diagnostic> header_errors(const CsvRecord& header,
                                                    const std::string& file) {
    const std::vector<std::string> known = measured_columns();
    std::vector<Diagnostic> errors;
    const SourceLocation where{file, header.line, 0};
    for (std::size_t i = 0; i < header.fields.size(); ++i) {
        const std::string& name = header.fields[i];
        const auto end = header.fields.begin() + static_cast<std::ptrdiff_t>(i);
        if (std::find(known.begin(), known.end(), name) == known.end()) {
            const std::string near = nearest_name(name, known);
            errors.push_back({where, fmt::format("unknown column '{}'", name),
                              near.empty() ? "" : fmt::format("did you mean '{}'?", near)});
        } else if (std::find(header.fields.begin(), end, name) != end) {
            errors.push_back({where, fmt::format("column '{}' appears twice", name), ""});
        }
    }
    for (const std::string& name : required_columns) {
        if (std::find(header.fields.begin(), header.fields.end(), name) == header.fields.end()) {
            errors.push_back({where, fmt::format("column '{}' is missing", name), ""});
        }
    }
    return errors;
}

/// One column with other separators inside means that the file is not separated by commas.
[[nodiscard]] bool uses_other_separator(const CsvRecord& header) {
    return header.fields.size() == 1 &&
           header.fields.front().find_first_of(";\t|") != std::string::npos;
}

[[nodiscard]] RowColumns columns_of(const CsvRecord& header, const CsvRecord& record) {
    RowColumns columns;
    const std::size_t count = std::min(header.fields.size(), record.fields.size());
    for (std::size_t i = 0; i < count; ++i) {
        columns.emplace_back(header.fields[i], record.fields[i]);
    }
    return columns;
}

/// Reads a record into the table: as a row, or as one that cannot be used.
void add_record(MeasuredTable& table, const CsvRecord& header, const CsvRecord& record,
                const std::string& file_name) {
    const SourceLocation where{file_name, record.line, 0};
    RowColumns columns = columns_of(header, record);
    std::string reason = record.problem;
    if (reason.empty() && record.fields.size() != header.fields.size()) {
        reason = fmt::format("{} fields under a header of {}", record.fields.size(),
                             header.fields.size());
    }
    if (reason.empty()) {
        add_measured_row(table, std::move(columns), where);
    } else {
        table.unusable.push_back({where, "", std::move(reason), std::move(columns)});
    }
}

}  // namespace

std::vector<std::string> measured_columns() {
    std::vector<std::string> all = required_columns;
    all.insert(all.end(), optional_columns.begin(), optional_columns.end());
    return all;
}

void add_measured_row(MeasuredTable& table, RowColumns columns, const SourceLocation& where) {
    Fields fields(columns);
    MeasuredRow row = row_of(fields, where);
    if (fields.complaint().empty()) {
        row.columns = std::move(columns);
        table.rows.push_back(std::move(row));
    } else {
        table.unusable.push_back({where, fmt::format("{} on {}", row.kernel, row.gpu),
                                  fields.complaint(), std::move(columns)});
    }
}

Result<MeasuredTable> parse_measured(std::string_view text, const std::string& file_name) {
    const auto records = parse_csv(text, file_name);
    if (!records) {
        return tl::unexpected(records.error());
    }
    if (records->empty()) {
        return fail(FailureKind::input, "the table is empty", {}, {file_name, 0, 0});
    }
    CsvRecord header = records->front();
    if (!header.problem.empty() || uses_other_separator(header)) {
        return fail(FailureKind::input,
                    header.problem.empty() ? "the header is one column" : header.problem,
                    header.problem.empty() ? "fields are separated by commas" : "",
                    {file_name, header.line, 0});
    }
    for (std::string& name : header.fields) {
        name = trimmed(name);
    }
    if (auto errors = header_errors(header, file_name); !errors.empty()) {
        return tl::unexpected(Failure{FailureKind::input, std::move(errors)});
    }
    MeasuredTable table;
    for (std::size_t i = 1; i < records->size(); ++i) {
        add_record(table, header, (*records)[i], file_name);
    }
    return table;
}

Result<MeasuredTable> read_measured(const std::filesystem::path& path) {
    const auto text = read_table_text(path);
    if (!text) {
        return tl::unexpected(text.error());
    }
    return parse_measured(*text, path.string());
}

}  // namespace warpline
