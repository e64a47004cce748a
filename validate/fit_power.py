#!/usr/bin/env python3
"""Fits the energies of hw_specs' `power` group to measured draws, by least squares of relative errors.

    validate/fit_power.py build/release/bin/warpline

Reads what micro/power.cu measured (validate/measured/micro/h200_power*.csv: loads that keep one unit busy) and
the back-to-back rows of the project's own Hopper kernel, whose rates of work the model gives. HBM's energy
stays as given: hardly any row sees it. Prints the constants and every row's error.
"""
import csv
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SMS = 132
HBM = 50.0  # pJ/B
REFERENCE = 1760.0  # MHz, by the driver
LIMIT = 660.0  # W by the energy counter while the power limit holds the clock (NVML's reading says 690)
NAMES = ["static W", "tensor pJ/FLOP", "smem pJ/B", "L2 pJ/B", "pJ/warp instruction", "exponent"]
START = [120.0, 0.6, 3.0, 25.0, 300.0, 1.5]
KINDS = ["flop", "smem", "l2", "instruction"]
# Lane operations of a link of each chain; 32 lanes make an instruction.
LINKS = {"fma": 1, "fma_ex2": 3, "fma_max": 2, "fma_convert": 3, "logic": 3}


def micro_rows(path):
    """(name, driver's clock, watts, 1e12 a second of each kind, HBM's 1e12 B/s)"""
    loads = {}
    for row in csv.DictReader(open(path)):
        name = row["constant"].removeprefix("power_")
        kind = re.match(r"(clock|rate)_", name)
        load = loads.setdefault(name[kind.end():] if kind else name, {})
        load[kind.group(1) if kind else "watts"] = float(row["value"])
        load["driver"] = float(row["sm_clock_mhz"])
    for name, load in loads.items():
        total = load["rate"] * SMS * load["clock"] * 1e-6
        work = dict.fromkeys(KINDS, 0.0)
        product = re.match(r"wgmma_n(\d+)_(ss|rs)_random", name)
        if product:
            n = int(product.group(1))
            operands = n * 32 + (2048 if product.group(2) == "ss" else 0)
            work.update(flop=total, smem=total * operands / (2 * 64 * n * 16))
        elif name in LINKS:
            work["instruction"] = LINKS[name] * total / 32
        elif name == "shared_loads":
            work.update(smem=total, instruction=total / 512)
        elif name == "l2_bulk_copies":
            work.update(l2=total, smem=total)
        elif name != "asleep":
            continue  # zeros draw little, and loads from HBM cross more than their name says
        yield f"{path.stem} {name}", load["driver"], load["watts"], work, 0.0


def kernel_rows(warpline):
    unit = {"static": "0W", "sustained": "99999W", "reference_clock": "1000MHz", "clock_exponent": "0x",
            "tensor_flop": "1pJ/FLOP", "smem_byte": "1pJ/B", "l2_byte": "1pJ/B", "hbm_byte": "1pJ/B",
            "warp_instruction": "1pJ/instruction"}
    for row in csv.DictReader(open(ROOT / "validate/measured/h200_warpline_sm90_fwd.csv")):
        tile = re.match(r"tile (\d+)x(\d+), .*; \d+ W;", row["note"])
        if row["kernel"] != "warpline_sm90_fwd" or not tile:
            continue
        low, high = re.search(r"NVML (\d+) to (\d+)", row["clock_evidence"]).groups()
        command = [warpline, "predict", row["kernel"], "--gpu", row["gpu"], "--head-dim", row["head_dim_qk"],
                   "--batch", row["batch"], "--heads", row["heads_q"], "--seqlen", row["seqlen_q"],
                   "--mask", row["mask"], "--clock", row["sm_clock_mhz"] + "MHz", "--power", "--json"]
        design = {"groups": int(tile.group(1)) // 64, "tile_kv": tile.group(2),
                  "output_buffer": int("O buffer" in row["note"]), "persistent": int("persistent" in row["note"])}
        for name, value in [*((f"hw.power.{k}", v) for k, v in unit.items()), *design.items()]:
            command += ["--set", f"{name}={value}"]
        answer = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        share = answer["time_ms"] / float(row["time_ms"])  # the same work, in the measured time
        rate = {name: watts * share for name, watts in answer["power"]["parts"].items()}
        work = dict(flop=rate["tensor cores"], smem=rate["shared memory"], l2=rate["L2 to SMs"],
                    instruction=rate["instructions"])
        name = f"warpline_sm90_fwd {row['version']} {row['seqlen_q']}"
        yield name, (float(low) + float(high)) / 2, LIMIT, work, rate["HBM"]


def watts(x, row):
    _, driver, _, work, hbm = row
    grown = (driver / REFERENCE) ** x[5]
    return x[0] + HBM * hbm + grown * sum(cost * work[kind] for cost, kind in zip(x[1:5], KINDS))


def solve(matrix, right):
    n = len(right)
    rows = [list(line) + [value] for line, value in zip(matrix, right)]
    for i in range(n):
        pivot = max(range(i, n), key=lambda k: abs(rows[k][i]))
        rows[i], rows[pivot] = rows[pivot], rows[i]
        for k in range(n):
            if k != i:
                factor = rows[k][i] / rows[i][i]
                rows[k] = [a - factor * b for a, b in zip(rows[k], rows[i])]
    return [rows[i][n] / rows[i][i] for i in range(n)]


def fit(rows):
    x = list(START)
    for _ in range(50):
        errors = [watts(x, row) / row[2] - 1 for row in rows]
        slopes = []
        for i, value in enumerate(x):
            moved = list(x)
            moved[i] = value * 1.0001
            slopes.append([(watts(moved, row) / row[2] - 1 - e) / 1e-4 for row, e in zip(rows, errors)])
        normal = [[sum(a * b for a, b in zip(p, q)) for q in slopes] for p in slopes]
        step = solve(normal, [-sum(a * e for a, e in zip(p, errors)) for p in slopes])
        x = [value * (1 + max(-0.3, min(0.3, s))) for value, s in zip(x, step)]
    return x


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = ROOT / "validate/measured/micro"
    rows = [*micro_rows(folder / "h200_power.csv"), *micro_rows(folder / "h200_power_repeat.csv"),
            *kernel_rows(sys.argv[1])]
    x = fit(rows)
    for name, value in zip(NAMES, x):
        print(f"{name:22s} {value:8.3f}")
    errors = [watts(x, row) / row[2] - 1 for row in rows]
    for row, error in zip(rows, errors):
        print(f"{row[0]:52s} {row[2]:6.1f} W  {100 * error:+5.1f} %")
    print(f"{len(rows)} rows, mean {100 * sum(map(abs, errors)) / len(rows):.1f} %, "
          f"largest {100 * max(map(abs, errors)):.1f} %")


main()
