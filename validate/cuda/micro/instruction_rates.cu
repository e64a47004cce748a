// At what rate does one SM execute each arithmetic instruction, and how long does a dependent
// one wait for its input?
#include "chains.cuh"

int main() {
    using namespace micro;
    Bench bench("instruction_rates");
    measure_instruction<Fma>(bench);
    measure_instruction<Add>(bench);
    measure_instruction<Mul>(bench);
    measure_instruction<Max>(bench);
    measure_instruction<Ex2>(bench);
    measure_instruction<Rcp>(bench);
    measure_instruction<Lg2>(bench);
    measure_instruction<Ex2Half2>(bench);
    measure_instruction<Ex2Bf16x2>(bench);
    measure_instruction<PackBf16x2>(bench);
    measure_instruction<PackHalf2>(bench);
    measure_instruction<PackE4m3x2>(bench);
    measure_instruction<FmaHalf2>(bench);
    measure_instruction<FmaBf16x2>(bench);
    measure_instruction<IntegerAdd>(bench);
    measure_instruction<IntegerMad>(bench);
    measure_instruction<IntegerMax>(bench);
    measure_instruction<Logic>(bench);
    measure_instruction<Shift>(bench);
    measure_instruction<Permute>(bench);
    measure_instruction<Select>(bench);
    measure_instruction<LoadAddress>(bench);
    measure_instruction<FloatCompare>(bench);
    measure_instruction<BitsToPredicates>(bench);
    measure_instruction<Shuffle>(bench);
    measure_instruction<VoteBallot>(bench);
}
