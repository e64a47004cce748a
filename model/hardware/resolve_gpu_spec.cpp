#include "warpline/hardware/resolve_gpu_spec.hpp"

#include "warpline/diagnostics/fingerprint.hpp"

#include <cmath>
#include <numeric>

#include <fmt/format.h>

namespace warpline {
namespace {

constexpr double lanes_per_warp = 32.0;
/// Clocks between two instructions of a kind: more would not fit into ticks.
constexpr double longest_interval = 1e15;

/// Calls `missing` for each key that the file should state and does not.
template <typename Missing>
void store_constants(const SpecFile& file, GpuSpec& spec, DiagnosticSink& sink,
                     const Missing& missing) {
    for (const SpecKey& key : spec_keys()) {
        const auto found = file.constants.find(key.key);
        const bool useful = key.capability.empty() || spec.has(key.capability);
        if (found == file.constants.end()) {
            if (useful && key.need == Need::required) {
                missing(key);
            }
            continue;
        }
        if (!useful) {
            sink.error(found->second.constant.where,
                       fmt::format("'{}' has no use on a GPU without the capability '{}'", key.key,
                                   key.capability));
        } else if (key.store) {
            key.store(spec, found->second.value);
        }
    }
}

void store_instruction(const SpecFile& file, const std::string& name,
                       const StatedInstruction& stated, GpuSpec& spec, DiagnosticSink& sink) {
    const auto number = [&](const char* field) -> std::optional<double> {
        const auto found = file.constants.find(name + "." + field);
        return found == file.constants.end() ? std::nullopt
                                             : std::optional<double>(found->second.value.number);
    };
    const auto rate = number("rate");
    const auto latency = number("latency");
    if (!stated.unit || !rate || !latency) {
        std::vector<std::string> others;
        for (const auto& [other, unused] : file.instructions) {
            if (other != name) {
                others.push_back(other);
            }
        }
        const std::string nearest = nearest_name(name, others);
        sink.error(stated.where, fmt::format("instruction '{}' needs unit, rate and latency", name),
                   nearest.empty() ? "" : fmt::format("did you mean '{}'?", nearest));
        return;
    }
    InstructionKind kind;
    kind.name = name;
    kind.unit = *stated.unit;
    const double clocks = lanes_per_warp * spec.sub_partitions / *rate;
    if (clocks > longest_interval) {
        sink.error(stated.where, fmt::format("'{}.rate' is absurdly small", name));
        return;
    }
    kind.interval = round_to_ticks(clocks);
    kind.latency = round_to_ticks(*latency);
    kind.smem_bytes = static_cast<std::int64_t>(number("smem").value_or(0.0));
    kind.issue_slots = static_cast<int>(number("issue").value_or(1.0));
    if (const auto beside = spec.register_contention.find(kind.unit);
        beside != spec.register_contention.end()) {
        kind.wgmma_interval = beside->second.interval;
        kind.wgmma_hold = beside->second.hold;
    }
    if (kind.interval == 0) {
        sink.error(stated.where, fmt::format("'{}.rate' is absurdly large", name));
    }
    spec.instructions.emplace(name, std::move(kind));
}

void check_consistency(const SpecFile& file, const GpuSpec& spec, DiagnosticSink& sink) {
    const auto where = [&](const char* key) { return file.constants.at(key).constant.where; };
    if (spec.clocks.sustained > spec.clocks.boost) {
        sink.error(where("clock.sustained"), "'clock.sustained' is above 'clock.boost'");
    }
    if (spec.limits.smem_per_cta > spec.limits.smem_per_sm) {
        sink.error(where("limits.smem_per_cta"),
                   "'limits.smem_per_cta' is above 'limits.smem_per_sm'");
    }
    if (spec.memory.hbm_bytes_per_second > spec.memory.hbm_peak_bytes_per_second) {
        sink.error(where("memory.hbm_rate"), "'memory.hbm_rate' is above 'memory.hbm_peak'");
    }
    const auto sms = std::accumulate(spec.gpc_sms.begin(), spec.gpc_sms.end(), std::int64_t{0});
    if (!spec.gpc_sms.empty() && sms != spec.sm_count) {
        sink.error(where("gpcs"),
                   fmt::format("'gpcs' adds up to {} SMs, 'sm_count' is {}", sms, spec.sm_count));
    }
    for (const auto& [key, stated] : file.constants) {
        // An instruction takes whole 16-bit elements, and one at least.
        if (std::string_view(key).ends_with(".k_width") &&
            std::fmod(stated.value.number, 2.0) != 0.0) {
            sink.error(stated.constant.where, fmt::format("'{}' must be a multiple of 2 B, is {}",
                                                          key, stated.constant.text));
        }
    }
    if (spec.mma.empty()) {
        sink.error(file.where, "no MMA path: one of tcgen05, wgmma and mma_sync is needed");
    }
}

void warn_of_peak(const SpecFile& file, GpuSpec& spec) {
    constexpr double tolerated = 0.02;
    constexpr double tera = 1e12;
    const StatedConstant& peak = file.constants.at("peak.bf16");
    const StatedConstant& clock = file.constants.at("peak.clock");
    const double derived = spec.peak_flops(clock.value.clock) / tera;
    if (std::abs(derived / peak.value.number - 1.0) > tolerated) {
        spec.warnings.push_back(
            {peak.constant.where,
             fmt::format(
                 "the derived 16-bit peak is {:.0f} TFLOP/s at {}, the datasheet says {:.0f}",
                 derived, clock.constant.text, peak.value.number),
             "SMs x MMA rate x 'peak.clock'"});
    }
}

std::string hash_of(const SpecFile& file, const GpuSpec& spec) {
    std::string text = spec.arch + "\n";
    for (const std::string& capability : spec.capabilities) {
        text += capability + "\n";
    }
    for (const auto& [name, kind] : spec.instructions) {
        text += fmt::format("{}.unit={}\n", name, unit_name(kind.unit));
    }
    for (const auto& [key, stated] : file.constants) {
        text += fmt::format("{}={} {}", key, stated.value.number, stated.constant.unit);
        for (const int count : stated.value.counts) {
            text += fmt::format(" {}", count);
        }
        text += "\n";
    }
    return fingerprint(text);
}

/// Everything that the file states, and whether it agrees with itself. `missing`: as above.
template <typename Missing>
void store_statements(const SpecFile& file, GpuSpec& spec, DiagnosticSink& sink,
                      const Missing& missing) {
    store_constants(file, spec, sink, missing);
    for (const auto& [name, stated] : file.instructions) {
        store_instruction(file, name, stated, spec, sink);
    }
    if (sink.empty()) {
        check_consistency(file, spec, sink);
    }
}

}  // namespace

Result<GpuSpec> resolve_gpu_spec(const SpecFile& file, const std::string& id) {
    DiagnosticSink sink;
    GpuSpec spec;
    spec.id = id;
    spec.title = file.title;
    spec.arch = file.arch;
    spec.capabilities = file.capabilities;
    if (file.arch.empty()) {
        sink.error(file.where, "'arch' is missing", "e.g. arch: sm_100, or inherit one");
    }
    store_statements(file, spec, sink, [&](const SpecKey& key) {
        sink.error(file.where, fmt::format("'{}' is missing", key.key), key.meaning);
    });
    if (!sink.empty()) {
        return sink.failure(FailureKind::input);
    }
    for (const auto& [key, stated] : file.constants) {
        spec.constants.emplace(key, stated.constant);
    }
    warn_of_peak(file, spec);
    spec.hash = hash_of(file, spec);
    return spec;
}

Result<ArchitectureCheck> check_architecture(const SpecFile& file) {
    DiagnosticSink sink;
    ArchitectureCheck out;
    GpuSpec spec;
    spec.arch = file.arch;
    spec.capabilities = file.capabilities;
    store_statements(file, spec, sink, [&](const SpecKey& key) { out.missing.push_back(key.key); });
    if (!sink.empty()) {
        return sink.failure(FailureKind::input);
    }
    return out;
}

}  // namespace warpline
