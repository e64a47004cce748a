#include "warpline/reports/comparison_summary.hpp"

#include "warpline/reports/phrases.hpp"

#include <cmath>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace warpline {
namespace {

constexpr std::size_t file_width = 30;

std::string percent(double value) {
    return fmt::format("{:.1f} %", 100.0 * value);
}

std::string signed_percent(double value) {
    return fmt::format("{:+.1f} %", 100.0 * value);
}

std::string short_file(const std::string& file) {
    const std::size_t dot = file.rfind(".csv");
    return cut_to(printable(file.substr(0, dot)), file_width);
}

std::string short_gpu(const FileSummary& file) {
    return cut_to(printable(file.gpu), 12);
}

std::string direction_of(const FileSummary& file) {
    return file.direction == Direction::forward ? "fwd" : "bwd";
}

std::string clock_of(const FileSummary& file, const Style& style) {
    if (!file.clock) {
        return {};
    }
    const std::string text = fmt::format("{:.0f} MHz", megahertz(file.clock->clock));
    return file.clock->at_bound
               ? style.warn(fmt::format("{}, wants {:.0f}", text, file.clock->wanted_mhz))
               : text;
}

/// The lines of a file that speak for all of its masks.
bool speaks_for_all(const Comparison& comparison, const FileSummary& file) {
    if (!file.mask) {
        return true;
    }
    for (const FileSummary& other : comparison.files) {
        if (!other.mask && other.file == file.file && other.gpu == file.gpu &&
            other.kernel == file.kernel && other.direction == file.direction) {
            return false;
        }
    }
    return true;
}

std::string verdict(const FileSummary& file) {
    const BaselineSummary& sums = *file.baselines;
    if (sums.model_is_best()) {
        return "best";
    }
    std::string losers;
    for (const auto& [name, error] : {std::pair{"roofline", sums.roofline},
                                      {"efficiency", sums.efficiency},
                                      {"affine", sums.affine}}) {
        losers += error <= sums.model ? (losers.empty() ? "" : ", ") + std::string(name) : "";
    }
    return "not better than " + losers;
}

}  // namespace

std::string assumed_clocks(const std::vector<ComparedRow>& rows) {
    std::set<std::string_view> origins;
    for (const ComparedRow& row : rows) {
        if (row.clock_source == ClockSource::assumed) {
            origins.insert(row.within_limit ? "what the power limit leaves"
                           : row.clock.low  ? "the GPU's default"
                                            : "the one asked for");
        }
    }
    return fmt::format("{}", fmt::join(origins.rbegin(), origins.rend(), ", or "));
}

std::string file_table(const Comparison& comparison, const Style& style) {
    Table table({Align::left, Align::left, Align::left, Align::left, Align::left, Align::right,
                 Align::right, Align::right, Align::right, Align::right, Align::left});
    table.add({"file", "gpu", "kernel", "dir", "mask", "rows", "mean", "median", "largest", "bias",
               "fitted clock"});
    for (const FileSummary& file : comparison.files) {
        const ErrorStatistics& errors = file.errors;
        table.add({short_file(file.file), short_gpu(file), cut_to(printable(file.kernel), 10),
                   direction_of(file),
                   file.mask
                       ? std::string(*file.mask == MaskKind::sliding_window ? "window"
                                                                            : mask_name(*file.mask))
                       : "all",
                   fmt::format("{}", errors.rows), percent(errors.mean_absolute),
                   percent(errors.median_absolute), percent(errors.max_absolute),
                   signed_percent(errors.bias), clock_of(file, style)});
    }
    std::string text = style.bold("Errors by file") + "\n" + table.text("");
    for (const FileSummary& file : comparison.files) {
        if (file.clock && file.clock->at_bound) {
            text +=
                style.warn("A fitted clock rests on its bound: those rows count as failed.") + "\n";
            break;
        }
    }
    return text;
}

std::string baseline_table(const Comparison& comparison, const Style& style) {
    Table table({Align::left, Align::left, Align::left, Align::left, Align::right, Align::right,
                 Align::right, Align::right, Align::right, Align::left});
    table.add({"file", "gpu", "kernel", "dir", "rows", "model", "roofline", "efficiency", "affine",
               "the model is"});
    bool any = false;
    for (const FileSummary& file : comparison.files) {
        if (!file.baselines || !speaks_for_all(comparison, file)) {
            continue;
        }
        any = true;
        const BaselineSummary& sums = *file.baselines;
        const std::string words = verdict(file);
        table.add({short_file(file.file), short_gpu(file), cut_to(printable(file.kernel), 10),
                   direction_of(file), fmt::format("{}", sums.rows), percent(sums.model),
                   percent(sums.roofline), percent(sums.efficiency), percent(sums.affine),
                   sums.model_is_best() ? style.good(words) : style.warn(words)});
    }
    if (!any) {
        return {};
    }
    return style.bold("Mean error on lengths not fitted on, beside simpler models") + "\n" +
           table.text("") +
           style.dim(
               "roofline: FLOPs at the tensor peak or bytes at the HBM rate; efficiency: the "
               "same over one\nfitted efficiency; affine: T0 + FLOPs / R. Each, and the "
               "model's clock, fitted without the row's\nlength.") +
           "\n";
}

std::string counter_table(const Comparison& comparison, const Style& style) {
    struct Sums {
        double ratio = 0.0;
        double worst = 0.0;
        int rows = 0;
    };
    std::map<std::pair<std::string, std::string>, Sums> sums;
    for (const ComparedRow& row : comparison.rows) {
        for (const ComparedCounter& counter : row.counters) {
            const double error = counter.predicted / counter.measured - 1.0;
            Sums& sum = sums[{row.kernel, counter.name}];
            sum.ratio += error;
            sum.worst = std::max(sum.worst, std::abs(error));
            ++sum.rows;
        }
    }
    if (sums.empty()) {
        return {};
    }
    Table table({Align::left, Align::left, Align::right, Align::right, Align::right});
    table.add({"kernel", "work counter", "rows", "bias", "largest"});
    for (const auto& [name, sum] : sums) {
        table.add({cut_to(printable(name.first), 20), name.second, fmt::format("{}", sum.rows),
                   signed_percent(sum.ratio / sum.rows), percent(sum.worst)});
    }
    return style.bold("Work executed, predicted against counted") + "\n" + table.text("");
}

std::string ranking_lines(const Comparison& comparison) {
    std::string text;
    if (comparison.overall.rank_correlation) {
        text += fmt::format("rank correlation of utilization: {:.3f} over all rows\n",
                            *comparison.overall.rank_correlation);
    }
    const SelectionQuality& selection = comparison.selection;
    if (selection.problems > 0) {
        text += fmt::format(
            "selection among kernels: {:.1f} % of the best one's speed on average, {:.1f} % at "
            "worst, {} problems\n",
            100.0 * selection.mean, 100.0 * selection.worst, selection.problems);
    }
    return text;
}

}  // namespace warpline
