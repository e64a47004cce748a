#include "spec_folder.hpp"
#include "warpline/hardware/load_gpu_spec.hpp"

#include <doctest/doctest.h>

using namespace warpline;
using warpline::test::SpecFolder;

namespace {

std::string error_of(const SpecFolder& folder, const std::string& id) {
    const auto spec = load_gpu_spec(folder.root(), id);
    REQUIRE_FALSE(spec.has_value());
    CHECK(spec.error().kind == FailureKind::input);
    return spec.error().text();
}

std::string child_error(const std::string& text) {
    const SpecFolder folder;
    folder.write_child("bad", text);
    return error_of(folder, "bad");
}

bool mentions(const std::string& text, const std::string& part) {
    CAPTURE(text);
    CAPTURE(part);
    const bool found = text.find(part) != std::string::npos;
    CHECK(found);
    return found;
}

std::string constants(const std::string& lines) {
    return "constants:\n  source: s\n  confidence: D\n" + lines;
}

}  // namespace

TEST_CASE("all errors of a file come at once, each with line, column and the nearest name") {
    const std::string text = child_error(
        "capabilites: [tma]\n"  // line 4
        "constants:\n"
        "  smem:\n"
        "    widht: 128 B/clk\n"         // 7
        "    quantum: 16\n"              // 8
        "  sm_count: {value: 148 SM}\n"  // 9: neither source nor confidence
        "  clock:\n"
        "    boost: {value: 1965 Mhz, source: s, confidence: E}\n"  // 11, twice
        "instructions:\n"
        "  ffma: {unit: fam, source: s, confidence: B}\n"                         // 13
        "  mufu.ex2: {rat: 3 /clk, latency: 3 us, source: s, confidence: B}\n");  // 14, twice
    mentions(text, "bad.yaml:4:1: unknown key 'capabilites'");
    mentions(text, "did you mean 'capabilities'?");
    mentions(text, "bad.yaml:7:5: unknown key 'smem.widht' (did you mean 'smem.width'?)");
    mentions(text, "bad.yaml:8:14: smem.quantum: '16' lacks a unit (expected clk)");
    mentions(text, "bad.yaml:9:3: 'sm_count' names no source");
    mentions(text, "bad.yaml:9:3: 'sm_count' states no confidence");
    mentions(text, "bad.yaml:11:20: clock.boost: unknown unit 'Mhz' (did you mean 'MHz'?)");
    mentions(text, "bad.yaml:11:53: 'E' is no confidence");
    mentions(text, "bad.yaml:13:16: 'fam' is no unit of warp instructions");
    mentions(text, "bad.yaml:14:14: unknown key 'rat' in instruction mufu.ex2");
    mentions(text, "mufu.ex2.latency: '3 us' is in s, not in clk");
}

TEST_CASE("absurd values are refused with the key named") {
    for (const char* value : {"0 B/clk", "-128 B/clk", "1e300 B/clk", "nan B/clk", "inf B/clk"}) {
        CAPTURE(value);
        mentions(child_error(constants(std::string("  smem.width: ") + value + "\n")),
                 "smem.width: '");
    }
    mentions(child_error("instructions:\n  ffma: {rate: 0 /clk, source: s, confidence: D}\n"),
             "ffma.rate: '0 /clk' is too small");
    mentions(child_error("instructions:\n  ffma: {rate: 1e300 /clk, source: s, confidence: D}\n"),
             "ffma.rate: '1e300 /clk' is absurdly large");
    mentions(child_error("instructions:\n  ffma: {rate: 1e-16 /clk, source: s, confidence: D}\n"),
             "'ffma.rate' is absurdly small");
    mentions(child_error(constants("  sm_count: 1.5 SM\n")), "sm_count: '1.5 SM' must be a whole");
    mentions(child_error(constants("  clock.boost: 0 MHz\n")), "clock.boost: '0 MHz' is no clock");
}

TEST_CASE("wrong shapes are refused") {
    mentions(child_error("constants: 3\n"), "'constants' must be a map");
    mentions(child_error("constants: {}\n"), "a group without constants");
    mentions(child_error(constants("  smem: 3 clk\n")), "unknown key 'smem'");
    mentions(child_error(constants("  smem.width: [1]\n")), "'smem.width' lacks a value");
    mentions(child_error(constants("  smem.width: {note: x}\n")), "'smem.width' lacks a value");
    mentions(child_error(constants("  smem.width: {value: 1 B/clk, nte: x}\n")),
             "did you mean 'smem.width.note'?");
    mentions(child_error(constants("  smem.width: 1 B/clk\n  smem:\n    width: 2 B/clk\n")),
             "'smem.width' is given twice");
    mentions(child_error(constants("  smem.width: {value: 9 B/clk, interval: 10 .. 20 B/clk}\n")),
             "smem.width: the interval");
    mentions(child_error("instructions:\n  ffma: 3\n"), "'ffma' must be an instruction");
    mentions(child_error("capabilities: [tam]\n"),
             "unknown capability 'tam' (did you mean 'tma'?)");
    mentions(child_error("capabilities: [tma, tma]\n"), "capability 'tma' twice");
    mentions(child_error("capabilities: tma\n"), "must be a list");
    const SpecFolder folder;
    folder.write("bad.yaml", "[1, 2]\n");
    mentions(error_of(folder, "bad"), "must be a map");
    folder.write("bad.yaml", "schema: warpline-hardware/9\n");
    mentions(error_of(folder, "bad"), "schema 'warpline-hardware/9' is not known");
    folder.write("bad.yaml", "a: &x 1\n");
    mentions(error_of(folder, "bad"), "an anchor");
}

TEST_CASE("what is missing is named with its meaning") {
    const SpecFolder folder;
    folder.write("bad.yaml",
                 "schema: warpline-hardware/1\ntitle: t\ninherits: sm_100\n"
                 "instructions:\n  mufu.ex3: {unit: xu, source: s, confidence: D}\n");
    const std::string text = error_of(folder, "bad");
    mentions(text, "'sm_count' is missing (SMs that take work)");
    mentions(text, "'clock.boost' is missing");
    mentions(text, "'memory.hbm_rate' is missing");
    mentions(text,
             "instruction 'mufu.ex3' needs unit, rate and latency (did you mean 'mufu.ex2'?)");

    folder.write("bare.yaml", "schema: warpline-hardware/1\ntitle: t\n");
    mentions(error_of(folder, "bare"), "'arch' is missing");
}

TEST_CASE("constants without a use are refused, not ignored") {
    const SpecFolder folder;
    folder.write("bad.yaml", "schema: warpline-hardware/1\ntitle: t\ninherits: h100_sxm\n" +
                                 constants("  tmem.columns: 512 columns\n"));
    mentions(error_of(folder, "bad"),
             "'tmem.columns' has no use on a GPU without the capability 'tmem'");
}

TEST_CASE("constants that contradict each other are refused") {
    mentions(child_error(constants("  clock.sustained: 2 GHz\n")), "above 'clock.boost'");
    mentions(child_error(constants("  limits.smem_per_cta: 229 KiB\n")),
             "above 'limits.smem_per_sm'");
    mentions(child_error(constants("  memory.hbm_rate: 7.8 TB/s\n")), "above 'memory.hbm_peak'");
    mentions(child_error(constants("  gpcs: 9x16 SM\n")),
             "'gpcs' adds up to 144 SMs, 'sm_count' is 148");
    mentions(child_error(constants("  mma.tcgen05.k_width: 1 B\n")),
             "'mma.tcgen05.k_width' must be a multiple of 2 B, is 1 B");
}

TEST_CASE("inheritance that has no end or no beginning is refused") {
    const SpecFolder folder;
    const std::string head = "schema: warpline-hardware/1\ntitle: t\ninherits: ";
    folder.write("a.yaml", head + "b\n");
    folder.write("b.yaml", head + "a\n");
    mentions(error_of(folder, "a"), "b.yaml:3:11: inherits itself: a -> b -> a");
    folder.write("a.yaml", head + "a\n");
    mentions(error_of(folder, "a"), "inherits itself: a -> a");
    folder.write("a.yaml", head + "b2000\n");
    mentions(error_of(folder, "a"), "a.yaml:3:11: inherits 'b2000', which does not exist");
    folder.write("a.yaml", head + "../../etc/passwd\n");
    mentions(error_of(folder, "a"), "does not exist");
}

TEST_CASE("keys that begin with x- are notes") {
    const SpecFolder folder;
    folder.write_child(
        "fine", "x-history: [anything, {goes: here}]\n" +
                    constants("  x-why: because\n  smem.width: {value: 64 B/clk, x-a: b}\n"));
    CHECK(load_gpu_spec(folder.root(), "fine")->smem_bytes_per_clk == 64);
}
