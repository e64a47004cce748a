#include "cli/parse.hpp"

#include "warpline/diagnostics/strict_yaml.hpp"
#include "warpline/hardware/dtype.hpp"
#include "warpline/reports/text.hpp"
#include "warpline/units/clock.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

#include <fmt/format.h>

namespace warpline::cli {
namespace {

constexpr std::int64_t max_length = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t max_head_dim = 1 << 16;
constexpr std::int64_t largest_pattern = std::int64_t{1} << 24;  // blocks drawn one by one

bool all_digits(std::string_view text) {
    return !text.empty() &&
           std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    while (true) {
        const std::size_t end = text.find(separator);
        parts.push_back(text.substr(0, end));
        if (end == std::string_view::npos) {
            return parts;
        }
        text.remove_prefix(end + 1);
    }
}

Result<SequencePair> parse_sequence(std::string_view text) {
    const auto parts = split(text, ':');
    if (parts.size() > 2) {
        return fail(
            FailureKind::usage,
            fmt::format("--varlen: \"{}\" is not a length or QUERIES:KEYS", printable(text)));
    }
    const auto q = parse_count(parts.front(), "--varlen", 1, max_length);
    if (!q) {
        return tl::unexpected(q.error());
    }
    const auto kv = parse_count(parts.back(), "--varlen", parts.size() == 2 ? 0 : 1, max_length);
    if (!kv) {
        return tl::unexpected(kv.error());
    }
    return SequencePair{*q, *kv};
}

}  // namespace

Result<std::int64_t> parse_count(std::string_view text, std::string_view what, std::int64_t least,
                                 std::int64_t most) {
    const auto refuse = [&] {
        return fail(FailureKind::usage,
                    fmt::format("{} must be a whole number from {} to {}, not \"{}\"", what, least,
                                most, printable(text)));
    };
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (!all_digits(text) || error != std::errc{} || value < least || value > most) {
        return refuse();
    }
    return value;
}

Result<std::pair<std::int64_t, std::int64_t>> parse_head_dim(std::string_view text) {
    const auto parts = split(text, ':');
    if (parts.size() > 2) {
        return fail(FailureKind::usage,
                    fmt::format("--head-dim: \"{}\" is not D or D_QK:D_V", printable(text)));
    }
    const auto qk = parse_count(parts.front(), "--head-dim", 1, max_head_dim);
    if (!qk) {
        return tl::unexpected(qk.error());
    }
    const auto v = parse_count(parts.back(), "--head-dim", 1, max_head_dim);
    if (!v) {
        return tl::unexpected(v.error());
    }
    return std::pair{*qk, *v};
}

Result<ClockHz> parse_clock_option(std::string_view text) {
    auto clock = parse_clock(text);
    if (!clock) {
        return fail(FailureKind::usage,
                    fmt::format("--clock: \"{}\" is not \"boost\" or a clock from 1 MHz to 100 GHz",
                                printable(text)),
                    "write it as 1755MHz or 1.755GHz");
    }
    return clock;
}

Result<std::vector<SequencePair>> parse_varlen(std::string_view text) {
    std::vector<SequencePair> sequences;
    for (const std::string_view part : split(text, ',')) {
        const auto sequence = parse_sequence(part);
        if (!sequence) {
            return tl::unexpected(sequence.error());
        }
        sequences.push_back(*sequence);
    }
    return sequences;
}

Result<BlockLists> parse_blocks(const std::string& text, std::int64_t seqlen_q,
                                std::int64_t seqlen_kv) {
    constexpr std::string_view scattered = "scattered:";
    if (text.compare(0, scattered.size(), scattered) != 0) {
        const auto content = read_text(text);
        if (!content) {
            return tl::unexpected(content.error());
        }
        return parse_block_lists(*content, text);
    }
    double density = 0.0;
    const char* const end = text.data() + text.size();
    const auto [stop, problem] = std::from_chars(text.data() + scattered.size(), end, density);
    if (stop != end || problem != std::errc{} || !(density >= 0.0 && density <= 1.0)) {
        return fail(
            FailureKind::usage,
            fmt::format("--blocks: the density of \"{}\" must be from 0 to 1", printable(text)),
            "for example scattered:0.25");
    }
    if ((seqlen_q / 128) * (seqlen_kv / 128) > largest_pattern) {
        return fail(FailureKind::usage,
                    "--blocks scattered: the lengths make more than 2^24 blocks a head",
                    "list them in a file");
    }
    return scattered_lists(density, seqlen_q > 128 ? 256 : 128, 128, seqlen_q, seqlen_kv);
}

Result<DType> parse_dtype(std::string_view text) {
    if (const auto dtype = dtype_from_name(text)) {
        return *dtype;
    }
    return fail(FailureKind::usage, fmt::format("--dtype must be one of {}, not \"{}\"",
                                                dtype_names(), printable(text)));
}

Result<std::pair<std::string, std::string>> parse_assignment(std::string_view text) {
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos || equals == 0 || equals + 1 == text.size()) {
        return fail(FailureKind::usage,
                    fmt::format("--set: \"{}\" is not NAME=VALUE", printable(text)),
                    "for example kv_stages=2 or hw.mufu.ex2=32/clk");
    }
    return std::pair{std::string(text.substr(0, equals)), std::string(text.substr(equals + 1))};
}

}  // namespace warpline::cli
