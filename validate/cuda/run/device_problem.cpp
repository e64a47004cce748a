#include "device_problem.hpp"

#include "../common/tensor_map.hpp"
#include "random.cuh"

#include <cmath>

namespace attention {
namespace {

std::size_t elements(int batch, int heads, int rows, int columns) {
    return static_cast<std::size_t>(batch) * static_cast<std::size_t>(heads) *
           static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
}

// Heads whose keys and values together fill half of L2: the other half is for those that follow.
int section_heads(const Shape& shape, int head_dim) {
    int l2 = 0;
    micro::check(cudaDeviceGetAttribute(&l2, cudaDevAttrL2CacheSize, 0));
    const double head = 4.0 * shape.seqlen_kv * head_dim * shape.heads_kv / shape.heads_q;
    const int planes = shape.batch * shape.heads_q;
    return std::clamp(static_cast<int>(l2 / 2 / head), 1, planes);
}

}  // namespace

DeviceProblem::DeviceProblem(const Shape& shape, int head_dim, std::uint64_t seed)
    : shape_(shape),
      head_dim_(head_dim),
      q_(elements(shape.batch, shape.heads_q, shape.seqlen_q, head_dim)),
      k_(elements(shape.batch, shape.heads_kv, shape.seqlen_kv, head_dim)),
      v_(k_.size()),
      o_(q_.size() + kGuard),
      lse_(elements(shape.batch, shape.heads_q, shape.seqlen_q, 1) + kGuard) {
    fill_normal(q_.get(), q_.size(), 3 * seed);
    fill_normal(k_.get(), k_.size(), 3 * seed + 1);
    fill_normal(v_.get(), v_.size(), 3 * seed + 2);
}

double DeviceProblem::scale() const {
    return 1 / std::sqrt(static_cast<double>(head_dim_));
}

Arguments DeviceProblem::arguments(const Kernel& kernel) const {
    const auto map = [&](const micro::DeviceArray<std::uint16_t>& tensor, int heads, int rows,
                         int box_rows) {
        return micro::plane_box_map(
            tensor.get(), static_cast<std::uint64_t>(head_dim_), static_cast<std::uint64_t>(rows),
            static_cast<std::uint64_t>(shape_.batch * heads), static_cast<unsigned>(box_rows));
    };
    const int rows = kernel.tile_rows;
    Arguments a{};
    a.q = map(q_, shape_.heads_q, shape_.seqlen_q, kernel.query_box_rows);
    a.k = map(k_, shape_.heads_kv, shape_.seqlen_kv, kernel.key_box_rows);
    a.v = map(v_, shape_.heads_kv, shape_.seqlen_kv, kernel.tile_kv);
    a.o = map(o_, shape_.heads_q, shape_.seqlen_q, kernel.query_box_rows);
    a.shape = shape_;
    a.row_tiles = (shape_.seqlen_q + rows - 1) / rows;
    a.section_heads = section_heads(shape_, head_dim_);
    a.tiles = a.row_tiles * shape_.batch * shape_.heads_q;
    constexpr double kLog2E = 1.4426950408889634;
    a.scale_log2 = static_cast<float>(scale() * kLog2E);
    a.lse = lse_.get();
    return a;
}

void DeviceProblem::poison() {
    o_.poison();
    lse_.poison();
}

std::vector<std::uint16_t> DeviceProblem::rows(char tensor, int plane, int first, int count) const {
    const bool of_keys = tensor == 'k' || tensor == 'v';
    const micro::DeviceArray<std::uint16_t>& from = tensor == 'q'   ? q_
                                                    : tensor == 'k' ? k_
                                                    : tensor == 'v' ? v_
                                                                    : o_;
    const auto columns = static_cast<std::size_t>(head_dim_);
    const auto rows = static_cast<std::size_t>(of_keys ? shape_.seqlen_kv : shape_.seqlen_q);
    std::vector<std::uint16_t> host(static_cast<std::size_t>(count) * columns);
    const std::size_t offset =
        (static_cast<std::size_t>(plane) * rows + static_cast<std::size_t>(first)) * columns;
    micro::check(
        cudaMemcpy(host.data(), from.get() + offset, host.size() * 2, cudaMemcpyDeviceToHost));
    return host;
}

float DeviceProblem::log_sum(int plane, int row) const {
    float value = 0;
    const std::size_t offset =
        static_cast<std::size_t>(plane) * static_cast<std::size_t>(shape_.seqlen_q) +
        static_cast<std::size_t>(row);
    micro::check(cudaMemcpy(&value, lse_.get() + offset, sizeof value, cudaMemcpyDeviceToHost));
    return value;
}

bool DeviceProblem::ends_intact() const {
    std::vector<std::uint16_t> o(kGuard);
    std::vector<std::uint32_t> lse(kGuard);
    micro::check(cudaMemcpy(o.data(), o_.get() + q_.size(), kGuard * 2, cudaMemcpyDeviceToHost));
    micro::check(cudaMemcpy(lse.data(), lse_.get() + lse_.size() - kGuard, kGuard * 4,
                            cudaMemcpyDeviceToHost));
    return std::all_of(o.begin(), o.end(), [](auto word) { return word == 0xffffU; }) &&
           std::all_of(lse.begin(), lse.end(), [](auto word) { return word == 0xffffffffU; });
}

int grid_size(const Kernel& kernel, const Arguments& arguments, bool persistent, int sms) {
    const int tiles = persistent ? std::min(arguments.tiles, sms / kernel.ctas) : arguments.tiles;
    return tiles * kernel.ctas;
}

void prepare(const Kernel& kernel) {
    micro::check(cudaFuncSetAttribute(kernel.function, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                      kernel.shared_bytes));
}

double flop(const Shape& shape, int head_dim) {
    const double q = shape.seqlen_q;
    const double kv = shape.seqlen_kv;
    const double mean_keys = shape.causal ? (std::max(0.0, kv - q) + kv) / 2 : kv;
    return 4 * q * mean_keys * head_dim * shape.batch * shape.heads_q;
}

}  // namespace attention
