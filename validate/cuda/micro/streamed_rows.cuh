// A large matrix of 128-byte rows whose every word tells its place, for copies to be checked by.
#pragma once

#include "../common/async.cuh"
#include "../common/stamp.cuh"
#include "../common/tensor_map.hpp"
#include "../common/wgmma_layout.cuh"

namespace micro {

__host__ __device__ constexpr unsigned row_word(unsigned row, unsigned word) {
    return (row * 32 + word) * 2654435761U + 1;
}

static __global__ void fill_rows(unsigned* matrix, std::size_t rows) {
    const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
    for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
         i < rows * 32; i += step) {
        matrix[i] = row_word(static_cast<unsigned>(i / 32), static_cast<unsigned>(i % 32));
    }
}

class StreamedRows {
  public:
    explicit StreamedRows(std::size_t rows) : rows_(rows), words_(rows * 32) {
        fill_rows<<<4096, 256>>>(words_.get(), rows);
        check_launch();
        check(cudaDeviceSynchronize());
    }
    [[nodiscard]] std::size_t rows() const { return rows_; }
    [[nodiscard]] CUtensorMap map(unsigned box_rows) const {
        return row_box_map(words_.get(), rows_, box_rows);
    }
    [[nodiscard]] std::vector<unsigned> host() const { return words_.host(); }

  private:
    std::size_t rows_;
    DeviceArray<unsigned> words_;
};

// Words of a swizzled box that differ from those of the rows starting at `first_row`, counted by
// the calling threads together.
__device__ inline unsigned wrong_words(const unsigned char* box, unsigned rows, unsigned first_row,
                                       unsigned thread, unsigned threads) {
    unsigned wrong = 0;
    for (unsigned i = thread; i < rows * 32; i += threads) {
        const unsigned got = *reinterpret_cast<const unsigned*>(box + swizzled(i / 32, i % 32 * 4));
        wrong += got != row_word(first_row + i / 32, i % 32);
    }
    return wrong;
}

}  // namespace micro
