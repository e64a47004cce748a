#include "fa4_like_plan.hpp"

#include "program_writer.hpp"

#include <array>
#include <string>

namespace warpline::test {

namespace {

class Fa4LikeWriter {
  public:
    explicit Fa4LikeWriter(const Fa4LikeShape& shape) : shape_(shape) {}

    KernelPlan write() {
        writer_.plan().kernel = "fa4_like";
        writer_.plan().machine.sync.mbarrier_arrive = cycles(20);
        writer_.plan().machine.sync.mbarrier_wait = cycles(20);
        writer_.plan().machine.tma.issue_interval = cycles(64);
        writer_.plan().machine.tma.store_latency = cycles(400);
        instructions();
        barriers();
        softmax(0);
        softmax(1);
        correction();
        mma();
        store();
        load();
        return writer_.plan();
    }

  private:
    using PerStage = std::array<int, 2>;

    static std::size_t ix(int value) { return static_cast<std::size_t>(value); }

    void instructions() {
        max_ = writer_.instruction("fmnmx3", Unit::alu, cycles(2), cycles(5));
        select_ = writer_.instruction("fsel", Unit::alu, cycles(2), cycles(5));
        pack_ = writer_.instruction("f2fp", Unit::alu, cycles(4), cycles(8));
        fma_ = writer_.instruction("ffma2", Unit::fma, cycles(2), cycles(4));
        ex2_ = writer_.instruction("ex2", Unit::xu, cycles(8), cycles(20));
        sts_ = writer_.instruction("sts", Unit::lsu, cycles(4), cycles(8), 128);
        wide_sts_ = writer_.instruction("sts.128", Unit::lsu, cycles(4), cycles(8), 512);
        lds_ = writer_.instruction("lds", Unit::lsu, cycles(4), cycles(29), 128);
        vote_ = writer_.instruction("vote", Unit::adu, cycles(4), cycles(12));
    }

    void barriers() {
        kv_ = writer_.ring("kv", shape_.kv_stages);
        kv_full_ = writer_.barrier("kv_full", 1, kv_);
        kv_empty_ = writer_.barrier("kv_empty", 1, kv_, true);
        q_empty_ = writer_.barrier("q_empty", 1);
        writer_.plan().barriers.back().initially_complete = 1;
        for (int s = 0; s < 2; ++s) {
            const std::string suffix = "[" + std::to_string(s) + "]";
            q_full_[ix(s)] = writer_.barrier("q_full" + suffix, 1);
            s_full_[ix(s)] = writer_.barrier("s_full" + suffix, 1);
            p_part_[ix(s)] = writer_.barrier("s_p_o" + suffix, 256);
            p_last_[ix(s)] = writer_.barrier("p_last" + suffix, 4);
            stats_[ix(s)] = writer_.named_barrier("sm_stats" + suffix, 64);
            writer_.plan().barriers.back().scope = BarrierScope::warp;
            stats_empty_[ix(s)] = writer_.barrier("sm_stats_empty" + suffix, 128);
            o_full_[ix(s)] = writer_.barrier("o_acc" + suffix, 1);
            o_epi_[ix(s)] = writer_.barrier("o_epi" + suffix, 128);
            o_free_[ix(s)] = writer_.barrier("o_free" + suffix, 32);
            writer_.plan().barriers.back().initially_complete = 1;
        }
    }

    static void tile_with_work(ProgramWriter& program) {
        program.tiles().when({Predicate::Kind::at_least, false, {-1, 1, 0, 0}, 1, 0, {}});
    }
    static Predicate first(bool negate) {
        return {Predicate::Kind::first, negate, {1, 0, 0, 0}, 1, 0, {}};
    }

    /// Exponentials with their conversions, and the polynomial of those that are emulated.
    void exponentials(ProgramWriter& program, std::int64_t numerator) {
        const std::int64_t e = shape_.emulated;
        program.weave({{ex2_, (128 - e) * numerator / 4, 0},
                       {fma_, 3 * e * numerator / 4, 0},
                       {max_, 2 * e * numerator / 4, 0},
                       {pack_, 16 * numerator, 0}});
    }

    void softmax(int s) {
        ProgramWriter program;
        tile_with_work(program);
        program.blocks();
        program.wait(at(s_full_[ix(s)]));
        program.tmem({false, 4, cycles(128), cycles(80)}, 0).drain(0);
        program.when({Predicate::Kind::masked, false, {}, 1, 0, {}}).issue(select_, 179).end();
        program.issue(max_, 66, 4);
        program.when(first(true)).issue(sts_, 1).end();
        program.arrive(at(stats_[ix(s)]), 32);
        program.issue(fma_, 64, 0, false);
        exponentials(program, 3);
        program.tmem({true, 3, cycles(48), cycles(20)}, 1).drain(1);
        program.arrive(at(p_part_[ix(s)]), 32);
        exponentials(program, 1);
        program.tmem({true, 1, cycles(16), cycles(20)}, 1).drain(1);
        program.arrive(at(p_last_[ix(s)]), 1);
        program.wait(at(stats_empty_[ix(s)]));
        program.issue(fma_, 64, 4);
        program.end();
        program.issue(sts_, 1).arrive(at(stats_[ix(s)]), 32).wait(at(stats_empty_[ix(s)]));
        program.end().end();
        writer_.role("softmax[" + std::to_string(s) + "]", 4 * s, 4, program, {"ld", "st"});
    }

    void sync_stats(ProgramWriter& program, int s) {
        program.arrive(at(stats_[ix(s)]), 32).wait(at(stats_[ix(s)]));
    }

    void correction() {
        ProgramWriter program;
        program.arrive(at(p_part_[0]), 32).arrive(at(p_part_[1]), 32);
        tile_with_work(program);
        sync_stats(program, 0);
        program.arrive(at(stats_empty_[0]), 32);
        sync_stats(program, 1);
        program.blocks(-1);
        for (int s = 0; s < 2; ++s) {
            sync_stats(program, s);
            program.issue(lds_, 1).issue(vote_, 2);
            program.when({Predicate::Kind::chance, false, {}, 1, 0, {shape_.rescale_64ths}});
            for (int chunk = 0; chunk < 8; ++chunk) {
                program.tmem({false, 1, cycles(16), cycles(80)}, 0).drain(0);
                program.issue(fma_, 8).tmem({true, 1, cycles(16), cycles(20)}, 1);
            }
            program.drain(1).end();
            program.arrive(at(p_part_[ix(s)]), 32);
            program.arrive(at(stats_empty_[ix(shape_.cross_release ? 1 - s : s)]), 32);
        }
        program.end();
        program.arrive(at(stats_empty_[1]), 32);
        for (int s = 0; s < 2; ++s) {
            sync_stats(program, s);
            program.issue(lds_, 1).arrive(at(stats_empty_[ix(s)]), 32);
            program.wait(at(o_full_[ix(s)])).wait(at(o_free_[ix(s)]));
            for (int chunk = 0; chunk < 8; ++chunk) {
                program.tmem({false, 1, cycles(16), cycles(80)}, 0).drain(0);
                program.issue(fma_, 8).issue(pack_, 8).issue(wide_sts_, 2, 0, false);
            }
            program.arrive(at(p_part_[ix(s)]), 32).arrive(at(o_epi_[ix(s)]), 32);
        }
        program.end().end();
        writer_.role("correction", 8, 4, program, {"ld", "st"});
    }

    static MmaOp qk() {
        MmaOp op;
        op.steps = 8;
        op.tensor = cycles(64);
        op.smem_bytes = 8192;
        op.first_operand = cycles(32);
        op.completion = cycles(104);
        return op;
    }
    static MmaOp pv(std::int64_t steps) {
        MmaOp op = qk();
        op.steps = steps;
        op.smem_bytes = 4096;
        op.first_operand = 0;
        return op;
    }

    void issue_qk(ProgramWriter& program, int s) {
        program.mma(qk()).commit(0, at(s_full_[ix(s)]));
    }
    void issue_pv(ProgramWriter& program, int s) {
        program.wait(at(p_part_[ix(s)])).mma(pv(6));
        program.wait(at(p_last_[ix(s)])).mma(pv(2));
    }

    void mma() {
        constexpr int k = 0;
        constexpr int v = 1;
        ProgramWriter program;
        tile_with_work(program);
        program.wait(at(q_full_[0])).take(kv_, k).wait(at(kv_full_, k));
        issue_qk(program, 0);
        program.wait(at(q_full_[1]));
        issue_qk(program, 1);
        program.commit(0, at(kv_empty_, k)).blocks(-1);
        program.take(kv_, v).wait(at(kv_full_, v));
        issue_pv(program, 0);
        program.take(kv_, k).wait(at(kv_full_, k));
        issue_qk(program, 0);
        issue_pv(program, 1);
        program.commit(0, at(kv_empty_, v));
        issue_qk(program, 1);
        program.commit(0, at(kv_empty_, k)).end();
        program.commit(0, at(q_empty_)).take(kv_, v).wait(at(kv_full_, v));
        issue_pv(program, 0);
        program.commit(0, at(o_full_[0]));
        issue_pv(program, 1);
        program.commit(0, at(o_full_[1])).commit(0, at(kv_empty_, v));
        program.end().end();
        writer_.role("mma", 12, 1, program, {"mma"}, 2);
    }

    void load_kv(ProgramWriter& program) {
        CopyOp copy;
        copy.bytes = 32768;
        program.take(kv_, 0).wait(at(kv_empty_, 0)).copy(copy, 0, at(kv_full_, 0));
    }

    void load() {
        ProgramWriter program;
        tile_with_work(program);
        load_kv(program);
        program.wait(at(q_empty_));
        CopyOp q;
        q.bytes = 32768;
        q.l2_hit = false;
        program.copy(q, 0, at(q_full_[0])).copy(q, 0, at(q_full_[1]));
        load_kv(program);
        program.blocks(-1);
        load_kv(program);
        load_kv(program);
        program.end().end().end();
        writer_.role("load", 14, 1, program, {"tma"}, 1);
    }

    void store() {
        ProgramWriter program;
        tile_with_work(program);
        for (int s = 0; s < 2; ++s) {
            CopyOp o{Space::smem, Space::global, CopyEngine::tma, 32768};
            program.wait(at(o_epi_[ix(s)])).copy(o).commit(0).drain(0);
            program.arrive(at(o_free_[ix(s)]), 32);
        }
        program.end().end();
        writer_.role("store", 13, 1, program, {"bulk"});
    }

    Fa4LikeShape shape_;
    PlanWriter writer_;
    int max_ = 0, select_ = 0, pack_ = 0, fma_ = 0, ex2_ = 0, sts_ = 0, wide_sts_ = 0, lds_ = 0,
        vote_ = 0;
    int kv_ = 0, kv_full_ = 0, kv_empty_ = 0, q_empty_ = 0;
    PerStage q_full_{}, s_full_{}, p_part_{}, p_last_{}, stats_{}, stats_empty_{}, o_full_{},
        o_epi_{}, o_free_{};
};

}  // namespace

KernelPlan fa4_like_plan(const Fa4LikeShape& shape) {
    return Fa4LikeWriter(shape).write();
}

MemoryEnvironment fa4_like_memory() {
    return {cycles(390), cycles(1000), 64.0};
}

}  // namespace warpline::test
