// Which of softmax's instructions share a pipe or an issue slot?
#include "mixes.cuh"

int main() {
    using namespace micro;
    Bench bench("softmax_mixes");
    measure_mix<Part<Ex2, 1>>(bench, "ex2");
    measure_mix<Part<Fma, 8>>(bench, "8fma");
    measure_mix<Part<Ex2, 1>, Part<Fma, 2>>(bench, "ex2_2fma");
    measure_mix<Part<Ex2, 1>, Part<Fma, 4>>(bench, "ex2_4fma");
    measure_mix<Part<Ex2, 1>, Part<Fma, 6>>(bench, "ex2_6fma");
    measure_mix<Part<Ex2, 1>, Part<Fma, 7>>(bench, "ex2_7fma");
    measure_mix<Part<Ex2, 1>, Part<Fma, 8>>(bench, "ex2_8fma");
    measure_mix<Part<PackBf16x2, 2>>(bench, "2cvt");
    measure_mix<Part<Ex2, 2>, Part<PackBf16x2, 1>>(bench, "2ex2_cvt");
    measure_mix<Part<Ex2, 1>, Part<PackBf16x2, 1>>(bench, "ex2_cvt");
    measure_mix<Part<Ex2, 1>, Part<PackBf16x2, 2>>(bench, "ex2_2cvt");
    measure_mix<Part<Fma, 4>, Part<PackBf16x2, 2>>(bench, "4fma_2cvt");
    measure_mix<Part<Max, 2>>(bench, "2max");
    measure_mix<Part<PackBf16x2, 2>, Part<Max, 2>>(bench, "2cvt_2max");
    measure_mix<Part<Logic, 2>, Part<Max, 2>>(bench, "2lop_2max");
    measure_mix<Part<IntegerAdd, 2>, Part<Max, 2>>(bench, "2iadd_2max");
    measure_mix<Part<IntegerAdd, 2>, Part<Fma, 2>>(bench, "2iadd_2fma");
    measure_mix<Part<IntegerMad, 2>, Part<Fma, 2>>(bench, "2imad_2fma");
    measure_mix<Part<IntegerMad, 2>, Part<Max, 2>>(bench, "2imad_2max");
    measure_mix<Part<Fma, 4>, Part<Max, 2>>(bench, "4fma_2max");
    measure_mix<Part<Ex2, 1>, Part<Max, 2>>(bench, "ex2_2max");
    measure_mix<Part<Ex2, 1>, Part<Rcp, 1>>(bench, "ex2_rcp_add");
    measure_mix<Part<Ex2, 1>, Part<Max, 3>>(bench, "ex2_3max");
    measure_mix<Part<Ex2, 1>, Part<Max, 4>>(bench, "ex2_4max");
    measure_mix<Part<Ex2, 1>, Part<IntegerMad, 2>>(bench, "ex2_2imad");
    measure_mix<Part<Ex2, 1>, Part<IntegerMad, 4>>(bench, "ex2_4imad");
    measure_mix<Part<Ex2, 1>, Part<Fma, 4>, Part<Max, 2>>(bench, "ex2_4fma_2max");
    measure_mix<Part<Ex2, 1>, Part<FmaHalf2, 4>>(bench, "ex2_4hfma2");
    measure_mix<Part<Fma, 8>, Part<Max, 4>>(bench, "8fma_4max");
    measure_mix<Part<Shuffle, 1>>(bench, "shfl");
    measure_mix<Part<Shuffle, 1>, Part<Ex2, 1>>(bench, "shfl_ex2");
    measure_mix<Part<Shuffle, 2>, Part<Max, 2>>(bench, "2shfl_2max");
    measure_mix<Part<Ex2, 2>, Part<Fma, 2>, Part<PackBf16x2, 1>>(bench, "2ex2_2fma_cvt");
    measure_mix<Part<Ex2, 2>, Part<Fma, 2>, Part<PackBf16x2, 1>, Part<Max, 2>>(
        bench, "2ex2_2fma_cvt_2max");
    // Two score elements of a forward softmax: scale-subtract, sum, max, ex2 and half a pack each.
    measure_mix<Part<Ex2, 2>, Part<Fma, 2>, Part<Add, 2>, Part<PackBf16x2, 1>, Part<Max, 2>>(
        bench, "softmax_pair");
}
