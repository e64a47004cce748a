// One attention problem as the kernel sees it, and how it is cut into tiles.
#pragma once

#include "timeline.hpp"

#include <algorithm>
#include <cuda.h>
#include <cuda_runtime.h>

namespace attention {

// Tensors are [batch][head][token][head dim], contiguous.
struct Shape {
    int batch = 1;
    int heads_q = 1;
    int heads_kv = 1;  // divides heads_q
    int seqlen_q = 1;
    int seqlen_kv = 1;
    bool causal = false;
};

// The SM's cycle counter and the GPU's timer at the beginning and the end of a launch, on one SM:
// together they give the clock that the launch ran at.
struct ClockProbe {
    unsigned long long cycles[2];
    unsigned long long nanoseconds[2];
};

// Passed by value as a kernel parameter, where the copy engine finds its maps.
struct Arguments {
    CUtensorMap q, k, v, o;
    Shape shape;
    int row_tiles;      // of one head
    int section_heads;  // heads launched together under a causal mask
    int tiles;          // of the whole problem
    float scale_log2;   // softmax scale times log2(e)
    float* lse;         // [batch][head][token], natural logarithm; may be null
    ClockProbe* probe;  // may be null
    TimelineView timeline;
};

// One block of query rows of one head.
struct Tile {
    int row;       // first query row
    int plane;     // batch and query head
    int kv_plane;  // batch and key head
    int blocks;    // blocks of keys that some row sees
    int masked;    // of these, the last ones, which not every row sees whole
};

// Tiles of a head are neighbours, so that SMs at work at a time share keys and values in L2. Under
// a causal mask the longest come first, to even out the end; heads whose keys and values fit in L2
// together form a section, lest every head be read again for each row of tiles.
template <int kTileRows, int kTileKeys>
__host__ __device__ inline Tile tile_at(const Arguments& a, int index) {
    const Shape& s = a.shape;
    Tile tile{};
    int keys = s.seqlen_kv;    // that some row of the tile sees
    int common = s.seqlen_kv;  // that every row sees
    if (s.causal) {
        const int planes = s.batch * s.heads_q;
        const int first_plane = index / (a.section_heads * a.row_tiles) * a.section_heads;
        const int left = planes - first_plane;
        const int heads = left < a.section_heads ? left : a.section_heads;
        const int rest = index - first_plane * a.row_tiles;
        tile.row = (a.row_tiles - 1 - rest / heads) * kTileRows;
        tile.plane = first_plane + rest % heads;
        const int last_of_first = tile.row + s.seqlen_kv - s.seqlen_q + 1;
        common = last_of_first < 0 ? 0 : last_of_first < keys ? last_of_first : keys;
        const int last_of_last = last_of_first + kTileRows - 1;
        keys = last_of_last < 0 ? 0 : last_of_last < keys ? last_of_last : keys;
    } else {
        tile.row = index % a.row_tiles * kTileRows;
        tile.plane = index / a.row_tiles;
    }
    tile.kv_plane =
        tile.plane / s.heads_q * s.heads_kv + tile.plane % s.heads_q / (s.heads_q / s.heads_kv);
    tile.blocks = (keys + kTileKeys - 1) / kTileKeys;
    tile.masked = tile.blocks - common / kTileKeys;
    return tile;
}

}  // namespace attention
