// warpline explain GPU KEY: one constant, its evidence, and who uses it.
#include "cli/problem_options.hpp"
#include "cli/session.hpp"
#include "warpline/reports/phrases.hpp"
#include "warpline/reports/spec_report.hpp"

#include <algorithm>
#include <memory>
#include <variant>

#include <fmt/format.h>

namespace warpline::cli {
namespace {

/// Whether `op` issues the instruction that `key` is a constant of ("mufu.ex2" of "mufu.ex2.rate").
bool issues(const KernelPlan& plan, const Op& op, const std::string& key) {
    const auto* const issue = std::get_if<IssueOp>(&op.body);
    return issue != nullptr &&
           std::any_of(issue->parts.begin(), issue->parts.end(), [&](const IssuePart& part) {
               const std::string& name =
                   plan.instructions[static_cast<std::size_t>(part.instruction)].name;
               return key.compare(0, name.size() + 1, name + ".") == 0;
           });
}

/// Statements of every kernel that runs on this GPU at the default problem.
std::vector<ConstantUse> uses_of(const Request& request, const std::string& gpu,
                                 const std::string& key) {
    std::vector<ConstantUse> uses;
    for (const std::string& kernel : list_kernels(request.data_dir)) {
        ProblemOptions options;
        options.gpu = gpu;
        const Result<LoadedKernel> loaded = load_kernel(request.data_dir, kernel, options);
        if (!loaded) {
            continue;  // a kernel of another GPU uses nothing of this one
        }
        const KernelPlan& plan = loaded->plan();
        for (std::size_t role = 0; role < plan.roles.size(); ++role) {
            if (plan.roles[role].copy > 0) {
                continue;  // copies run the same program
            }
            for (std::size_t op = 0; op < plan.roles[role].program.size(); ++op) {
                if (!issues(plan, plan.roles[role].program[op], key)) {
                    continue;
                }
                ConstantUse use{kernel, plan.roles[role].base_name,
                                op_label(plan, static_cast<int>(role), static_cast<int>(op))};
                if (std::find(uses.begin(), uses.end(), use) == uses.end()) {
                    uses.push_back(std::move(use));
                }
            }
        }
    }
    return uses;
}

Result<std::string> explain(const Request& request, const std::string& gpu,
                            const std::string& named) {
    // `--set` and pipeline files write a constant as hw.KEY.
    const std::string key = named.compare(0, 3, "hw.") == 0 ? named.substr(3) : named;
    const Result<GpuSpec> spec = load_gpu_spec(request.data_dir, gpu);
    if (!spec) {
        return tl::unexpected(spec.error());
    }
    const auto constants = constants_named(*spec, key);
    if (constants.empty()) {
        std::vector<std::string> keys;
        for (const auto& [name, constant] : spec->constants) {
            keys.push_back(name);
        }
        const std::string nearest = nearest_name(key, keys);
        return fail(FailureKind::usage, fmt::format("{} has no constant \"{}\"", spec->id, key),
                    nearest.empty() ? fmt::format("`warpline specs {}` lists them", gpu)
                                    : fmt::format("did you mean {}?", nearest));
    }
    std::string text;
    for (const Constant* const constant : constants) {
        text += (text.empty() ? "" : "\n") +
                explain_text(*spec, *constant, uses_of(request, gpu, constant->key), request.style);
    }
    return text;
}

}  // namespace

void add_explain(const Command& program, Request& request) {
    const Command command =
        program.add_subcommand("explain", "One hardware constant: value, evidence, users");
    struct Arguments {
        std::string gpu, key;
    };
    const auto arguments = std::make_shared<Arguments>();
    command.add_option("gpu", arguments->gpu, "an id of `warpline specs`")
        .required()
        .type_name("GPU");
    command.add_option("key", arguments->key, "a key of `warpline specs GPU`, or the start of one")
        .required()
        .type_name("KEY");
    command.when_named([&request, arguments] {
        request.action = [&request, arguments] {
            return explain(request, arguments->gpu, arguments->key);
        };
    });
}

}  // namespace warpline::cli
