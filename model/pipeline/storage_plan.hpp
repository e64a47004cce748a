// Which operations of a kernel's programs touch which of its buffers: for maps of shared and tensor
// memory. Times do not depend on it.
#pragma once

#include "warpline/pipeline/load_plan.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace warpline {

/// A buffer in shared or tensor memory.
struct StoredBuffer {
    std::string name;
    bool tensor = false;  ///< in tensor memory; otherwise in shared memory
    int copies = 1;
    std::vector<std::int64_t> stage_bytes;  ///< columns in tensor memory; one entry without stages
    int ring = -1;                          ///< index into KernelPlan::rings, or -1
    int alias = -1;                         ///< index of the buffer whose storage it shares, or -1
};

/// An asynchronous operation that reads or writes a buffer.
struct BufferTouch {
    int role = 0;    ///< index into KernelPlan::roles
    int op = 0;      ///< of its program
    int buffer = 0;  ///< index into StoragePlan::buffers
    int copy = -1;   ///< -1: the statement does not say which
    bool writes = false;
    At at = At::self;  ///< in whose CTA
};

struct StoragePlan {
    std::vector<StoredBuffer> buffers;
    std::vector<BufferTouch> touches;  ///< by role, then operation
};

/// For the plan that make_plan() gives for the same arguments. Errors: those of make_plan(), but
/// for budgets.
[[nodiscard]] Result<StoragePlan> make_storage_plan(
    const PipelineSource& source, const GpuSpec& spec, const AttentionProblem& problem,
    const std::vector<ParameterOverride>& overrides = {});

}  // namespace warpline
