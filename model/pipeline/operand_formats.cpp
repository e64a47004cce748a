#include "warpline/pipeline/operand_formats.hpp"

#include "warpline/hardware/dtype.hpp"
#include "warpline/pipeline/resolve.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace warpline {

std::vector<std::string> operand_formats(const YamlNode& root, DiagnosticSink& input) {
    std::vector<std::string> taken;
    const YamlNode* const list = root.find("dtypes");
    if (list == nullptr) {
        for (const DType dtype : all_dtypes) {
            if (scale_block(dtype) == 0) {
                taken.emplace_back(dtype_name(dtype));
            }
        }
        return taken;
    }
    taken = texts_of(root, "dtypes", input);
    for (const std::string& name : taken) {
        if (!dtype_from_name(name)) {
            input.error(list->where, fmt::format("there is no dtype '{}'", name),
                        fmt::format("known: {}", dtype_names()));
        }
    }
    return taken;
}

void check_operand_format(const YamlNode& root, const AttentionProblem& problem,
                          Problems& problems) {
    const std::vector<std::string> taken = operand_formats(root, problems.input);
    const std::string asked(dtype_name(problem.dtype));
    if (std::find(taken.begin(), taken.end(), asked) != taken.end()) {
        return;
    }
    const YamlNode* const list = root.find("dtypes");
    problems.infeasible.error(
        list != nullptr ? list->where : root.where,
        fmt::format("the kernel multiplies {}, not {}", fmt::join(taken, ", "), asked),
        "--dtype chooses one of them; `warpline kernels` lists those of every kernel");
}

}  // namespace warpline
