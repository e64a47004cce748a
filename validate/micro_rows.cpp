#include "warpline/validate/micro_rows.hpp"

#include "warpline/validate/csv.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>

#include <fmt/format.h>

namespace warpline {
namespace {

constexpr std::string_view header = "constant,value,unit,spread,gpu,sm_clock_mhz,cuda_version,note";
constexpr std::size_t field_count = 8;

std::optional<double> number_in(const std::string& text) {
    double value = 0.0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = error == std::errc() && stop == text.data() + text.size();
    return whole && std::isfinite(value) ? std::optional<double>(value) : std::nullopt;
}

std::string joined(const std::vector<std::string>& fields) {
    return fmt::format("{}", fmt::join(fields, ","));
}

/// A field that may hold commas or quotes.
std::string quoted(const std::string& text) {
    std::string out = "\"";
    for (const char c : text) {
        out += c == '"' ? "\"\"" : std::string(1, c);
    }
    return out + "\"";
}

/// One row, or nothing after a problem was added to `failure`.
std::optional<MicroRow> row_of(const CsvRecord& record, const SourceLocation& where,
                               Failure& failure) {
    const auto bad = [&](std::string message) {
        failure.diagnostics.push_back({where, std::move(message), {}});
        return std::nullopt;
    };
    if (!record.problem.empty()) {
        return bad(record.problem);
    }
    if (record.fields.size() != field_count) {
        return bad(fmt::format("{} fields instead of {}", record.fields.size(), field_count));
    }
    const auto value = number_in(record.fields[1]);
    const auto spread = number_in(record.fields[3]);
    const auto clock = number_in(record.fields[5]);
    if (record.fields[0].empty() || !value || !spread || !clock) {
        return bad("a row needs a constant, and numbers as value, spread and sm_clock_mhz");
    }
    return MicroRow{record.fields[0], *value, record.fields[2], *spread,
                    record.fields[4], *clock, record.fields[6], record.fields[7]};
}

/// The middle of what the passes say of one constant.
MicroRow merged(const std::vector<const MicroRow*>& passes) {
    MicroRow row = *passes.front();
    std::vector<double> values;
    double low = row.value - row.spread;
    double high = row.value + row.spread;
    for (const MicroRow* const pass : passes) {
        values.push_back(pass->value);
        low = std::min(low, pass->value - pass->spread);
        high = std::max(high, pass->value + pass->spread);
    }
    std::sort(values.begin(), values.end());
    const std::size_t half = values.size() / 2;
    row.value = values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2.0;
    row.spread = std::max(high - row.value, row.value - low);
    return row;
}

}  // namespace

Result<std::vector<MicroRow>> parse_micro_rows(std::string_view text,
                                               const std::string& file_name) {
    const auto records = parse_csv(text, file_name);
    if (!records) {
        return tl::unexpected(records.error());
    }
    if (records->empty() || joined(records->front().fields) != header) {
        return fail(FailureKind::input, "not a table of microbenchmark results",
                    fmt::format("its first line must be {}", header), {file_name, 1, 0});
    }
    std::vector<MicroRow> rows;
    std::map<std::string, int> lines;
    Failure failure{FailureKind::input, {}};
    for (auto record = std::next(records->begin()); record != records->end(); ++record) {
        const SourceLocation where{file_name, record->line, 0};
        auto row = row_of(*record, where, failure);
        if (!row) {
            continue;
        }
        const auto [first, added] = lines.emplace(row->constant, record->line);
        if (!added) {
            failure.diagnostics.push_back(
                {where,
                 fmt::format("'{}' is given twice, first in line {}", row->constant, first->second),
                 {}});
        }
        rows.push_back(std::move(*row));
    }
    if (!failure.diagnostics.empty()) {
        return tl::unexpected(std::move(failure));
    }
    return rows;
}

Result<std::vector<MicroRow>> read_micro_rows(const std::filesystem::path& path) {
    const auto text = read_table_text(path);
    if (!text) {
        return tl::unexpected(text.error());
    }
    return parse_micro_rows(*text, path.string());
}

std::string micro_header() {
    return std::string(header) + "\n";
}

std::string micro_csv(const std::vector<MicroRow>& rows) {
    std::string text = micro_header();
    for (const MicroRow& row : rows) {
        text +=
            fmt::format("{},{:.6g},{},{:.3g},{},{:g},{},{}\n", row.constant, row.value, row.unit,
                        row.spread, row.gpu, row.sm_clock_mhz, row.cuda_version, quoted(row.note));
    }
    return text;
}

const MicroRow* find_micro_row(const std::vector<MicroRow>& rows, std::string_view constant) {
    const auto found = std::find_if(rows.begin(), rows.end(),
                                    [&](const MicroRow& row) { return row.constant == constant; });
    return found == rows.end() ? nullptr : &*found;
}

std::vector<MicroRow> merge_passes(const std::vector<std::vector<MicroRow>>& passes) {
    std::vector<std::string> order;
    std::map<std::string, std::vector<const MicroRow*>> by_constant;
    for (const std::vector<MicroRow>& pass : passes) {
        for (const MicroRow& row : pass) {
            std::vector<const MicroRow*>& same = by_constant[row.constant];
            if (same.empty()) {
                order.push_back(row.constant);
            }
            same.push_back(&row);
        }
    }
    std::vector<MicroRow> rows;
    for (const std::string& constant : order) {
        rows.push_back(merged(by_constant[constant]));
    }
    return rows;
}

MicroComparison compare_micro_runs(const std::vector<MicroRow>& first,
                                   const std::vector<MicroRow>& second) {
    MicroComparison out;
    std::map<std::string, const MicroRow*> others;
    for (const MicroRow& row : second) {
        others.emplace(row.constant, &row);
    }
    for (const MicroRow& row : first) {
        const auto found = others.find(row.constant);
        if (found == others.end()) {
            out.only_first.push_back(row.constant);
            continue;
        }
        const MicroRow& other = *found->second;
        others.erase(found);
        ++out.common;
        const double difference = std::abs(row.value - other.value);
        const double allowed = row.spread + other.spread;
        if (difference > allowed) {
            const double larger = std::max(std::abs(row.value), std::abs(other.value));
            out.beyond.push_back(
                {row.constant, row.unit, row.value, other.value, allowed, difference / larger});
        }
    }
    for (const auto& [constant, row] : others) {
        out.only_second.push_back(constant);
    }
    std::stable_sort(
        out.beyond.begin(), out.beyond.end(),
        [](const MicroDifference& a, const MicroDifference& b) { return a.relative > b.relative; });
    return out;
}

}  // namespace warpline
