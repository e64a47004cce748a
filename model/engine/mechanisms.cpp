#include "warpline/engine/engine.hpp"

#include <utility>

namespace warpline {

namespace {

struct Entry {
    Mechanism mechanism;
    std::string_view name;
};

constexpr Entry entries[] = {
    {Mechanism::smem_contention, "smem_contention"},
    {Mechanism::issue_contention, "issue_contention"},
    {Mechanism::pipe_contention, "pipe_contention"},
    {Mechanism::tmem_bandwidth, "tmem_bandwidth"},
    {Mechanism::dependence_latency, "dependence_latency"},
    {Mechanism::barrier_latency, "barrier_latency"},
    {Mechanism::mma_latency, "mma_latency"},
    {Mechanism::memory_latency, "memory_latency"},
    {Mechanism::memory_bandwidth, "memory_bandwidth"},
    {Mechanism::register_contention, "register_contention"},
};

}  // namespace

const std::vector<Mechanism>& all_mechanisms() {
    static const std::vector<Mechanism> all = [] {
        std::vector<Mechanism> list;
        for (const Entry& entry : entries) {
            list.push_back(entry.mechanism);
        }
        return list;
    }();
    return all;
}

std::string_view mechanism_name(Mechanism mechanism) {
    for (const Entry& entry : entries) {
        if (entry.mechanism == mechanism) {
            return entry.name;
        }
    }
    return "unknown";
}

}  // namespace warpline
