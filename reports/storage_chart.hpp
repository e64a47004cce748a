// What lies in shared and tensor memory at each time of a chart: which buffers are being filled,
// hold data that is still wanted, and are read.
#pragma once

#include "warpline/engine/releases.hpp"
#include "warpline/pipeline/kernel_plan.hpp"
#include "warpline/pipeline/storage_plan.hpp"
#include "warpline/reports/slice_chart.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace warpline {

/// A copy of a buffer, or a stage of a ring, in the first CTA of the cluster.
struct StorageLane {
    std::string name;       ///< "q 1", "kv 3"
    bool tensor = false;    ///< in tensor memory
    std::int64_t size = 0;  ///< bytes; columns in tensor memory
    int root = 0;           ///< index of the lane whose storage it lies in; its own without
};

struct StorageSpan {
    enum class Kind : std::uint8_t {
        written,  ///< an operation fills it
        held,     ///< it holds what a later operation reads
        read,     ///< an operation reads it
    };
    Kind kind = Kind::written;
    int lane = 0;
    int label = 0;                ///< index into StorageChart::labels; held: of what filled it
    std::int64_t iteration = -1;  ///< of that operation
    Tick start = 0, end = 0;      ///< in the chart's (folded) time; start < end
};

struct StorageChart {
    std::vector<std::string> labels;
    std::vector<StorageLane> lanes;  ///< shared memory first, in the order of the pipeline file
    std::vector<StorageSpan> spans;  ///< by lane, then start
};

/// Stages of a ring are held from the arrival that fills one to the one that frees it. Other
/// buffers are held from a write to the last read before the next write. Buffers that only
/// instructions touch, such as row scales, are left out: no statement names them. `chart` was built
/// of `recording`.
[[nodiscard]] StorageChart storage_chart(const KernelPlan& plan, const StoragePlan& storage,
                                         const Recording& recording, const SliceChart& chart);

/// How much is in use from `at` to the next step's.
struct StorageStep {
    Tick at = 0;
    std::int64_t size = 0;
};
/// Bytes of shared memory, or columns of tensor memory, that are filled, held or read. What lies in
/// another buffer's storage counts once.
[[nodiscard]] std::vector<StorageStep> storage_in_use(const StorageChart& chart, bool tensor);

}  // namespace warpline
