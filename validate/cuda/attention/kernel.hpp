// Compiled kernels as the host sees them.
#pragma once

#include "options.hpp"
#include "problem.hpp"

#include <string>
#include <vector>

namespace attention {

struct Kernel {
    std::string name;
    Options options;
    void (*launch)(const Arguments& arguments, int grid);
    const void* function;
};

// By head dim, one translation unit each, for the sake of compile time.
std::vector<Kernel> sm90_head_dim_64();
std::vector<Kernel> sm90_head_dim_128();
std::vector<Kernel> sm90_head_dim_256();
// Variations of one switch at a time, and of tiles.
std::vector<Kernel> sm90_ablations();

}  // namespace attention
