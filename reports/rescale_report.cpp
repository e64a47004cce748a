#include "warpline/reports/rescale_report.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace warpline {
namespace {

constexpr std::array<std::size_t, 4> shown_steps = {1, 2, 8, 32};
constexpr std::size_t width = 100;

std::vector<std::size_t> steps_of(const std::vector<RescaleRow>& rows) {
    std::vector<std::size_t> steps;
    for (const std::size_t step : shown_steps) {
        if (!rows.empty() && step <= rows.front().frequency.size()) {
            steps.push_back(step);
        }
    }
    return steps;
}

}  // namespace

std::string rescale_text(const RescaleOptions& options, const std::vector<RescaleRow>& rows,
                         const Style& style) {
    const std::vector<std::size_t> steps = steps_of(rows);
    std::vector<std::string> head = {"tau", "rescaled"};
    for (const std::size_t step : steps) {
        head.push_back(fmt::format("step {}", step));
    }
    for (const Precision precision : options.precisions) {
        head.push_back(fmt::format("{} rms", precision_name(precision)));
        head.emplace_back("largest");
    }
    Table table(std::vector<Align>(head.size(), Align::right));
    table.add(std::move(head));
    for (const RescaleRow& row : rows) {
        std::vector<std::string> cells = {fmt::format("{:g}", row.tau),
                                          fmt::format("{:.2f} %", 100.0 * row.mean)};
        for (const std::size_t step : steps) {
            cells.push_back(fmt::format("{:.1f} %", 100.0 * row.frequency[step - 1]));
        }
        for (const RescaleError& error : row.errors) {
            cells.push_back(fmt::format("{:.2e}", error.rms));
            cells.push_back(fmt::format("{:.2e}", error.largest));
        }
        table.add(std::move(cells));
    }
    const std::string polynomial =
        options.exp2_degree == 0 ? std::string("exact exponentials")
                                 : fmt::format("polynomials of degree {}", options.exp2_degree);
    return style.bold(fmt::format("scores {}", scores_text(options.scores))) +
           fmt::format("   {} keys in blocks of {}, warps of {} rows, {}\n\n", options.keys,
                       options.block, options.rows, polynomial) +
           table.text("") + "\n" +
           wrap(
               "Rescaled: share of warps and steps after the first at which some row had risen by "
               "more than 2^tau; a pipeline takes it as rescale_probability. Errors of O against "
               "double, over the root mean square of O.",
               width, "");
}

std::string rescale_csv(const RescaleOptions& options, const std::vector<RescaleRow>& rows) {
    std::string text = "scores,tau,mean";
    for (const Precision precision : options.precisions) {
        text += fmt::format(",{0}_rms,{0}_largest", precision_name(precision));
    }
    const std::size_t steps = rows.empty() ? 0 : rows.front().frequency.size();
    for (std::size_t step = 1; step <= steps; ++step) {
        text += fmt::format(",step_{}", step);
    }
    text += "\n";
    for (const RescaleRow& row : rows) {
        text += fmt::format("{},{:g},{:.6g}", scores_text(options.scores), row.tau, row.mean);
        for (const RescaleError& error : row.errors) {
            text += fmt::format(",{:.6g},{:.6g}", error.rms, error.largest);
        }
        for (const double frequency : row.frequency) {
            text += fmt::format(",{:.6g}", frequency);
        }
        text += "\n";
    }
    return text;
}

}  // namespace warpline
