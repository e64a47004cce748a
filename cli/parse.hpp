// Text of the command line to values, with messages that say what would be right.
#pragma once

#include "warpline/diagnostics/failure.hpp"
#include "warpline/hardware/gpu_spec.hpp"
#include "warpline/workload/attention.hpp"
#include "warpline/workload/block_lists.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpline::cli {

/// A whole number from `least` to `most`; digits only. `what` names it in the message: "--batch".
/// Errors of all functions here: usage.
[[nodiscard]] Result<std::int64_t> parse_count(std::string_view text, std::string_view what,
                                               std::int64_t least, std::int64_t most);

/// "128", or "192:128" for d_qk and d_v.
[[nodiscard]] Result<std::pair<std::int64_t, std::int64_t>> parse_head_dim(std::string_view text);

/// The value of --clock, but for "boost": "1755MHz".
[[nodiscard]] Result<ClockHz> parse_clock_option(std::string_view text);

/// "1024,2048" or "512:4096,1:8192" (queries : keys), one entry a sequence.
[[nodiscard]] Result<std::vector<SequencePair>> parse_varlen(std::string_view text);

/// The value of --blocks: a file of block lists, or "scattered:0.25", which is spread over tiles of
/// 256 queries (128 when there are no more) and blocks of 128 keys. Errors of a file: input.
[[nodiscard]] Result<BlockLists> parse_blocks(const std::string& text, std::int64_t seqlen_q,
                                              std::int64_t seqlen_kv);

[[nodiscard]] Result<DType> parse_dtype(std::string_view text);

/// Splits "name=value" at the first '='; neither side may be empty.
[[nodiscard]] Result<std::pair<std::string, std::string>> parse_assignment(std::string_view text);

}  // namespace warpline::cli
