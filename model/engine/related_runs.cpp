#include "warpline/engine/related_runs.hpp"

#include "warpline/engine/compiled_plan.hpp"
#include "warpline/engine/simulation.hpp"
#include "warpline/pipeline/mechanism.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

namespace warpline {
namespace {

/// What runs must have in common for one to go on from another.
using Kinship = std::tuple<std::int64_t, std::int64_t, Tick, Tick, double>;

Kinship kinship_of(const TileClass& tile, const MemoryEnvironment& memory) {
    return {tile.masked_first, tile.masked_last, memory.latency, memory.miss_latency,
            memory.bytes_per_clk};
}

/// Copies of runs of one kin, each where its anchor had finished an iteration.
class Branches final : public BranchKeeper {
  public:
    void offer(const Simulation& run, bool at_recurrence) override {
        // The last iteration before periods are skipped is where most others can go on.
        if (!at_recurrence && ++offers_ % spacing_ != 0) {
            return;
        }
        if (kept_.size() >= most_kept) {
            thin_out();
        }
        kept_.push_back(std::make_unique<const Simulation>(run, run.tiles().front()));
    }

    /// The latest one that began as these tiles do; null: none.
    [[nodiscard]] const Simulation* latest(const TileRun& tiles) const {
        const Simulation* best = nullptr;
        for (const auto& run : kept_) {
            if (run->same_start().holds_for(tiles.tile.blocks, tiles.count) &&
                (best == nullptr || run->events() > best->events())) {
                best = run.get();
            }
        }
        return best;
    }

  private:
    static constexpr std::size_t most_kept = 64;

    /// Leaves every other one, and keeps fewer from here on.
    void thin_out() {
        for (std::size_t i = 0; 2 * i + 1 < kept_.size(); ++i) {
            kept_[i] = std::move(kept_[2 * i + 1]);
        }
        kept_.resize(kept_.size() / 2);
        spacing_ *= 2;
    }

    std::vector<std::unique_ptr<const Simulation>> kept_;
    std::int64_t spacing_ = 4;
    std::int64_t offers_ = 0;
};

}  // namespace

struct RelatedRuns::Impl {
    Impl(const KernelPlan& asked, EngineOptions chosen)
        : changed(chosen.ideal.empty() ? std::nullopt
                                       : std::optional(without(asked, chosen.ideal))),
          plan(changed ? *changed : asked),
          options(std::move(chosen)),
          compiled(compile(plan, options)) {}

    const std::optional<KernelPlan> changed;
    const KernelPlan& plan;
    EngineOptions options;
    CompiledPlan compiled;
    std::map<Kinship, Branches> branches;
    std::int64_t events_handled = 0;
};

RelatedRuns::RelatedRuns(const KernelPlan& plan, EngineOptions options)
    : impl_(std::make_unique<Impl>(plan, std::move(options))) {}
RelatedRuns::~RelatedRuns() = default;
RelatedRuns::RelatedRuns(RelatedRuns&&) noexcept = default;
RelatedRuns& RelatedRuns::operator=(RelatedRuns&&) noexcept = default;

Result<Schedule> RelatedRuns::run(const TileClass& tile, std::int64_t count,
                                  const MemoryEnvironment& memory) {
    const TileRun tiles{tile, count};
    const MemoryEnvironment seen = without(memory, impl_->options.ideal);
    Branches& branches = impl_->branches[kinship_of(tile, seen)];
    if (const Simulation* const earlier = branches.latest(tiles)) {
        Simulation simulation(*earlier, tiles);
        impl_->events_handled -= simulation.events();
        auto schedule = simulation.proceed();
        impl_->events_handled += simulation.events();
        return schedule;
    }
    Simulation simulation(impl_->plan, impl_->compiled, {tiles}, seen, impl_->options);
    if (!impl_->options.record_events && count > 0) {
        simulation.keep_branches(branches);
    }
    auto schedule = simulation.run();
    impl_->events_handled += simulation.events();
    return schedule;
}

std::int64_t RelatedRuns::events_handled() const {
    return impl_->events_handled;
}

}  // namespace warpline
