#!/usr/bin/env python3
"""Writes tcgen05.ld/.st wrappers: inline PTX wants one operand per register, spelled out.

usage: gen_tcgen05.py > tcgen05_forms.cuh
"""
import textwrap

FORMS = [("32x32b", n, n) for n in (1, 8, 16, 32, 64, 128)] + [("16x256b", 16, 64)]


def wrap(text):
    return textwrap.fill(text, 99, initial_indent="      ", subsequent_indent="      ",
                         break_long_words=False)


def rows(first, count):
    names = ["%%%d" % i for i in range(first, first + count)]
    return [", ".join(names[i:i + 16]) for i in range(0, count, 16)]


def quoted(lines):
    return ["      \"%s%s\"" % (line, ", " if i + 1 < len(lines) else "")
            for i, line in enumerate(lines)]


def load(shape, num, regs, red):
    name = "tcgen05_ld%s_%s_x%d" % ("_max" if red else "", shape, num)
    extra = ", float& largest" if red else ""
    op = "tcgen05.ld.red.sync.aligned.%s.x%d.max.f32" if red else "tcgen05.ld.sync.aligned.%s.x%d.b32"
    out = ["__device__ __forceinline__ void %s(std::uint32_t (&r)[%d], unsigned address%s) {"
           % (name, regs, extra), "  asm volatile(",
           "      \"%s {\"" % (op % (shape, num))]
    out += quoted(rows(0, regs))
    if red:
        out.append("      \"}, %%%d, [%%%d];\"" % (regs, regs + 1))
    else:
        out.append("      \"}, [%%%d];\"" % regs)
    outputs = ", ".join('"=r"(r[%d])' % i for i in range(regs))
    out.append(wrap(": " + outputs + (', "=f"(largest)' if red else "")))
    out += ['      : "r"(address)', '      : "memory");', "}"]
    return "\n".join(out)


def store(shape, num, regs):
    out = ["__device__ __forceinline__ void tcgen05_st_%s_x%d(unsigned address, "
           "const std::uint32_t (&r)[%d]) {" % (shape, num, regs), "  asm volatile(",
           "      \"tcgen05.st.sync.aligned.%s.x%d.b32 [%%0], {\"" % (shape, num)]
    out += quoted(rows(1, regs))
    out.append("      \"};\"")
    inputs = ", ".join(['"r"(address)'] + ['"r"(r[%d])' % i for i in range(regs)])
    out += [wrap(":: " + inputs), '      : "memory");', "}"]
    return "\n".join(out)


def main():
    print("// Written by gen_tcgen05.py; edit that instead.\n#pragma once\n\n#include <cstdint>\n\n"
          "namespace micro {\n")
    for shape, num, regs in FORMS:
        print(load(shape, num, regs, False) + "\n")
        print(store(shape, num, regs) + "\n")
    print("// The load that also gives the largest of a lane's values; only sm_103 has it.")
    print(load("32x32b", 32, 32, True) + "\n\n}  // namespace micro")


main()
