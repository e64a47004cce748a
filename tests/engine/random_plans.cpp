#include "random_plans.hpp"

#include "program_writer.hpp"

#include <string>

namespace warpline::test {

namespace {

/// Writes one case; durations are odd numbers of ticks, so that two things rarely happen at once.
class CaseWriter {
  public:
    CaseWriter(std::uint32_t seed, const RandomLimits& limits) : dice_(seed), limits_(limits) {}

    RandomCase write() {
        machine();
        instructions();
        const auto links = static_cast<int>(dice_.roll(1, 3));
        for (int i = 0; i < links; ++i) {
            add_link(i);
        }
        if (plan().cluster == 2 && dice_.chance(60)) {
            add_lockstep();
        }
        for (int i = 0; i <= links; ++i) {
            add_role(i, links);
        }
        if (plan().cluster == 2 && dice_.chance(50)) {
            add_pair_role();
        }
        RandomCase made;
        made.plan = plan();
        const std::int64_t runs = dice_.roll(1, 3);
        for (std::int64_t i = 0; i < runs; ++i) {
            const std::int64_t blocks = dice_.roll(0, limits_.blocks);
            made.tiles.push_back(
                {{blocks, dice_.roll(0, blocks), dice_.roll(0, 1)}, dice_.roll(1, 2)});
        }
        made.memory = {ticks(100, 400), ticks(400, 700), static_cast<double>(dice_.roll(20, 90))};
        for (std::size_t i = 0; i < plan().roles.size(); ++i) {
            made.role_offsets.push_back(ticks(0, 40));
        }
        return made;
    }

  private:
    struct Link {
        int ring = 0, copy = 0;
        int full = 0, empty = 0;
        int handshake = -1;  ///< named barrier of warp scope between producer and consumer
        bool by_copy = false, by_commit = false;
    };

    KernelPlan& plan() { return writer_.plan(); }
    static BarrierRef slot(const Link& link, int barrier, int handle) {
        return {barrier, link.copy, handle};
    }
    /// Warps of one role on several sub-partitions run alike and meet at every shared unit: rare
    /// here.
    int few_warps() {
        if (!links_.empty() && links_.back().handshake >= 0) {
            return warps_.back();
        }
        return limits_.equal_warps ? 4 : static_cast<int>(dice_.chance(75) ? 1 : dice_.roll(2, 3));
    }
    Tick ticks(std::int64_t low, std::int64_t high) { return dice_.roll(low * 16, high * 16) | 1; }

    void machine() {
        MachineTimings& machine = plan().machine;
        machine.arbitration = static_cast<Arbitration>(dice_.roll(0, 2));
        machine.smem_quantum = ticks(8, 24);
        machine.tensor_queue_depth = static_cast<int>(dice_.roll(1, 12));
        machine.tensor_scope =
            limits_.shared_units && dice_.chance(70) ? UnitScope::sm : UnitScope::sub_partition;
        machine.sync.mbarrier_arrive = ticks(1, 40);
        machine.sync.mbarrier_wait = ticks(1, 30);
        machine.sync.remote_arrive = ticks(50, 120);
        machine.sync.named_barrier = ticks(4, 30);
        machine.tma.issue_interval = ticks(2, 20);
        machine.tma.fill_shares_port = dice_.chance(70);
        machine.tma.store_latency = ticks(20, 80);
        machine.tma.dsmem_latency = ticks(40, 120);
        Dice apart = dice_;  // a cast of its own: what follows stays as it was
        const auto width = [&] {
            return apart.chance(60) ? static_cast<double>(apart.roll(8, 128)) : 0.0;
        };
        machine.tma.load_bytes_per_clk = width();
        machine.tma.store_bytes_per_clk = width();
        machine.tma.reduce_bytes_per_clk = width();
        machine.tma.dsmem_bytes_per_clk = width();
        if (limits_.clusters) {
            plan().cluster = dice_.chance(35) ? 2 : 1;
            plan().ctas_per_sm = dice_.chance(10) ? 2 : 1;
        }
    }

    void instructions() {
        fma_ = writer_.instruction("fma", Unit::fma, ticks(1, 3), ticks(3, 8));
        alu_ = writer_.instruction("alu", Unit::alu, ticks(1, 3), ticks(3, 8));
        ex2_ = writer_.instruction("ex2", Unit::xu, ticks(4, 10), ticks(12, 30));
        lds_ = writer_.instruction("lds", Unit::lsu, ticks(1, 4), ticks(20, 34),
                                   limits_.shared_units ? 128 * dice_.roll(1, 4) : 0);
        vote_ = writer_.instruction("vote", Unit::adu, ticks(1, 4), ticks(8, 20), 0, 2);
    }

    void add_link(int index) {
        const std::string name = "r" + std::to_string(index);
        Link link;
        link.by_copy = limits_.shared_units && index == 0 && dice_.chance(60);
        link.by_commit = !link.by_copy && dice_.chance(50);
        warps_.push_back(few_warps());
        const std::int64_t producers = warps_.back();
        link.ring = writer_.ring(name, static_cast<int>(dice_.roll(1, 4)));
        link.full = writer_.barrier(
            name + ".full", producers * (link.by_copy || link.by_commit ? 1 : 32), link.ring);
        // The consumers' number is known when the next role is written; see add_role().
        link.empty = writer_.barrier(name + ".empty", 1, link.ring, true);
        if (dice_.chance(30)) {
            link.copy = 1;
            plan().barriers[static_cast<std::size_t>(link.full)].copies = 2;
            plan().barriers[static_cast<std::size_t>(link.empty)].copies = 2;
        }
        if (limits_.equal_warps || dice_.chance(30)) {
            link.handshake = writer_.named_barrier(name + ".handshake", 64);
            plan().barriers.back().scope = BarrierScope::warp;
        }
        links_.push_back(link);
    }

    void add_lockstep() {
        lockstep_ = writer_.barrier("lockstep", 1);
        lockstep_role_ = static_cast<int>(dice_.roll(0, static_cast<std::int64_t>(links_.size())));
    }

    void extra_work(ProgramWriter& program) {
        const int kinds[] = {fma_, alu_, ex2_, lds_, vote_};
        switch (dice_.roll(0, 3)) {
            case 0:
                program.issue(kinds[dice_.roll(0, 4)], dice_.roll(1, 9), dice_.roll(0, 3),
                              dice_.chance(60));
                break;
            case 1:
                program.weave({{fma_, dice_.roll(1, 12), dice_.roll(0, 2)},
                               {ex2_, dice_.roll(0, 5), dice_.roll(0, 2)},
                               {alu_, dice_.roll(1, 9), 0}},
                              dice_.chance(60));
                break;
            case 2:
                program.tmem({dice_.chance(50), dice_.roll(1, 4), ticks(8, 60), ticks(20, 90)},
                             tmem_class);
                if (dice_.chance(50)) {
                    program.commit(tmem_class).drain(tmem_class, dice_.roll(0, 1));
                } else {
                    program.drain(tmem_class);
                }
                break;
            default:
                mma(program, mma_class, false);
                program.commit(mma_class).drain(mma_class, dice_.roll(0, 2));
                break;
        }
    }

    void mma(ProgramWriter& program, int op_class, bool pair) {
        MmaOp work;
        work.steps = dice_.roll(1, 6);
        work.tensor = ticks(10, 70);
        work.smem_bytes = !limits_.shared_units || dice_.chance(25) ? 0 : 128 * dice_.roll(4, 60);
        work.first_operand = dice_.chance(50) ? 0 : ticks(5, 40);
        work.completion = ticks(20, 150);
        work.pair = pair;
        work.issue_slots = dice_.roll(1, 3);
        program.mma(work, op_class);
    }

    Predicate predicate() {
        Predicate made;
        made.kind = static_cast<Predicate::Kind>(dice_.roll(0, 5));
        made.negate = dice_.chance(30);
        made.value.constant = dice_.roll(0, 2);
        if (made.kind == Predicate::Kind::at_least) {
            made.value = {-dice_.roll(1, 4), 1, 0, 0};
        }
        made.period = dice_.roll(2, 4);
        made.offset = dice_.roll(0, 1);
        const std::int64_t entries = dice_.roll(1, 3);
        for (std::int64_t i = 0; i < entries; ++i) {
            made.chance_64ths.push_back(static_cast<int>(8 * dice_.roll(0, 8)));
        }
        return made;
    }

    void body(ProgramWriter& program, int index, int links) {
        if (index > 0) {
            const Link& link = links_[static_cast<std::size_t>(index - 1)];
            program.take(link.ring, 0).wait(slot(link, link.full, 0));
            if (link.handshake >= 0) {
                program.arrive(at(link.handshake), 32).wait(at(link.handshake));
            }
            extra_work(program);
            program.arrive(slot(link, link.empty, 0), 1);
        }
        if (limits_.predicates && dice_.chance(60)) {
            program.when(predicate());
            extra_work(program);
            if (dice_.chance(40)) {
                program.otherwise();
                extra_work(program);
            }
            program.end();
        }
        if (index == lockstep_role_ && lockstep_ >= 0) {
            program.arrive(at(lockstep_), 1, At::all).wait(at(lockstep_));
        }
        if (index < links) {
            produce(program, links_[static_cast<std::size_t>(index)]);
        }
    }

    void produce(ProgramWriter& program, const Link& link) {
        program.take(link.ring, 1).wait(slot(link, link.empty, 1));
        if (link.handshake >= 0) {
            program.arrive(at(link.handshake), 32);
        }
        if (link.by_copy) {
            CopyOp copy;
            copy.bytes = 256 * dice_.roll(1, 40);
            copy.l2_hit = dice_.chance(80);
            copy.engine = dice_.chance(80) ? CopyEngine::tma : CopyEngine::lsu;
            copy.instructions = copy.engine == CopyEngine::tma ? 1 : dice_.roll(1, 8);
            copy.to = plan().cluster == 2 && dice_.chance(30) ? Space::cluster_smem : Space::smem;
            program.copy(copy, copy_class, slot(link, link.full, 1));
        } else if (link.by_commit) {
            mma(program, produce_class, false);
            program.commit(produce_class, slot(link, link.full, 1));
        } else {
            extra_work(program);
            program.arrive(slot(link, link.full, 1), 32);
        }
    }

    void add_role(int index, int links) {
        const int warps = index < links ? warps_[static_cast<std::size_t>(index)] : few_warps();
        if (index > 0) {
            const Link& link = links_[static_cast<std::size_t>(index - 1)];
            plan().barriers[static_cast<std::size_t>(link.empty)].arrivals = warps;
        }
        if (index == lockstep_role_ && lockstep_ >= 0) {
            plan().barriers[static_cast<std::size_t>(lockstep_)].arrivals = 2 * warps;
        }
        ProgramWriter program;
        program.tiles();
        if (dice_.chance(40)) {
            extra_work(program);
        }
        program.blocks();
        body(program, index, links);
        program.end();
        if (limits_.shared_units && index == links && dice_.chance(50)) {
            CopyOp store{Space::smem, Space::global, CopyEngine::tma, 128 * dice_.roll(1, 40)};
            if (dice_.chance(30) && plan().cluster == 2) {
                store.to = Space::peer_smem;
            } else if (dice_.chance(30)) {
                store.from = Space::registers;
                store.engine = CopyEngine::lsu;
                store.instructions = 4;
            }
            program.copy(store, copy_class).commit(copy_class).drain(copy_class, dice_.roll(0, 1));
        }
        program.end();
        writer_.role("role" + std::to_string(index), first_warp_, warps, program,
                     {"copy", "mma", "tmem", "produce"}, 2);
        first_warp_ += warps;
    }

    void add_pair_role() {
        ProgramWriter program;
        program.tiles().blocks();
        program.issue(fma_, dice_.roll(1, 20));
        plan().machine.tensor_scope = UnitScope::sm;
        mma(program, 0, true);
        program.commit(0).drain(0, dice_.roll(0, 1)).end().end();
        writer_.role("pair", first_warp_, 1, program).leader_only = true;
    }

    static constexpr int copy_class = 0, mma_class = 1, tmem_class = 2, produce_class = 3;

    Dice dice_;
    RandomLimits limits_;
    PlanWriter writer_;
    std::vector<Link> links_;
    std::vector<int> warps_;
    int first_warp_ = 0;
    int lockstep_ = -1, lockstep_role_ = -1;
    int fma_ = 0, alu_ = 0, ex2_ = 0, lds_ = 0, vote_ = 0;
};

}  // namespace

RandomCase random_case(std::uint32_t seed, const RandomLimits& limits) {
    return CaseWriter(seed, limits).write();
}

}  // namespace warpline::test
