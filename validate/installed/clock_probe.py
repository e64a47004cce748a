"""A kernel that leaves, for the SMs it runs on, the cycle counter and the GPU's timer."""
import triton
import triton.language as tl


@triton.jit
def probe(out):
    sm = tl.inline_asm_elementwise("mov.u32 $0, %smid;", "=r,r", [tl.program_id(0)],
                                   dtype=tl.int32, is_pure=False, pack=1)
    cycles = tl.inline_asm_elementwise("mov.u64 $0, %clock64;", "=l,r", [sm], dtype=tl.int64,
                                       is_pure=False, pack=1)
    nanoseconds = tl.inline_asm_elementwise("mov.u64 $0, %globaltimer;", "=l,r", [sm],
                                            dtype=tl.int64, is_pure=False, pack=1)
    tl.store(out + 2 * sm, cycles)
    tl.store(out + 2 * sm + 1, nanoseconds)
