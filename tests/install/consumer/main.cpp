#include "warpline/device/prediction.hpp"
#include "warpline/hardware/load_gpu_spec.hpp"
#include "warpline/pipeline/load_plan.hpp"
#include "warpline/reports/summary.hpp"

#include <iostream>

int main() {
    const auto spec = warpline::load_gpu_spec(DATA_DIR, "b200");
    const auto problem =
        warpline::make_attention({.batch = 4, .seqlen_q = 8192, .seqlen_kv = 8192});
    if (!spec || !problem) {
        return 1;
    }
    const auto plan = warpline::load_plan(DATA_DIR, "fa4_fwd", *spec, *problem);
    const auto prediction =
        plan.and_then([&](const auto& p) { return predict(*spec, p, *problem); });
    std::cout << (prediction ? headline(*prediction) : prediction.error().text()) << '\n';
    return prediction ? 0 : 1;
}
