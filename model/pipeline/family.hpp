// pipelines/families/*.yaml: which pipeline file stands for the kernel that a family's dispatcher
// picks for a GPU and a problem, and what earlier builds of it did otherwise.
#pragma once

#include "warpline/pipeline/build_date.hpp"
#include "warpline/pipeline/load_plan.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpline {

/// What a rule or an entry of the history asks of the GPU and the problem. Empty parts ask nothing.
struct FamilyCondition {
    std::vector<std::string> arch;  ///< "sm_100", ...
    std::optional<Direction> direction;
    YamlNode when;  ///< expression over the names of the problem; null: always
};

/// The first rule whose condition holds names the kernel.
struct FamilyRule {
    FamilyCondition condition;
    /// Texts of a build's version, or their beginnings if they end in `*`; empty: any.
    std::vector<std::string> versions;
    std::string kernel;  ///< id of a pipeline file; empty: `unmodelled` says why
    std::string unmodelled;
    std::vector<ParameterOverride> set;
    std::string in_place_of;  ///< a kernel that does not take what this rule is for; empty: none.
                              ///< Only without `set`
};

/// What a kernel was before the day on which it changed.
struct FamilyChange {
    FamilyCondition condition;
    std::string kernel;
    BuildDate before;
    std::vector<ParameterOverride> set;
    std::string why;
    std::string unmodelled;  ///< in place of `set` and `why`: nothing models such a build, and why
};

struct KernelFamily {
    std::string id;  ///< the file's name without folder and extension
    std::string title;
    std::vector<FamilyRule> rules;
    std::vector<FamilyChange> history;  ///< in file order
};

/// One build of a family's kernels, as far as it is known.
struct KernelBuild {
    std::string version;
    std::string built;  ///< a date or month; empty: the current one
};

struct KernelChoice {
    std::string kernel;
    std::vector<ParameterOverride> set;
    std::vector<std::string> because;  ///< the changes that this build lacks
};

/// Errors (input): not a family file as pipelines/README.md describes it; all at once.
[[nodiscard]] Result<KernelFamily> parse_family(std::string_view text,
                                                const std::string& file_name);

/// The families that can be loaded, sorted.
[[nodiscard]] std::vector<std::string> list_families(const std::filesystem::path& data_dir);

/// Errors: usage (unknown id), and those of parse_family().
[[nodiscard]] Result<KernelFamily> load_family(const std::filesystem::path& data_dir,
                                               const std::string& id);

/// Of the entries of the history that hold, the one written first decides about a parameter.
/// Errors: usage (no rule holds, or the rule or an entry that holds says that nothing models this;
/// `built` is no date), input (an expression that cannot be evaluated).
[[nodiscard]] Result<KernelChoice> choose_kernel(const KernelFamily& family, const GpuSpec& spec,
                                                 const AttentionProblem& problem,
                                                 const KernelBuild& build = {});

/// All families that can be read.
[[nodiscard]] std::vector<KernelFamily> readable_families(const std::filesystem::path& data_dir);

/// The kernel that answers where `kernel` is asked for and does not take the problem: of the first
/// rule that holds in some family, if it is in place of `kernel`. Nothing: none is.
[[nodiscard]] std::optional<std::string> kernel_in_place_of(
    const std::vector<KernelFamily>& families, const std::string& kernel, const GpuSpec& spec,
    const AttentionProblem& problem);

}  // namespace warpline
