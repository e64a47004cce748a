#include "cli/readable.hpp"

#include "warpline/hardware/load_gpu_spec.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace warpline::cli {

void LeftOut::add(const std::string& what, const Failure& why) {
    names_.push_back(what);
    for (const Diagnostic& problem : why.diagnostics) {
        const bool known =
            std::any_of(problems_.begin(), problems_.end(),
                        [&](const Diagnostic& other) { return other.text() == problem.text(); });
        if (!known) {
            problems_.push_back(problem);
        }
    }
}

std::optional<Failure> LeftOut::failure() const {
    if (names_.empty()) {
        return std::nullopt;
    }
    Failure failure =
        fail(FailureKind::input, fmt::format("not listed: {}", fmt::join(names_, ", "))).value();
    failure.diagnostics.insert(failure.diagnostics.end(), problems_.begin(), problems_.end());
    return failure;
}

std::vector<GpuSpec> readable_specs(DataFiles& files, LeftOut& left_out) {
    std::vector<GpuSpec> specs;
    for (const std::string& id : list_gpu_specs(files.data_dir())) {
        Result<GpuSpec> spec = files.load_gpu_spec(id);
        if (spec) {
            specs.push_back(std::move(*spec));
        } else {
            left_out.add(fmt::format("GPU {}", id), spec.error());
        }
    }
    return specs;
}

}  // namespace warpline::cli
