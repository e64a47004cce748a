// Compiled kernels as the host sees them, whatever GPU they are for.
#pragma once

#include "problem.hpp"

#include <string>
#include <utility>
#include <vector>

namespace attention {

struct Kernel {
    std::string name;
    std::string pipeline;  // id of its file in pipelines/
    int capability;        // compute capability it is for, times ten; 100 runs on 103, too
    int head_dim;
    bool causal;
    int tile_rows;       // queries of the tile of a CTA, or of a cluster
    int query_box_rows;  // of one copy of Q or O
    int tile_kv;         // keys of a step, and of one copy of V
    int key_box_rows;    // of one copy of K
    int ctas = 1;        // of a cluster
    int threads;
    int shared_bytes;
    std::string switches;                               // what it was compiled with, in words
    std::vector<std::pair<std::string, int>> settings;  // parameters of the pipeline file
    bool timeline;                                      // roles stamp what they do
    std::vector<std::string> roles;                     // that stamp, in the order of records
    bool overlap;  // PV of a block is issued after QK of the next
    void (*launch)(const Arguments& arguments, int grid);
    const void* function;
};

// By head dim, one translation unit each, for the sake of compile time.
std::vector<Kernel> sm90_head_dim_64();
std::vector<Kernel> sm90_head_dim_128();
std::vector<Kernel> sm90_head_dim_256();
// Variations of one switch at a time, and of tiles.
std::vector<Kernel> sm90_ablations();
std::vector<Kernel> sm100_kernels();

}  // namespace attention
