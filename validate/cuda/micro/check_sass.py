#!/usr/bin/env python3
"""Checks that the timed loops hold the machine instructions they are meant to.

usage: check_sass.py BUILD_DIR     (needs cuobjdump on the path, or named in CUOBJDUMP)

An optimiser that cancels, merges or hoists the timed instruction leaves a program that runs,
verifies and reports a number for something else. Each line below names a program, a pattern of its
kernels' names, an opcode and how often that opcode must at least occur there, for each architecture.
"""
import collections
import os
import re
import subprocess
import sys

CHAIN8 = 32 * 8  # instruction_rates: unroll times chains
MIX = 16         # mixes: slots
EXPECTED = [
    ("instruction_rates", r"3FmaELi8E", "FFMA", CHAIN8),
    ("instruction_rates", r"3AddELi8E", "FADD", CHAIN8),
    ("instruction_rates", r"3MulELi8E", "FMUL", CHAIN8),
    ("instruction_rates", r"3MaxELi8E", "FMNMX", CHAIN8),
    ("instruction_rates", r"3Ex2ELi8E", "MUFU.EX2", CHAIN8),
    ("instruction_rates", r"3RcpELi8E", "MUFU.RCP", CHAIN8),
    ("instruction_rates", r"3Lg2ELi8E", "MUFU.LG2", CHAIN8),
    ("instruction_rates", r"8Ex2Half2ELi8E", "MUFU.EX2.F16", CHAIN8),  # twice that below sm_103
    ("instruction_rates", r"10PackBf16x2ELi8E", "F2FP.BF16", CHAIN8),
    ("instruction_rates", r"10IntegerMadELi8E", "IMAD", CHAIN8),
    ("instruction_rates", r"5LogicELi8E", "LOP3.LUT", CHAIN8),
    ("instruction_rates", r"7ShuffleELi8E", "SHFL.BFLY", CHAIN8),
    ("instruction_rates", r"11LoadAddressELi8E", "LEA.HI", CHAIN8),
    ("instruction_rates", r"12FloatCompareELi8E", "FSETP", 8 * CHAIN8),
    ("instruction_rates", r"12FloatCompareELi8E", "SEL", CHAIN8),
    ("instruction_rates", r"16BitsToPredicatesELi8E", "R2P", CHAIN8),
    ("instruction_rates", r"16BitsToPredicatesELi8E", "SEL", 6 * CHAIN8),
    ("control_rates", r"4turn", "MOV", 31),  # the other moves are IMAD.MOV
    ("control_rates", r"4turn", "IMAD.MOV", 31),
    ("control_rates", r"LinkE0ELi1E", "ISETP", 32),
    ("control_rates", r"LinkE1ELi1E", "BRA", 32 + 1),
    ("control_rates", r"LinkE2ELi1E", "BRA", 32 + 1),
    ("control_rates", r"LinkE3ELi4E", "ELECT", 32 * 4),
    ("issue_arbitration", r"competeIN5micro3FmaE", "FFMA", 64 * 4 * 8),
    ("issue_arbitration", r"competeIN5micro3MaxE", "FMNMX", 64 * 4 * 8),
    ("issue_arbitration", r"competeIN5micro3Ex2E", "MUFU.EX2", 64 * 4 * 8),
    ("issue_arbitration", r"compete", "CS2R", 64),
    ("softmax_mixes", r"3Ex2ELi2E.*3FmaELi2E.*PackBf16x2ELi1E.*3MaxELi2E", "MUFU.EX2", 2 * MIX),
    ("softmax_mixes", r"3Ex2ELi2E.*3FmaELi2E.*PackBf16x2ELi1E.*3MaxELi2E", "FMNMX", 2 * MIX),
    ("softmax_mixes", r"3Ex2ELi2E.*3FmaELi2E.*PackBf16x2ELi1E.*3MaxELi2E", "F2FP.BF16", MIX),
    ("exp2_polynomial", r"run_mix.*Ex2CubicELi8E", "FFMA", 3 * 8 * MIX),
    ("shared_memory", r"6accessILi4ELb0E", "LDS.128", 8),
    ("shared_memory", r"6accessILi4ELb1E", "STS.128", 8),
    ("shared_memory", r"6matrixILb0ELb0E", "LDSM.16.M88.4", 8),
    ("shared_memory", r"6matrixILb1E", "STSM.16.M88.4", 8),
    ("stores", r"one_after_anotherILNS_5StoreE1", "STS", 8),
    ("stores", r"one_after_anotherILNS_5StoreE2", "STS.128", 8),
    ("stores", r"one_after_anotherILNS_5StoreE3", "STSM.16.M88.4", 8),
    ("stores", r"one_after_anotherILNS_5StoreE4", "STG.E.128", 8),
    ("stores", r"another.*ThenE1E", "LDS", 8),
    ("stores", r"another.*ThenE[345]E", "MEMBAR", 8),
    ("stores", r"another.*ThenE3E", "FENCE.VIEW.ASYNC", 8),
    ("stores", r"burstILNS_4MoveE0E", "STG.E.128", 8),
    ("stores", r"burstILNS_4MoveE1E", "LDGSTS.E.BYPASS.128", 8),
    ("stores", r"burstILNS_4MoveE2E", "LDG.E.128", 8),
    ("stores", r"5chase", "LDG.E.64", 8),
    ("tma", r"issue", "UTMALDG.2D", 1),
    ("bytes_in_flight", r"stream", "UTMALDG.2D", 1),
    ("mma_sync", r"multiplyILi4E", "HMMA.16816.F32.BF16", 16 * 4),
    ("mma_sync", r"multiply_besideILi4E", "HMMA.16816.F32.BF16", 16 * 4),
    ("mma_sync", r"multiply_besideILi4E", "FFMA", 16 * 4 * 4),
    ("cp_async", r"copyILi4E", "LDGSTS", 1),
    ("wgmma_bf16", r"Li128ELb0ELi16E", "HGMMA.64x128x16.F32.BF16", 16),
    ("wgmma_bf16", r"Li256ELb1ELi16E", "HGMMA.64x256x16.F32.BF16", 16),
    ("wgmma_e4m3", r"Li128ELb0ELi16E", "QGMMA.64x128x32.F32.E4M3", 16),
    ("wgmma_queue", r"5issueILi64E", "HGMMA.64x64x16.F32.BF16", 32),
    ("wgmma_queue", r"5issueILi128E", "HGMMA.64x128x16.F32.BF16", 32),
    ("wgmma_queue", r"5issueILi256E", "HGMMA.64x256x16.F32.BF16", 32),
    ("wgmma_queue", r"5issue", "CS2R", 32),
    ("smem_arbitration", r"wait_at_port", "LDS", 16),
    ("smem_arbitration", r"BesideE1E", "LDS", 32),
    ("smem_arbitration", r"BesideE2E", "STS", 16),
    ("smem_arbitration", r"BesideE3E", "HGMMA", 16),
    ("wgmma_math", r"Li128ELNS_7ProductE1EN5micro3FmaELi8E", "FFMA", 32 * 8),
    ("wgmma_math", r"Li128ELNS_7ProductE1ENS_14SoftmaxElementELi8E", "MUFU.EX2", 32 * 8),
    ("wgmma_math", r"Li128ELNS_7ProductE1E", "HGMMA.64x128x16.F32.BF16", 1),
    ("wgmma_math", r"Li128ELNS_7ProductE3E", "HMMA.16816.F32.BF16", 1),
    ("wgmma_contention", r"Li64ELb0E.*E2ELb1E", "LDS.128", 16),
    ("barriers", r"mbarrier_self", "SYNCS", 2),
    ("barriers", r"reallocate", "USETMAXREG", 2),
    ("barriers", r"single_stepILNS_4StepE5E", "SYNCS.PHASECHK", 1),
    ("cluster", r"cluster_barrier", "UCGABAR_ARV", 15),
    ("cluster", r"bulk_push", "UBLKCP.S.S", 1),
    ("bulk_reduce", r"6streamILb1E", "UBLKRED.G.S.ADD.F32", 1),
    ("bulk_reduce", r"6streamILb0E", "UBLKCP.G.S", 1),
    ("tpc_sharing", r"6streamILNS_3WayE0E", "UBLKCP.G.S", 1),
    ("tpc_sharing", r"6streamILNS_3WayE1E", "UBLKRED.G.S.ADD.F32", 1),
    ("tpc_sharing", r"6streamILNS_3WayE2E", "UBLKCP.S.G", 1),
    ("tpc_sharing", r"6streamILNS_3WayE3E", "STG.E.128", 8),
    ("tile_traffic", r"5tiles", "UTMALDG.3D", 1),
    ("tile_traffic", r"5tiles", "UTMASTG.3D", 1),
    ("l2_traffic", r"5loads", "UTMALDG.3D", 1),
    ("dsmem_beside", r"pair", "UBLKCP.S.S", 1),
    ("clock_power", r"heavy", "HGMMA.64x256x16.F32.BF16", 16),
    ("packed_rates", r"run_chains.*FmaPackedELi8E", "FFMA2", CHAIN8),
    ("packed_rates", r"run_chains.*AddPackedELi8E", "FADD2", CHAIN8),
    ("packed_rates", r"run_chains.*Max3ELi8E", "FMNMX3", CHAIN8),
    ("tcgen05_mma", r"batch", "UTCHMMA", 8),
    ("tcgen05_contention", r"contend", "UTCHMMA", 8),
    ("tcgen05_moves", r"4moveILi8ELb0E", "LDTM.x8", 8),
    ("tcgen05_moves", r"4moveILi32ELb0ELb0E", "LDTM.x32", 4),
    ("tcgen05_moves", r"4moveILi32ELb0ELb1E", "LDTM.x32", 8),
    ("tcgen05_moves", r"4moveILi64ELb0ELb0ELb.ELb0E", "LDTM.x64", 2),
    ("tcgen05_moves", r"4moveILi32ELb1E", "STTM.x32", 8),
    ("tcgen05_moves", r"4moveILi64ELb0ELb0ELb.ELb1E", "LDTM", 2),
    ("tcgen05_moves", r"4moveILi64ELb1ELb0ELb.ELb1E", "STTM", 8),
    ("tcgen05_moves", r"round_tripILNS_4StepE2E", "UTCCP.T.S", 16),
    ("tcgen05_ld_red", r"readILb1E", "LDTM.STAT.x32.MAX.F32", 4),
    ("tcgen05_ld_red", r"readILb0E", "LDTM.x32", 4),
]


def kernels(binary):
    tool = os.environ.get("CUOBJDUMP", "cuobjdump")
    text = subprocess.run([tool, "-sass", binary], check=True, capture_output=True, text=True)
    found = collections.defaultdict(collections.Counter)
    arch = name = None
    for line in text.stdout.splitlines():
        if match := re.match(r"arch = (\S+)", line):
            arch, name = match.group(1), None
        elif match := re.search(r"Function : (\S+)", line):
            name = f"{arch} {match.group(1)}"
        elif name and (match := re.match(r"\s+/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\w+ )?(\S+)", line)):
            found[name][match.group(1).rstrip(";")] += 1
    return found


def main():
    folder = sys.argv[1]
    bad = 0
    dumps = {}
    for program, pattern, opcode, least in EXPECTED:
        path = os.path.join(folder, program)
        if not os.path.exists(path):
            continue
        if program not in dumps:
            dumps[program] = kernels(path)
        hits = [count for name, count in dumps[program].items() if re.search(pattern, name)]
        counts = [sum(n for op, n in hit.items() if op.startswith(opcode)) for hit in hits]
        good = bool(counts) and min(counts) >= least
        bad += not good
        print(f"{'ok' if good else 'BAD'} {program} {pattern} {opcode} {counts} (at least {least})")
    sys.exit(1 if bad else 0)


main()
