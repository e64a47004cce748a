"""Timed launches and the SM clock they ran at.

The clock is the SMs' own: a probe before and after each launch reads every SM's cycle counter and
the GPU's timer. NVML's clock is noted beside it: it was seen to read 9 to 21 % higher than what the
SMs of an H200 counted.
"""
import statistics
import time

import torch


class Timing:
    def __init__(self, times_ms, clocks_mhz, nvml_mhz, watts):
        self.times_ms = times_ms
        self.clocks_mhz = clocks_mhz  # of each launch; empty where they cannot be read
        self.nvml_mhz = nvml_mhz
        self.watts = watts

    @property
    def moved(self):
        """How far apart the 5th and the 95th percentile of the clock are, over the median."""
        ordered = sorted(self.clocks_mhz or self.nvml_mhz)
        last = len(ordered) - 1
        low, high = ordered[round(0.05 * last)], ordered[round(0.95 * last)]
        return (high - low) / max(1, statistics.median(ordered))


class Probe:
    """Reads the SMs' counters; None of it without Triton."""

    def __init__(self, readings):
        sms = torch.cuda.get_device_properties(0).multi_processor_count
        self.blocks = 4 * sms
        self.read = torch.zeros(readings, sms, 2, dtype=torch.int64, device="cuda")
        self.kernel = probe_kernel()

    def take(self, reading):
        if self.kernel is not None:
            self.kernel[(self.blocks,)](self.read[reading], num_warps=1)

    def clocks_mhz(self):
        """Median over the SMs between the first and second of each two readings."""
        if self.kernel is None:
            return []
        read = self.read.cpu().double()
        spans = read[1::2] - read[0::2]
        cycles, nanoseconds = spans[..., 0], spans[..., 1].clamp(min=1)
        return (1e3 * cycles / nanoseconds).median(dim=1).values.tolist()


def probe_kernel():
    try:
        from clock_probe import probe
    except ImportError:
        return None
    return probe


def warm_up(call, seconds):
    """Launches for `seconds`; returns how long one takes."""
    start = time.monotonic()
    launches = 0
    while launches == 0 or time.monotonic() - start < seconds:
        call()
        torch.cuda.synchronize()
        launches += 1
    begin = time.monotonic()
    call()
    torch.cuda.synchronize()
    return time.monotonic() - begin


def measure(call, options):
    launch_s = warm_up(call, options.warm_up)
    count = max(20, min(1000, int(options.seconds / launch_s)))
    cache = torch.cuda.get_device_properties(0).L2_cache_size
    flush = torch.empty(2 * cache if options.flush_l2 else 0, dtype=torch.uint8, device="cuda")
    probe = Probe(2 * count)
    probe.take(0)  # compiles it
    begins, ends = ([torch.cuda.Event(enable_timing=True) for _ in range(count)] for _ in "be")
    clocks, watts = [], []
    for launch, (begin, end) in enumerate(zip(begins, ends)):
        if options.flush_l2:
            flush.fill_(launch % 256)
        probe.take(2 * launch)
        begin.record()
        call()
        end.record()
        probe.take(2 * launch + 1)
        if options.rest > 0:
            torch.cuda.synchronize()
            time.sleep(options.rest * launch_s)
    while True:
        clocks.append(torch.cuda.clock_rate())
        watts.append(torch.cuda.power_draw() / 1000)
        if ends[-1].query():
            break
    torch.cuda.synchronize()
    times = [begin.elapsed_time(end) for begin, end in zip(begins, ends)]
    return Timing(times, probe.clocks_mhz(), clocks, watts)
