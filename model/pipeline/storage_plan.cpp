#include "warpline/pipeline/storage_plan.hpp"

#include "warpline/pipeline/lowering.hpp"
#include "warpline/pipeline/operation_file.hpp"
#include "warpline/pipeline/resolve.hpp"

#include <utility>

namespace warpline {
namespace {

StoredBuffer stored(const Buffer& buffer) {
    StoredBuffer out;
    out.name = buffer.name;
    out.tensor = buffer.space == BufferSpace::tmem;
    out.copies = static_cast<int>(buffer.copies);
    // Registers are no storage that a map shows; their place keeps the numbers of the others.
    if (buffer.present && buffer.space != BufferSpace::registers) {
        out.stage_bytes = buffer.stage_sizes;
    }
    out.ring = buffer.ring;
    out.alias = buffer.alias;
    return out;
}

}  // namespace

Result<StoragePlan> make_storage_plan(const PipelineSource& source, const GpuSpec& spec,
                                      const AttentionProblem& problem,
                                      const std::vector<ParameterOverride>& overrides) {
    if (names_kernels(source.root)) {
        return several_kernels(source, "memory is shown of one");
    }
    const Request request{source, spec, problem};
    Resolved resolved(request);
    resolve(request, overrides, resolved);
    if (!resolved.problems.none()) {
        return resolved.problems.failure();
    }
    StoragePlan plan;
    for (const Buffer& buffer : resolved.declarations.buffers) {
        plan.buffers.push_back(stored(buffer));
    }
    LoweringContext context{spec, problem, resolved.declarations, resolved.reader,
                            mma_path_of(source.root)};
    int role = 0;
    for (const DeclaredRole& declared : resolved.declarations.roles) {
        context.touches.clear();
        static_cast<void>(lower_role(context, declared));
        for (BufferTouch& touch : context.touches) {
            touch.role = role;
            plan.touches.push_back(touch);
        }
        ++role;
    }
    if (!resolved.problems.none()) {
        return resolved.problems.failure();
    }
    return plan;
}

}  // namespace warpline
