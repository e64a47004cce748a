#include "pipeline_fixture.hpp"

#include <doctest/doctest.h>

using namespace warpline;
using namespace warpline::test;

namespace {

/// The first statement stands on this line of one_role().
constexpr int first_line = 71;

std::string refused(std::string_view statements) {
    std::string text = errors(one_role(statements));
    CHECK_MESSAGE(!text.empty(), std::string(statements));
    return text;
}

std::string at(int line, int column, const std::string& message) {
    return "f:" + std::to_string(first_line + line) + ":" + std::to_string(column) + ": " + message;
}

const std::string mma_operands = "  m: 128\n  n: 64\n  k: 64\n  class: c\n";

}  // namespace

TEST_CASE("unknown statements, keys and kinds name the nearest") {
    CHECK(refused("- wiat: done") == at(0, 11, "unknown statement 'wiat' (did you mean 'wait'?)"));
    CHECK(refused("- issue: ffma2\n  cuont: 3") ==
          at(1, 11, "unknown key 'cuont' in 'issue' (did you mean 'count'?)"));
    CHECK(refused("- issue: ffma3") ==
          at(0, 18, "no instruction of b200 'ffma3' (did you mean 'ffma'?)"));
    CHECK(contains(refused("- async: tmem_laod"), "did you mean 'tmem_load'?"));
    CHECK(contains(refused("- text"), "a statement must be a keyword and its value"));
    CHECK(contains(refused("- [1, 2]"), "a statement must be a keyword and its value"));
    CHECK(contains(refused("- issue: fadd\n  results: soon"), "'results' is 'soon'"));
    CHECK(contains(refused("- interleave: 3"), "must be a list"));
    CHECK(contains(refused("- interleave:\n    - count: 3"), "lacks 'issue'"));
    CHECK(
        contains(refused("- issue: fadd\n  count: -1"), "count must be from 0 to 1000000, is -1"));
    CHECK(contains(refused("- issue: fadd\n  count: 1e7"), "count must be from 0 to 1000000"));
    CHECK(
        contains(refused("- issue: fadd\n  count: 1 / 2"), "count must be a whole number, is 0.5"));
    CHECK(contains(refused("- issue: fadd\n  label: \"{q}\""), "label: unknown name 'q'"));
}

TEST_CASE("names are resolved against what is declared") {
    CHECK(refused("- wait: dnoe") == at(0, 17, "no barrier 'dnoe' (did you mean 'done'?)"));
    CHECK(refused("- wait: copied") ==
          at(0, 17, "barrier 'copied' has copies: write copied[0] or the like"));
    CHECK(refused("- wait: copied[2]") == at(0, 24, "'copied' has copies 0 to 1, not 2"));
    CHECK(refused("- wait: copied[s]") == at(0, 24, "index of 'copied': unknown name 's'"));
    CHECK(refused("- wait: done[0]") == at(0, 22, "barrier 'done' has neither copies nor a ring"));
    CHECK(refused("- wait: kv_full") ==
          at(0, 17, "barrier 'kv_full' belongs to the ring 'kv': write kv_full[slot]"));
    CHECK(contains(refused("- wait: done["), "a barrier needs a name such as"));
    CHECK(contains(refused("- wait:\n    a: 1"), "a barrier must be a single value"));
    CHECK(contains(refused("- async: tmem_load\n  from: tt[0]\n  columns: 8\n  class: c"),
                   "no buffer 'tt'"));
    CHECK(contains(refused("- async: tmem_load\n  from: t[7]\n  columns: 8\n  class: c"),
                   "'t' has copies 0 to 1, not 7"));
    CHECK(contains(refused("- async: copy\n  from: global\n  to: out\n  class: c"),
                   "buffer 'out' is left out here"));
}

TEST_CASE("slots are taken before they are used") {
    CHECK(refused("- wait: kv_full[k]") ==
          at(0, 25, "no slot 'k' has been taken before this statement"));
    CHECK(
        contains(refused("- take: kv\n  as: slot\n- wait: kv_full[slto]"), "did you mean 'slot'?"));
    CHECK(contains(refused("- consumer_release: k"), "no slot 'k'"));
    CHECK(contains(refused("- take: q\n  as: k"), "buffer 'q' has no stages, so it is no ring"));
    CHECK(contains(refused("- take: kv"), "lacks 'as'"));
    CHECK(contains(refused("- take: kv\n  as: two"), "the name 'two' is taken"));
    // Taken in a branch that does not run here: not taken.
    CHECK(contains(refused("- take: kv\n  as: k\n  when: two == 3\n- wait: kv_full[k]"),
                   "no slot 'k'"));
}

TEST_CASE("barriers are used as their kind allows") {
    CHECK(contains(refused("- arrive: bytes"), "landing copies flip barrier 'bytes'"));
    CHECK(contains(refused("- sync: done"), "'sync' needs a named barrier"));
    CHECK(contains(
        refused("- async: tmem_load\n  from: t[0]\n  columns: 8\n  class: c\n  signals: named"),
        "a completion cannot arrive on the named barrier 'named'"));
    CHECK(contains(
        refused("- async: tmem_load\n  from: t[0]\n  columns: 8\n  class: c\n  signals: bytes"),
        "only copies flip the barrier 'bytes'"));
    CHECK(contains(refused("- async: tmem_load\n  from: t[0]\n  columns: 8\n  class: c\n"
                           "- commit: c\n  on: named"),
                   "cannot arrive on the named barrier"));
    CHECK(contains(refused("- arrive: done\n  count: 33"), "count must be from 1 to 32, is 33"));
    CHECK(contains(refused("- arrive: done\n  at: peer"), "a peer exists in a cluster of 2 only"));
    CHECK(contains(refused("- arrive: done\n  at: laeder"), "did you mean 'leader'?"));
    CHECK(contains(refused("- drain: nothing"),
                   "no asynchronous operation of role 'r' has the class 'nothing'"));
    CHECK(contains(refused("- async: tmem_load\n  from: t[0]\n  columns: 8\n  class: loads\n"
                           "- drain: load"),
                   "did you mean 'loads'?"));
}

TEST_CASE("operands must be where the MMA path reads them") {
    const auto mma = [](const char* a, const char* b, const char* d) {
        return refused(std::string("- async: mma\n") + mma_operands + "  a: " + a + "\n  b: " + b +
                       "\n  d: " + d);
    };
    CHECK(contains(mma("acc", "q[0]", "t[0]"),
                   "operand a of a tcgen05 MMA must be in smem or tmem, not in registers"));
    CHECK(contains(mma("q[0]", "t[1]", "t[0]"),
                   "operand b of a tcgen05 MMA must be in smem, not in tmem"));
    CHECK(contains(mma("q[0]", "q[1]", "acc"),
                   "operand d of a tcgen05 MMA must be in tmem, not in registers"));
    const auto good = [](const std::string& keys) {
        const std::string text =
            one_role("- async: mma\n  a: q[0]\n  b: q[1]\n  d: t[0]\n  class: c\n" + keys);
        return errors(changed(changed(text, "    warps: 4\n", "    warps: 1\n"), "bytes: 2048",
                              "bytes: 16384"));
    };
    CHECK(contains(good("  m: 128\n  n: 64\n  k: 40"), "k must be a multiple of 16, is 40"));
    CHECK(contains(good("  m: 128\n  n: 64"), "lacks 'k'"));
    CHECK(contains(good("  m: 128\n  n: 64\n  k: 32\n  pair: 1"),
                   "a pair needs tcgen05 and a cluster of 2 CTAs"));
    CHECK(contains(good("  m: 128\n  n: 64\n  k: 32\n  dtype: fp9"), "no dtype 'fp9'"));
    CHECK_FALSE(good("  m: 99\n  n: 64\n  k: 32").empty());
    CHECK(good("  m: 128\n  n: 64\n  k: 32").empty());
}

TEST_CASE("one thread issues a tcgen05 MMA") {
    const std::string mma = "- async: mma\n" + mma_operands + "  a: q[0]\n  b: q[1]\n  d: t[0]";
    CHECK(contains(refused(mma),
                   "one thread issues a tcgen05 MMA, and each of the 4 warps of role 'r' would "
                   "issue this one"));
    CHECK(contains(refused(mma), "give the MMAs to a role of one warp"));
    CHECK_FALSE(contains(errors(one_role("- when: 0\n  do:\n    - async: mma\n      m: 128\n"
                                         "      n: 64\n      k: 64\n      class: c\n      a: q[0]\n"
                                         "      b: q[1]\n      d: t[0]")),
                         "one thread"));
}

TEST_CASE("copies must be possible") {
    const auto copy = [](const std::string& keys) {
        return refused("- async: copy\n  class: c\n" + keys);
    };
    CHECK(contains(copy("  from: global\n  to: registers\n  bytes: 4"),
                   "the TMA engine does not reach registers"));
    CHECK(
        contains(copy("  from: q[0]\n  to: q[1]"), "no copy from shared memory to shared memory"));
    CHECK(contains(copy("  from: t[0]\n  to: global"), "buffer 't' is in tensor memory"));
    CHECK(contains(copy("  from: global\n  to: registers\n  engine: lsu"),
                   "this copy needs 'bytes'"));
    CHECK(contains(copy("  from: q[0]\n  to: peer"), "a peer exists in a cluster of 2 only"));
    CHECK(contains(copy("  from: global\n  to: q[0]\n  engine: dma"), "no engine 'dma'"));
    CHECK(contains(refused("- async: reduce_add\n  class: c\n  from: global\n  to: q[0]"),
                   "reduce_add goes to global memory"));
    CHECK(contains(copy("  from: global\n  to: q[0]\n  at: leader"), "'at' needs 'signals'"));
}

TEST_CASE("loops and conditions stand where they make sense") {
    CHECK(contains(refused("- loop: tiles\n  do:\n    - issue: fadd"),
                   "the loop over tiles must be the outermost"));
    CHECK(contains(refused("- loop: blocks * blocks\n  do:\n    - issue: fadd"),
                   "loop: must be linear in blocks"));
    CHECK(contains(refused("- loop: 1000001\n  do:\n    - issue: fadd"),
                   "a loop may run 1000000 times"));
    CHECK(contains(refused("- loop: 1e18\n  do:\n    - issue: fadd"),
                   "a loop may run 1000000 times"));
    CHECK(contains(refused("- loop: -1\n  do:\n    - issue: fadd"), "a loop cannot run -1 times"));
    CHECK(contains(refused("- loop: 65 * blocks\n  do:\n    - issue: fadd"),
                   "a loop may run 1000000 times"));
    CHECK(contains(refused("- loop: blocks"), "'do' is missing"));
    CHECK(contains(refused("- loop: blocks\n  do: 3"), "statements must be a list"));
    CHECK(contains(refused("- issue: fadd\n  when: masked"),
                   "'masked' must be inside a loop over blocks"));
    CHECK(contains(refused("- issue: fadd\n  when: blocks"),
                   "a condition on the tile must be a comparison"));
    CHECK(refused("- loop: blocks\n  do:\n    - issue: fadd\n      when: frist 1") ==
          at(3, 21, "when: unknown name 'frist'"));
    const std::string outside = changed(one_role("- issue: fadd"), "    - loop: tiles\n      do:\n",
                                        "    - issue: fadd\n      when: blocks >= 2\n");
    CHECK_FALSE(errors(outside).empty());
}

TEST_CASE("programs that would not end or not fit in memory are refused") {
    CHECK(contains(refused("- unroll:\n    t: 65\n  do:\n    - issue: fadd"),
                   "unroll must be from 0 to 64, is 65"));
    CHECK(contains(refused("- unroll:\n    a: 64\n  do:\n    - unroll:\n        b: 64\n      do:\n"
                           "        - unroll:\n            c: 64\n          do:\n"
                           "            - issue: fadd"),
                   "has more than 50000 statements"));
    std::string bomb = "procedures:\n  p0:\n    do:\n      - issue: fadd\n";
    for (int i = 1; i < 40; ++i) {
        const std::string call = "      - call: p" + std::to_string(i - 1) + "\n";
        bomb += "  p";
        bomb += std::to_string(i);
        bomb += ":\n    do:\n";
        bomb += call;
        bomb += call;
    }
    CHECK(contains(errors(changed(one_role("- call: p39"), "program:\n", bomb + "program:\n")),
                   "has more than 50000 statements"));
}
