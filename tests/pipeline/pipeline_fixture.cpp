#include "pipeline_fixture.hpp"

#include "source_dir.hpp"
#include "warpline/hardware/load_gpu_spec.hpp"

#include <map>

#include <doctest/doctest.h>

namespace warpline::test {
namespace {

constexpr std::string_view base_pipeline = R"(schema: warpline-pipeline/1
title: base
direction: forward
requires: [tcgen05, tma]
parameters:
  tile_m: 128
  tile_kv:
    value: 128
    at_least: 32
    at_most: 256
    multiple_of: 32
  kv_stages:
    value: 3
    at_least: 2
    at_most: 32
checks:
  - that: d_qk % 8 == 0
    message: head dims must be multiples of 8
tiles:
  rows: tile_m
  block: tile_kv
  loop: kv
buffers:
  kv:
    space: smem
    bytes: tile_kv * d_qk * element_bytes
    stages: kv_stages
  s:
    space: tmem
    columns: tile_kv
barriers:
  kv_full:
    kind: bytes
    ring: kv
    arrivals:
      load: 1
  kv_empty:
    kind: mbarrier
    ring: kv
    released: true
    arrivals:
      mma: 1
roles:
  load:
    warps: 1
    registers: 64
  mma:
    warps: 1
    registers: 64
program:
  load:
    - loop: tiles
      do:
        - loop: blocks
          do:
            - producer_acquire: kv
              as: slot
            - async: copy
              from: global
              to: kv[slot]
              class: tma
              signals: kv_full[slot]
  mma:
    - loop: tiles
      do:
        - loop: blocks
          do:
            - consumer_wait: kv
              as: k
            - async: mma
              m: tile_m
              n: tile_kv
              k: d_qk
              a: kv[k]
              b: kv[k]
              d: s
              class: mma
            - consumer_release: k
              class: mma
)";

}  // namespace

const GpuSpec& gpu(const std::string& id) {
    static std::map<std::string, GpuSpec> specs;
    const auto known = specs.find(id);
    if (known != specs.end()) {
        return known->second;
    }
    auto spec = load_gpu_spec(source_dir(), id);
    REQUIRE_MESSAGE(spec.has_value(), spec.error().text());
    return specs.emplace(id, std::move(*spec)).first->second;
}

const std::string& base_text() {
    static const std::string text(base_pipeline);
    return text;
}

std::string changed(std::string text, std::string_view from, std::string_view to) {
    const std::size_t at = text.find(from);
    REQUIRE_MESSAGE(at != std::string::npos, std::string(from));
    return text.replace(at, from.size(), to);
}

AttentionProblem problem(std::int64_t head_dim) {
    AttentionProblem result;
    result.batch = 2;
    result.heads_q = result.heads_kv = 4;
    result.seqlen_q = result.seqlen_kv = 1024;
    result.head_dim_qk = result.head_dim_v = head_dim;
    return result;
}

Result<KernelPlan> load(const std::string& text, const std::vector<ParameterOverride>& set,
                        const std::string& gpu_id) {
    const auto source = parse_pipeline(text, "f");
    if (!source) {
        return tl::unexpected(source.error());
    }
    return make_plan(*source, gpu(gpu_id), problem(), set);
}

std::string errors(const std::string& text, const std::vector<ParameterOverride>& set,
                   const std::string& gpu_id) {
    const auto plan = load(text, set, gpu_id);
    return plan ? std::string{} : plan.error().text();
}

bool contains(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

std::string one_role(std::string_view statements) {
    std::string text = R"(schema: warpline-pipeline/1
title: one
direction: forward
requires: [tcgen05, tma]
parameters:
  two: 2
tiles:
  rows: 128
  block: 128
  loop: kv
buffers:
  kv:
    space: smem
    bytes: 1024
    stages: 2
  q:
    space: smem
    bytes: 2048
    copies: two
  t:
    space: tmem
    columns: 128
    copies: two
  acc:
    space: registers
  out:
    space: smem
    bytes: 512
    when: 0
barriers:
  ready:
    kind: mbarrier
    arrivals:
      r: 128
  named:
    kind: named
    arrivals:
      r: 128
  bytes:
    kind: bytes
    arrivals:
      r: 4
  done:
    kind: mbarrier
    arrivals:
      r: 4
  copied:
    kind: mbarrier
    copies: two
    arrivals:
      r: 128
  kv_full:
    kind: mbarrier
    ring: kv
    arrivals:
      r: 128
  kv_empty:
    kind: mbarrier
    ring: kv
    released: true
    arrivals:
      r: 128
roles:
  r:
    warps: 4
    registers: 64
program:
  r:
    - loop: tiles
      do:
)";
    while (!statements.empty()) {
        const std::size_t end = statements.find('\n');
        text += "        " + std::string(statements.substr(0, end)) + "\n";
        statements =
            end == std::string_view::npos ? std::string_view{} : statements.substr(end + 1);
    }
    return text;
}

Program body_of(const KernelPlan& plan) {
    const Program& program = plan.roles.front().program;
    REQUIRE(program.size() >= 2);
    return {program.begin() + 1, program.end() - 1};
}

}  // namespace warpline::test
