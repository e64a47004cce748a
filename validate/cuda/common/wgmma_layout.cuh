// The shared memory layout of matrix operands here: rows of 128 bytes, K-major, the 16-byte chunks
// of each row swizzled over groups of 8 rows.
#pragma once

namespace micro {

inline constexpr int kRowBytes = 128;
// One instruction covers 32 bytes of K; descriptors count in units of 16.
inline constexpr int kSliceBytes = 32;
inline constexpr int kSlices = kRowBytes / kSliceBytes;
inline constexpr unsigned long long kSliceStep = kSliceBytes / 16;

// Byte offset of (row, byte in row) in a tile: the 16-byte chunk index is XORed with the row.
__host__ __device__ constexpr unsigned swizzled(unsigned row, unsigned byte) {
    return row * kRowBytes + (byte ^ (row % 8) * 16);
}

}  // namespace micro
