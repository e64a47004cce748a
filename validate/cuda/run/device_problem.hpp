// A problem's tensors on the GPU, and the arguments a kernel is launched with.
#pragma once

#include "../attention/kernel.hpp"
#include "../common/bench.hpp"

#include <cstdint>

namespace attention {

class DeviceProblem {
  public:
    DeviceProblem(const Shape& shape, int head_dim, std::uint64_t seed);

    [[nodiscard]] const Shape& shape() const { return shape_; }
    [[nodiscard]] int head_dim() const { return head_dim_; }
    [[nodiscard]] double scale() const;

    // For this kernel; without a timeline or a clock probe.
    [[nodiscard]] Arguments arguments(const Kernel& kernel) const;

    // Fills the outputs, and what lies behind them, with a pattern that reads as not-a-number.
    void poison();

    [[nodiscard]] std::vector<std::uint16_t> rows(char tensor, int plane, int first,
                                                  int count) const;  // of 'q', 'k', 'v' or 'o'
    [[nodiscard]] float log_sum(int plane, int row) const;
    // Nothing was written behind the outputs.
    [[nodiscard]] bool ends_intact() const;

  private:
    static constexpr std::size_t kGuard = 64 * 256;  // elements behind the outputs

    Shape shape_;
    int head_dim_;
    micro::DeviceArray<std::uint16_t> q_, k_, v_, o_;
    micro::DeviceArray<float> lse_;
};

// CTAs of a launch: one for each tile, or as many as the GPU holds at a time.
[[nodiscard]] int grid_size(const Kernel& kernel, const Arguments& arguments, bool persistent,
                            int sms);

// Raises the shared memory limit; once for each kernel.
void prepare(const Kernel& kernel);

// Floating-point operations, counted as the attention literature does: 4 Sq mean(Sk) d for each
// head, the mean over queries of the keys that a causal mask leaves.
[[nodiscard]] double flop(const Shape& shape, int head_dim);

}  // namespace attention
