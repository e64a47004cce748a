#!/usr/bin/env python3
"""Writes the wgmma wrappers: inline PTX wants one operand per accumulator register, spelled out.

usage: gen_wgmma.py bf16|e4m3 > wgmma_<type>.cuh
       gen_wgmma.py attention > ../attention/wgmma_attention.cuh
"""
import sys
import textwrap

TYPES = {
    "bf16": ("k16", "bf16.bf16", ", 0, 0", ", 0"),
    "e4m3": ("k32", "e4m3.e4m3", "", ""),
}
WIDTHS = (8, 16, 32, 64, 96, 128, 192, 256)


def wrap(text, indent):
    return textwrap.fill(text, 99, initial_indent=indent, subsequent_indent=indent,
                         break_long_words=False)


def form(kind, n, a_in_registers):
    k, types, trans_ss, trans_rs = TYPES[kind]
    regs = n // 2
    if a_in_registers:
        a = "{%%%d, %%%d, %%%d, %%%d}" % tuple(range(regs, regs + 4))
        b, p, trans = regs + 4, regs + 5, trans_rs
        inputs = '"r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "n"(1)'
        params = "const std::uint32_t (&a)[4], std::uint64_t b"
    else:
        a, b, p, trans = "%%%d" % regs, regs + 1, regs + 2, trans_ss
        inputs = '"l"(a), "l"(b), "n"(1)'
        params = "std::uint64_t a, std::uint64_t b"
    acc = ["%%%d" % i for i in range(regs)]
    rows = [", ".join(acc[i:i + 16]) for i in range(0, regs, 16)]
    lines = ['"{ .reg .pred p; setp.ne.b32 p, %%%d, 0;\\n"' % p,
             '"wgmma.mma_async.sync.aligned.m64n%d%s.f32.%s {"' % (n, k, types)]
    lines += ['"%s%s"' % (row, "," if i + 1 < len(rows) else "") for i, row in enumerate(rows)]
    lines.append('"}, %s, %%%d, p, 1, 1%s; }"' % (a, b, trans))
    outputs = ", ".join('"+f"(d[%d])' % i for i in range(regs))
    head = "__device__ __forceinline__ void wgmma_%s(float (&d)[%d]," % (kind, regs)
    return "\n".join([
        head,
        " " * (head.index("(") + 1) + params + ") {",
        "  asm volatile(",
        "\n".join("      " + line for line in lines),
        wrap(": " + outputs, "      "),
        "      : %s);" % inputs,
        "}",
    ])


def attention_form(name, n, accumulate, operands, inputs, transposed):
    """One product of attention: scores (both operands from shared memory, K-major) or outputs (A
    from registers, B read across its rows)."""
    regs = n // 2
    k, types, _, _ = TYPES["bf16"]
    a = "{%s}" % ", ".join("%%%d" % i for i in range(regs, regs + 4)) if transposed else "%%%d" % regs
    b = regs + (4 if transposed else 1)
    acc = ["%%%d" % i for i in range(regs)]
    rows = [", ".join(acc[i:i + 16]) for i in range(0, regs, 16)]
    lines = ['"{ .reg .pred p; setp.ne.b32 p, %d, 0;\\n"' % int(accumulate),
             '"wgmma.mma_async.sync.aligned.m64n%d%s.f32.%s {"' % (n, k, types)]
    lines += ['"%s%s"' % (row, "," if i + 1 < len(rows) else "") for i, row in enumerate(rows)]
    lines.append('"}, %s, %%%d, p, 1, 1, %s; }"' % (a, b, "1" if transposed else "0, 0"))
    constraint = '"+f"' if accumulate else '"=f"'
    outputs = ", ".join("%s(d[%d])" % (constraint, i) for i in range(regs))
    head = "__device__ __forceinline__ void %s(float (&d)[%d]," % (name, regs)
    return "\n".join([
        head,
        " " * (head.index("(") + 1) + operands + ") {",
        "  asm volatile(",
        "\n".join("      " + line for line in lines),
        wrap(": " + outputs, "      "),
        "      : %s);" % inputs,
        "}",
    ])


def attention():
    print("// Written by gen_wgmma.py attention; edit that instead.\n"
          "#pragma once\n\n#include <cstdint>\n\nnamespace attention {\n")
    print("// The products of one warpgroup; the overload follows the accumulator count, N / 2.\n"
          "// begin_scores: d = a * b, add_scores: d += a * b; a 64 x 16 and b N x 16, both K-major\n"
          "// tiles in shared memory (descriptors).")
    shared = ("std::uint64_t a, std::uint64_t b", '"l"(a), "l"(b)')
    for n in range(64, 193, 16):
        print(attention_form("begin_scores", n, False, *shared, False) + "\n")
        print(attention_form("add_scores", n, True, *shared, False) + "\n")
    print("// d += a * b; a 64 x 16 in registers, b 16 x N in shared memory, row by row.")
    registers = ("const std::uint32_t (&a)[4], std::uint64_t b",
                 '"r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b)')
    for n in (64, 96, 128, 192, 256):
        print(attention_form("add_outputs", n, True, *registers, True) + "\n")
    print("}  // namespace attention")


def main():
    kind = sys.argv[1]
    if kind == "attention":
        attention()
        return
    print("// Written by gen_wgmma.py %s; edit that instead." % kind)
    print("#pragma once\n\n#include <cstdint>\n\nnamespace micro {\n")
    print("// d += a * b for one warpgroup: a from shared memory (descriptor) or registers, b from\n"
          "// shared memory. The overload follows the accumulator count, N / 2.")
    for n in WIDTHS:
        for a_in_registers in (False, True):
            print(form(kind, n, a_in_registers) + "\n")
    print("}  // namespace micro")


main()
