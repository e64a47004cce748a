"""Pipe counters of one launch by Nsight Compute, where it is installed and may read them.

Each problem is run once more under `ncu`; only what the kernel launches is profiled, and several
kernels of one call are added up. How many pipes an sm__ counter adds up differs (four, one a
sub-partition, on Hopper); its share of the peak while the SM is active does not, so a pipe's cycles
are that share of the active cycles.
"""
import csv
import io
import shutil
import subprocess
import sys

ACTIVE = "sm__cycles_active.avg"
OF_PEAK = ".pct_of_peak_sustained_active"
# Columns of the measured-row table that are shares of active cycles: metrics that fill them, the
# first that the GPU has, and the pipes that the column counts (the FMA pipe has two halves).
SHARES = {
    "tensor_cycles": (("sm__pipe_tensor_cycles_active.avg",
                       "sm__pipe_tensor_op_hmma_cycles_active.avg"), 1),
    "fma_cycles": (("sm__pipe_fma_cycles_active.avg",), 2),
}
# Those that are counts, per SM.
COUNTS = {
    "mean_active_cycles": (ACTIVE,),
    "xu_warp_instructions": ("sm__inst_executed_pipe_xu.avg",),
}


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
        for column, names in COUNTS.items():
            self.choose(column, names, "", known)
        for column, (names, _) in SHARES.items():
            self.choose(column, names, OF_PEAK, known)
        if not self.chosen:
            self.problem = "ncu knows none of the counters: " + last_line(asked)

    def choose(self, column, names, ending, known):
        for name in names:
            if name.split(".")[0] in known:
                self.chosen[column] = name + ending
                return

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
        totals = {column: 0.0 for column in self.chosen}
        for launch in launches:
            for column, value in cycles_of(launch, self.chosen).items():
                totals[column] += value
        return totals


def cycles_of(launch, chosen):
    """One launch's counters in the units of the table."""
    values = {}
    for column, metric in chosen.items():
        value = number(launch[metric])
        if column in SHARES:
            value *= SHARES[column][1] * number(launch[ACTIVE]) / 100
        values[column] = value
    return values


def number(text):
    return float(text.replace(",", ""))


def last_line(ran):
    lines = (ran.stderr + ran.stdout).strip().splitlines()
    return lines[-1] if lines else f"status {ran.returncode}"
