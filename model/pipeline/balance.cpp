#include "warpline/pipeline/balance.hpp"

#include "warpline/pipeline/tile_walk.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>

#include <fmt/format.h>

namespace warpline {
namespace {

constexpr std::array<TileClass, 8> tile_classes = {
    {{1, 1, 0}, {2, 1, 0}, {3, 1, 1}, {0, 0, 0}, {5, 2, 0}, {2, 2, 0}, {6, 2, 2}, {4, 1, 0}}};

std::string times(std::int64_t count) {
    if (count == 0) {
        return "never";
    }
    return count == 1 ? std::string("once") : fmt::format("{} times", count);
}

class BalanceCheck {
  public:
    BalanceCheck(const Declarations& declarations, const std::vector<Role>& roles,
                 Problems& problems)
        : declarations_(declarations),
          roles_(roles),
          problems_(problems),
          instances_(declarations) {}

    void run() {
        find_waits();
        for (const TileClass& tile : tile_classes) {
            if (!check_tile(tile)) {
                return;
            }
        }
        warn_unused();
    }

  private:
    /// Roles that arrive at one instance, and how often.
    using Arrived = std::map<std::string_view, std::int64_t>;

    void find_waits() {
        for (const Role& role : roles_) {
            std::vector<bool> waits(instances_.count(), false);
            for (const Op& op : role.program) {
                if (const auto* wait = std::get_if<WaitOp>(&op.body)) {
                    waits[instances_.of(wait->on)] = true;
                    awaited_.insert(static_cast<std::size_t>(wait->on.barrier));
                }
            }
            ever_waits_.push_back(std::move(waits));
        }
    }

    bool check_tile(const TileClass& tile) {
        tile_ = tile;
        counts_.clear();
        for (const Role& role : roles_) {
            counts_.push_back(count_tile(role, instances_, declarations_.rings.size(), tile));
            if (!counts_.back().complete) {
                return false;  // cannot be told; the engine would find a mismatch as a deadlock
            }
        }
        for (std::size_t b = 0; b < declarations_.barriers.size(); ++b) {
            for (int copy = 0; copy < declarations_.barriers[b].barrier.copies; ++copy) {
                for (int rank = 0; rank < declarations_.cluster; ++rank) {
                    check_instance(b, copy, rank);
                }
            }
        }
        for (std::size_t ring = 0; ring < declarations_.rings.size(); ++ring) {
            check_ring(ring);
        }
        return true;
    }

    [[nodiscard]] bool runs_on(const Role& role, int rank) const {
        return rank == 0 || !role.leader_only;
    }

    /// Arrivals at the instance on CTA `rank` by one warp of the role, on all CTAs it runs on.
    [[nodiscard]] std::int64_t arrivals_at(std::size_t r, std::size_t instance, int rank) const {
        const TileCounts::Arrivals& counted = counts_[r].arrivals[instance];
        std::int64_t sum = 0;
        for (int from = 0; from < declarations_.cluster; ++from) {
            if (!runs_on(roles_[r], from)) {
                continue;
            }
            sum += counted.all + (from == rank ? counted.self : 0) +
                   (from != rank ? counted.peer : 0) + (rank == 0 ? counted.leader : 0);
        }
        return sum;
    }

    [[nodiscard]] std::string tile_text() const {
        return tile_.blocks == 1 ? std::string("a tile of 1 block")
                                 : fmt::format("a tile of {} blocks ({} masked)", tile_.blocks,
                                               tile_.masked_first + tile_.masked_last);
    }

    [[nodiscard]] std::string instance_text(std::size_t b, int copy, int rank) const {
        const DeclaredBarrier& declared = declarations_.barriers[b];
        std::string text = fmt::format("barrier '{}", declared.barrier.name);
        text += declared.has_copies ? fmt::format("[{}]'", copy) : "'";
        if (declarations_.cluster > 1) {
            text += fmt::format(" of CTA {}", rank);
        }
        return text;
    }

    /// Line of the first operation of the role for which `matches` holds.
    template <typename Matches>
    [[nodiscard]] int line_where(const Role& role, Matches matches) const {
        const auto found = std::find_if(role.program.begin(), role.program.end(), matches);
        return found == role.program.end() ? 0 : found->line;
    }

    [[nodiscard]] SourceLocation arrival_place(std::size_t b, int copy,
                                               const std::string& base_name) const {
        const auto here = [&](const std::optional<BarrierRef>& on) {
            return on && on->barrier == static_cast<int>(b) && on->copy == copy;
        };
        for (const Role& role : roles_) {
            if (role.base_name != base_name) {
                continue;
            }
            const int line = line_where(role, [&](const Op& op) {
                if (const auto* arrive = std::get_if<ArriveOp>(&op.body)) {
                    return here(arrive->on);
                }
                if (const auto* commit = std::get_if<CommitOp>(&op.body)) {
                    return here(commit->on);
                }
                const auto* async = std::get_if<AsyncOp>(&op.body);
                return async != nullptr && here(async->signals);
            });
            if (line > 0) {
                return {declarations_.barriers[b].where.file, line, 0};
            }
        }
        return declarations_.barriers[b].where;
    }

    void check_instance(std::size_t b, int copy, int rank) {
        const DeclaredBarrier& declared = declarations_.barriers[b];
        const std::size_t instance = instances_.of(b, copy);
        const bool per_warp = declared.barrier.scope == BarrierScope::warp;
        Arrived arrived;
        std::set<int> sizes;
        for (std::size_t r = 0; r < roles_.size(); ++r) {
            const std::int64_t warps = per_warp ? 1 : roles_[r].warps;
            const std::int64_t count = warps * arrivals_at(r, instance, rank);
            if (count > 0) {
                arrived[roles_[r].base_name] += count;
                arrived_.insert(b);
            }
            if (per_warp && (count > 0 || counts_[r].waits[instance] > 0)) {
                sizes.insert(roles_[r].warps);
            }
        }
        if (sizes.size() > 1) {
            problems_.input.error(declared.where,
                                  fmt::format("barrier '{}' has one instance a warp, but its roles "
                                              "have {} warps",
                                              declared.barrier.name, fmt::join(sizes, " and ")));
            return;
        }
        for (const auto& [role, count] : arrived) {
            check_declared(b, copy, std::string(role), count);
        }
        for (std::size_t r = 0; r < roles_.size(); ++r) {
            // A role that waits on other tiles must find nothing left over from this one.
            if (ever_waits_[r][instance] && runs_on(roles_[r], rank)) {
                check_waiter(b, copy, rank, roles_[r].name, counts_[r].waits[instance], arrived);
            }
        }
    }

    void check_declared(std::size_t b, int copy, const std::string& role, std::int64_t count) {
        const DeclaredBarrier& declared = declarations_.barriers[b];
        const bool known =
            std::any_of(declared.arrivals.begin(), declared.arrivals.end(),
                        [&](const auto& arrivals) { return arrivals.first == role; });
        if (!known && reported_.emplace(b, role).second) {
            problems_.input.error(
                arrival_place(b, copy, role),
                fmt::format(
                    "role '{}' arrives on barrier '{}' ({} on {}), which does not expect it", role,
                    declared.barrier.name, times(count), tile_text()),
                fmt::format("add '{}' to the barrier's arrivals", role));
        }
    }

    void check_waiter(std::size_t b, int copy, int rank, const std::string& waiter,
                      std::int64_t waits, const Arrived& arrived) {
        for (const auto& [role, each] : declarations_.barriers[b].arrivals) {
            const auto found = arrived.find(role);
            const std::int64_t count = found == arrived.end() ? 0 : found->second;
            if (count == each * waits || !reported_.emplace(b, role).second) {
                continue;
            }
            std::string hint = fmt::format("{} x {} = {} expected", waits, each, each * waits);
            if (count > 0 && waits > 0 && count % waits == 0) {
                hint += fmt::format("; arrive {} a phase, or declare {}", each, count / waits);
            }
            problems_.input.error(
                arrival_place(b, copy, role),
                fmt::format("{} declares {} arrivals of '{}' a phase; on {} '{}' waits {}, and "
                            "'{}' arrives {}",
                            instance_text(b, copy, rank), each, role, tile_text(), waiter,
                            times(waits), role, times(count)),
                std::move(hint));
        }
    }

    void check_ring(std::size_t ring) {
        const Role* first = nullptr;
        std::int64_t takes = 0;
        for (std::size_t r = 0; r < roles_.size(); ++r) {
            const bool uses =
                std::any_of(roles_[r].program.begin(), roles_[r].program.end(), [&](const Op& op) {
                    const auto* take = std::get_if<TakeOp>(&op.body);
                    return take != nullptr && take->ring == static_cast<int>(ring);
                });
            if (!uses) {
                continue;
            }
            const std::int64_t here = counts_[r].takes[ring];
            if (first == nullptr) {
                first = &roles_[r];
                takes = here;
            } else if (here != takes && rings_reported_.insert(ring).second) {
                const int line = line_where(roles_[r], [&](const Op& op) {
                    const auto* take = std::get_if<TakeOp>(&op.body);
                    return take != nullptr && take->ring == static_cast<int>(ring);
                });
                const std::string file =
                    declarations_.roles.empty() ? "" : declarations_.roles.front().where.file;
                problems_.input.error(
                    {file, line, 0},
                    fmt::format("on {} '{}' takes {} slots of ring '{}', and '{}' takes {}",
                                tile_text(), first->name, takes, declarations_.rings[ring].name,
                                roles_[r].name, here));
            }
        }
    }

    void warn_unused() {
        for (std::size_t b = 0; b < declarations_.barriers.size(); ++b) {
            const DeclaredBarrier& declared = declarations_.barriers[b];
            if (declared.present && awaited_.count(b) == 0) {
                const bool arrived = arrived_.count(b) != 0;
                problems_.warnings.error(declared.where,
                                         fmt::format("barrier '{}' is {}", declared.barrier.name,
                                                     arrived ? "never waited for" : "not used"));
            }
        }
    }

    const Declarations& declarations_;
    const std::vector<Role>& roles_;
    Problems& problems_;
    BarrierInstances instances_;
    TileClass tile_;
    std::vector<TileCounts> counts_;
    std::vector<std::vector<bool>> ever_waits_;  // by role and instance
    std::set<std::pair<std::size_t, std::string>> reported_;
    std::set<std::size_t> rings_reported_;
    std::set<std::size_t> arrived_;
    std::set<std::size_t> awaited_;
};

}  // namespace

void check_balance(const Declarations& declarations, const std::vector<Role>& roles,
                   Problems& problems) {
    BalanceCheck(declarations, roles, problems).run();
}

}  // namespace warpline
