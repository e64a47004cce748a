// Fresh random inputs, made on the GPU: a large problem has hundreds of millions of elements.
#pragma once

#include <cstddef>
#include <cstdint>

namespace attention {

// Normally distributed bf16 values (mean 0, deviation 1), the same for the same seed.
void fill_normal(std::uint16_t* device, std::size_t count, std::uint64_t seed);

}  // namespace attention
