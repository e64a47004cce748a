#include "warpline/validate/nearest_rows.hpp"

#include "warpline/validate/compare.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace warpline {
namespace {

double log_ratio(std::int64_t a, std::int64_t b) {
    const auto at_least_one = [](std::int64_t value) {
        return static_cast<double>(std::max<std::int64_t>(value, 1));
    };
    return std::abs(std::log2(at_least_one(a) / at_least_one(b)));
}

/// A row names a pipeline file, or a family: the first part of its kernels' names. Which kernel the
/// family's dispatcher takes shows when the row is predicted.
bool is_candidate(const MeasuredRow& row, std::string_view kernel,
                  const AttentionProblem& problem) {
    if (row.problem.direction != problem.direction || row.problem.dtype != problem.dtype ||
        row.problem.deterministic != problem.deterministic) {
        return false;
    }
    return row.kernel == kernel || (kernel.substr(0, row.kernel.size()) == row.kernel &&
                                    kernel.substr(row.kernel.size(), 1) == "_");
}

bool alike(const MeasuredRow& a, const MeasuredRow& b) {
    return a.gpu == b.gpu && a.clock == b.clock && describe(a.problem) == describe(b.problem);
}

}  // namespace

double distance(const AttentionProblem& a, const AttentionProblem& b) {
    constexpr double other_mask = 2.0;
    return log_ratio(a.seqlen_q, b.seqlen_q) + log_ratio(a.seqlen_kv, b.seqlen_kv) +
           log_ratio(a.batch * a.heads_q, b.batch * b.heads_q) +
           log_ratio(a.heads_q * b.heads_kv, b.heads_q * a.heads_kv) +
           log_ratio(a.head_dim_qk, b.head_dim_qk) + log_ratio(a.head_dim_v, b.head_dim_v) +
           (a.mask.kind == b.mask.kind ? 0.0 : other_mask);
}

std::vector<MeasuredRow> nearest_rows(
    const std::vector<MeasuredRow>& rows, std::string_view kernel, const std::string& gpu,
    const AttentionProblem& problem, std::size_t count,
    const std::function<bool(const std::string& other_gpu)>& related) {
    std::vector<MeasuredRow> found;
    std::copy_if(rows.begin(), rows.end(), std::back_inserter(found),
                 [&](const MeasuredRow& row) { return is_candidate(row, kernel, problem); });
    const bool same_gpu = std::any_of(found.begin(), found.end(),
                                      [&](const MeasuredRow& row) { return row.gpu == gpu; });
    found.erase(std::remove_if(found.begin(), found.end(),
                               [&](const MeasuredRow& row) {
                                   return row.gpu != gpu && (same_gpu || !related(row.gpu));
                               }),
                found.end());
    std::stable_sort(found.begin(), found.end(), [&](const MeasuredRow& a, const MeasuredRow& b) {
        return distance(a.problem, problem) < distance(b.problem, problem);
    });
    std::vector<MeasuredRow> nearest;
    for (MeasuredRow& row : found) {
        const bool seen = std::any_of(nearest.begin(), nearest.end(),
                                      [&](const MeasuredRow& other) { return alike(other, row); });
        if (!seen && nearest.size() < count) {
            nearest.push_back(std::move(row));
        }
    }
    return nearest;
}

std::vector<MeasuredRow> shipped_rows(const std::filesystem::path& data_dir) {
    std::vector<std::filesystem::path> files;
    std::error_code error;
    const std::filesystem::path folder = data_dir / "validate" / "measured";
    for (std::filesystem::directory_iterator it(folder, error), end; !error && it != end;
         it.increment(error)) {
        if (it->path().extension() == ".csv") {
            files.push_back(it->path());
        }
    }
    std::sort(files.begin(), files.end());
    std::vector<MeasuredRow> rows;
    for (const std::filesystem::path& file : files) {
        if (Result<MeasuredTable> table = read_measured(file)) {
            std::move(table->rows.begin(), table->rows.end(), std::back_inserter(rows));
        }
    }
    return rows;
}

}  // namespace warpline
