#include "cli/nearest.hpp"

#include "warpline/validate/nearest_rows.hpp"

#include <map>
#include <utility>

namespace warpline::cli {

std::vector<std::future<Result<Comparison>>> start_nearest(const std::string& data_dir,
                                                           const LoadedKernel& kernel) {
    constexpr std::size_t most = 3;
    std::map<std::string, bool> same_arch;
    const auto related = [&](const std::string& gpu) {
        const auto known = same_arch.find(gpu);
        if (known != same_arch.end()) {
            return known->second;
        }
        const Result<GpuSpec> spec = load_gpu_spec(data_dir, gpu);
        return same_arch[gpu] = spec && spec->arch == kernel.spec.arch;
    };
    std::vector<std::future<Result<Comparison>>> started;
    for (MeasuredRow& row : nearest_rows(shipped_rows(data_dir), kernel.plan().kernel,
                                         kernel.spec.id, kernel.problem, most, related)) {
        started.push_back(std::async(std::launch::async, [data_dir, row = std::move(row)] {
            MeasuredTable table;
            table.rows.push_back(row);
            return compare(data_dir, table);
        }));
    }
    return started;
}

std::vector<ComparedRow> finish_nearest(std::vector<std::future<Result<Comparison>>> started,
                                        const std::string& kernel) {
    std::vector<ComparedRow> rows;
    for (std::future<Result<Comparison>>& answer : started) {
        Result<Comparison> comparison = answer.get();
        if (comparison && comparison->rows.front().kernel == kernel) {
            rows.push_back(std::move(comparison->rows.front()));
        }
    }
    return rows;
}

}  // namespace warpline::cli
