"""Pipe counters of one launch by Nsight Compute, where it is installed and may read them.

Each problem is run once more under `ncu`; only what the kernel launches is profiled, and several
kernels of one call are added up. The sm__ counters of the tensor and FMA pipes add up an SM's four
sub-partitions (seen on an H200, by kernels whose tensor work is known); the table wants their mean.
"""
import csv
import io
import shutil
import subprocess
import sys

# Column of the measured-row table: metrics that fill it, the first that the GPU has.
METRICS = {
    "mean_active_cycles": ("sm__cycles_active.avg",),
    "tensor_cycles": ("sm__pipe_tensor_cycles_active.avg",
                      "sm__pipe_tensor_op_hmma_cycles_active.avg"),
    "fma_cycles": ("sm__pipe_fma_cycles_active.avg",),
    "xu_warp_instructions": ("sm__inst_executed_pipe_xu.avg",),
}

SUB_PARTITIONS = {"tensor_cycles": 4, "fma_cycles": 4}


class Counters:
    """`problem` says why no counters can be read, or is None."""

    def __init__(self):
        self.problem = None
        self.chosen = {}
        if shutil.which("ncu") is None:
            self.problem = "ncu is not on PATH"
            return
        asked = subprocess.run(["ncu", "--query-metrics"], capture_output=True, text=True)
        known = {line.split()[0] for line in asked.stdout.splitlines() if line[:1].isalpha()}
        for column, names in METRICS.items():
            for name in names:
                if name.split(".")[0] in known:
                    self.chosen[column] = name
                    break
        if not self.chosen:
            self.problem = "ncu knows none of the counters: " + last_line(asked)

    def read(self, arguments):
        """Counters by column for measure.py with these arguments, which launch one problem."""
        command = ["ncu", "--csv", "--page", "raw", "--print-units", "base", "--clock-control",
                   "none", "--profile-from-start", "off", "--metrics",
                   ",".join(self.chosen.values()), sys.executable, *arguments]
        ran = subprocess.run(command, capture_output=True, text=True)
        lines = ran.stdout.splitlines()
        table = [line for line in lines if line.startswith('"')]
        launches = list(csv.DictReader(io.StringIO("\n".join(table))))[1:]  # after the units
        if ran.returncode != 0 or not launches:
            raise RuntimeError("ncu: " + last_line(ran))
        return {column: sum(number(launch[name]) for launch in launches) /
                SUB_PARTITIONS.get(column, 1)
                for column, name in self.chosen.items()}


def number(text):
    return float(text.replace(",", ""))


def last_line(ran):
    lines = (ran.stderr + ran.stdout).strip().splitlines()
    return lines[-1] if lines else f"status {ran.returncode}"
