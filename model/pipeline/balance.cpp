#include "warpline/pipeline/balance.hpp"

#include "warpline/pipeline/tile_walk.hpp"

#include <algorithm>
#include <array>
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
          instances_(declarations),
          arrived_(declarations.barriers.size(), false),
          awaited_(declarations.barriers.size(), false) {
        name_bases();
    }

    void run() {
        find_users();
        for (const TileClass& tile : tile_classes) {
            if (!check_tile(tile)) {
                return;
            }
        }
        warn_unused();
    }

  private:
    /// What a barrier expects of the roles of one base name.
    struct Expected {
        std::size_t base = 0;
        std::int64_t each = 0;
    };

    /// Numbers the base names of roles, of those that arrive and of those expected to.
    void name_bases() {
        for (const Role& role : roles_) {
            bases_.push_back(role.base_name);
        }
        for (const DeclaredBarrier& declared : declarations_.barriers) {
            for (const auto& [role, each] : declared.arrivals) {
                bases_.push_back(role);
            }
        }
        std::sort(bases_.begin(), bases_.end());
        bases_.erase(std::unique(bases_.begin(), bases_.end()), bases_.end());
        const auto base_of = [&](std::string_view name) {
            const auto found = std::lower_bound(bases_.begin(), bases_.end(), name);
            return static_cast<std::size_t>(found - bases_.begin());
        };
        for (const Role& role : roles_) {
            base_of_role_.push_back(base_of(role.base_name));
        }
        for (const DeclaredBarrier& declared : declarations_.barriers) {
            std::vector<Expected>& expected = expected_.emplace_back();
            for (const auto& [role, each] : declared.arrivals) {
                expected.push_back({base_of(role), each});
            }
        }
    }

    void find_users() {
        users_.resize(instances_.count());
        for (std::size_t r = 0; r < roles_.size(); ++r) {
            std::vector<bool> waits(instances_.count(), false);
            std::vector<bool> uses(instances_.count(), false);
            for (const Op& op : roles_[r].program) {
                if (const auto* wait = std::get_if<WaitOp>(&op.body)) {
                    waits[instances_.of(wait->on)] = uses[instances_.of(wait->on)] = true;
                    awaited_[static_cast<std::size_t>(wait->on.barrier)] = true;
                } else if (const auto on = arrives_on(op.body)) {
                    uses[instances_.of(*on)] = true;
                }
            }
            for (std::size_t instance = 0; instance < uses.size(); ++instance) {
                if (uses[instance]) {
                    users_[instance].push_back(r);
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
        const std::int64_t here = runs_on(roles_[r], rank) ? 1 : 0;
        const std::int64_t ctas = roles_[r].leader_only ? 1 : declarations_.cluster;
        return ctas * (counted.all + (rank == 0 ? counted.leader : 0)) + here * counted.self +
               (ctas - here) * counted.peer;
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
        arrivals_.assign(bases_.size(), 0);
        std::set<int> sizes;  // of roles that share a barrier of each warp
        for (const std::size_t r : users_[instance]) {
            const std::int64_t warps = per_warp ? 1 : roles_[r].warps;
            const std::int64_t count = warps * arrivals_at(r, instance, rank);
            if (count > 0) {
                arrivals_[base_of_role_[r]] += count;
                arrived_[b] = true;
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
        for (std::size_t base = 0; base < bases_.size(); ++base) {
            if (arrivals_[base] > 0) {
                check_declared(b, copy, base, arrivals_[base]);
            }
        }
        for (const std::size_t r : users_[instance]) {
            // A role that waits on other tiles must find nothing left over from this one.
            if (ever_waits_[r][instance] && runs_on(roles_[r], rank)) {
                check_waiter(b, copy, rank, roles_[r].name, counts_[r].waits[instance]);
            }
        }
    }

    void check_declared(std::size_t b, int copy, std::size_t base, std::int64_t count) {
        const bool known =
            std::any_of(expected_[b].begin(), expected_[b].end(),
                        [&](const Expected& expected) { return expected.base == base; });
        if (!known && reported_.emplace(b, base).second) {
            const DeclaredBarrier& declared = declarations_.barriers[b];
            const std::string& role = bases_[base];
            problems_.input.error(
                arrival_place(b, copy, role),
                fmt::format(
                    "role '{}' arrives on barrier '{}' ({} on {}), which does not expect it", role,
                    declared.barrier.name, times(count), tile_text()),
                fmt::format("add '{}' to the barrier's arrivals", role));
        }
    }

    void check_waiter(std::size_t b, int copy, int rank, const std::string& waiter,
                      std::int64_t waits) {
        for (const auto& [base, each] : expected_[b]) {
            const std::int64_t count = arrivals_[base];
            if (count == each * waits || !reported_.emplace(b, base).second) {
                continue;
            }
            const std::string& role = bases_[base];
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
            if (declared.present && !awaited_[b]) {
                const bool arrived = arrived_[b];
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
    std::vector<std::string> bases_;               // base names, sorted
    std::vector<std::size_t> base_of_role_;        // by role
    std::vector<std::vector<Expected>> expected_;  // by barrier
    std::vector<std::int64_t> arrivals_;           // at the instance being checked, by base name
    std::vector<std::vector<bool>> ever_waits_;    // by role and instance
    std::vector<std::vector<std::size_t>> users_;  // by instance: roles that wait or arrive there
    std::set<std::pair<std::size_t, std::size_t>> reported_;  // barrier and base name
    std::set<std::size_t> rings_reported_;
    std::vector<bool> arrived_;  // by barrier
    std::vector<bool> awaited_;  // by barrier
};

}  // namespace

void check_balance(const Declarations& declarations, const std::vector<Role>& roles,
                   Problems& problems) {
    BalanceCheck(declarations, roles, problems).run();
}

}  // namespace warpline
