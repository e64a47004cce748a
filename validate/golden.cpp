#include "warpline/validate/golden.hpp"

#include "warpline/validate/csv.hpp"
#include "warpline/validate/row_groups.hpp"

#include <charconv>
#include <cmath>
#include <map>

#include <fmt/format.h>

namespace warpline {
namespace {

constexpr std::string_view header = "file,line,kernel,problem,clock_mhz,time_ms,mean_active_cycles";
constexpr std::size_t field_count = 7;

struct GoldenRow {
    std::string text;  ///< which row, for people
    double time_ms = 0.0;
    double cycles = 0.0;
};

using GoldenRows = std::map<std::string, GoldenRow>;

[[nodiscard]] std::string key_of(std::string_view file, std::string_view line) {
    return fmt::format("{}:{}", file, line);
}

[[nodiscard]] std::string key_of(const MeasuredRow& row) {
    return key_of(file_label(row), fmt::format("{}", row.where.line));
}

[[nodiscard]] double number_in(const std::string& text) {
    double value = 0.0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && stop == text.data() + text.size() ? value : -1.0;
}

[[nodiscard]] Result<GoldenRows> read_golden(std::string_view text) {
    const auto records = parse_csv(text, "golden table");
    if (!records) {
        return tl::unexpected(records.error());
    }
    GoldenRows rows;
    for (std::size_t i = 0; i < records->size(); ++i) {
        const CsvRecord& record = (*records)[i];
        const bool complete = record.problem.empty() && record.fields.size() == field_count;
        if (i == 0 && complete) {
            continue;
        }
        const double time = complete ? number_in(record.fields[5]) : -1.0;
        const double cycles = complete ? number_in(record.fields[6]) : -1.0;
        if (time <= 0.0 || cycles <= 0.0) {
            return fail(FailureKind::input, "not a row of a golden table", "write the table anew",
                        {"golden table", record.line, 0});
        }
        rows[key_of(record.fields[0], record.fields[1])] = {
            fmt::format("{} {}", record.fields[2], record.fields[3]), time, cycles};
    }
    return rows;
}

[[nodiscard]] bool moved(double before, double now) {
    return std::abs(now / before - 1.0) > golden_tolerance;
}

}  // namespace

MeasuredTable golden_rows(const MeasuredTable& table) {
    struct Ends {
        const MeasuredRow* shortest = nullptr;
        const MeasuredRow* longest = nullptr;
    };
    std::map<std::string, Ends> groups;
    for (const MeasuredRow& row : table.rows) {
        Ends& ends = groups[fmt::format("{}\n{}\n{}", baseline_group(row), row.built, row.version)];
        const std::int64_t length = row.problem.seqlen_kv;
        if (ends.shortest == nullptr || length < ends.shortest->problem.seqlen_kv) {
            ends.shortest = &row;
        }
        if (ends.longest == nullptr || length > ends.longest->problem.seqlen_kv) {
            ends.longest = &row;
        }
    }
    MeasuredTable out;
    for (const auto& [name, ends] : groups) {
        out.rows.push_back(*ends.shortest);
        if (ends.longest != ends.shortest) {
            out.rows.push_back(*ends.longest);
        }
    }
    return out;
}

std::string golden_table(const Comparison& comparison) {
    std::string text = std::string(header) + "\n";
    for (const ComparedRow& row : comparison.rows) {
        text += fmt::format("{},{},{},{},{:.6g},{:.6g},{:.8g}\n", file_label(row.row),
                            row.row.where.line, row.kernel, describe(row.row.problem),
                            boost::rational_cast<double>(row.clock.hz) / 1e6, row.predicted_ms,
                            row.predicted_cycles);
    }
    return text;
}

Result<std::vector<std::string>> golden_departures(std::string_view golden,
                                                   const Comparison& comparison) {
    auto rows = read_golden(golden);
    if (!rows) {
        return tl::unexpected(rows.error());
    }
    std::vector<std::string> out;
    for (const ComparedRow& row : comparison.rows) {
        const auto known = rows->find(key_of(row.row));
        if (known == rows->end()) {
            continue;
        }
        const GoldenRow& before = known->second;
        if (moved(before.time_ms, row.predicted_ms) || moved(before.cycles, row.predicted_cycles)) {
            out.push_back(
                fmt::format("{} ({}): {:.5g} ms and {:.0f} active cycles, now {:.5g} ms "
                            "and {:.0f}",
                            known->first, before.text, before.time_ms, before.cycles,
                            row.predicted_ms, row.predicted_cycles));
        }
        rows->erase(known);
    }
    for (const auto& [key, row] : *rows) {
        out.push_back(fmt::format("{} ({}): not predicted any more", key, row.text));
    }
    return out;
}

Result<std::vector<std::string>> missing_from_golden(std::string_view golden,
                                                     const Comparison& comparison) {
    const auto rows = read_golden(golden);
    if (!rows) {
        return tl::unexpected(rows.error());
    }
    std::vector<std::string> out;
    for (const ComparedRow& row : comparison.rows) {
        if (rows->count(key_of(row.row)) == 0) {
            out.push_back(
                fmt::format("{} ({} {})", key_of(row.row), row.kernel, describe(row.row.problem)));
        }
    }
    return out;
}

}  // namespace warpline
