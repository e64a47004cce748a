// One role's pen for the timeline; compiles to nothing when the timeline is off.
#pragma once

#include "problem.hpp"

namespace attention {

template <bool kOn>
class Recorder;

template <>
class Recorder<false> {
  public:
    __device__ Recorder(const Arguments&, int, int, bool) {}
    __device__ void begin_tile(int) {}
    __device__ void stamp(Mark, int, int, int = 0) {}
};

// Every thread of a role computes the same addresses and one of them stores: a branch at each stamp
// would keep the compiler from moving instructions past it, and cost more than the stamp.
template <>
class Recorder<true> {
  public:
    // `writes`: the one thread of the role that stamps.
    __device__ Recorder(const Arguments& a, int role, int roles, bool writes) {
        const TimelineView& view = a.timeline;
        if (blockIdx.x >= view.ctas)
            return;
        writes_ = writes;
        next_ = view.records + (static_cast<long long>(blockIdx.x) * roles + role) * view.capacity;
        end_ = next_ + view.capacity;
        if (role == 0 && writes)
            view.sm[blockIdx.x] = sm_id();
    }

    // Stops recording when the tile's stamps might not fit.
    __device__ void begin_tile(int blocks) {
        if (next_ + kStampsOfBlock * (blocks + 2) > end_)
            writes_ = 0;
    }

    __device__ __forceinline__ void stamp(Mark mark, int tile, int block, int copy = 0) {
        const unsigned where = static_cast<unsigned>(tile) | static_cast<unsigned>(block) << 16;
        const unsigned what = static_cast<unsigned>(mark) | static_cast<unsigned>(copy) << 16;
        asm volatile(
            "{ .reg .pred p; .reg .u64 clock; .reg .b32 low, high;\n"
            "mov.u64 clock, %%clock64; mov.b64 {low, high}, clock;\n"
            "setp.ne.u32 p, %3, 0; @p st.global.v4.b32 [%0], {low, high, %1, %2}; }" ::"l"(next_),
            "r"(where), "r"(what), "r"(writes_));
        ++next_;
    }

  private:
    static constexpr int kStampsOfBlock = 16;

    static __device__ unsigned sm_id() {
        unsigned sm;
        asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
        return sm;
    }

    TimelineRecord* next_ = nullptr;
    TimelineRecord* end_ = nullptr;
    unsigned writes_ = 0;
};

}  // namespace attention
