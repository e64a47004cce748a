#!/usr/bin/env python3
"""What validate/installed says and computes, without PyTorch, a GPU or a profiler.

usage: installed_test.py SOURCE_DIR
"""
import os
import stat
import sys
import tempfile
import types
import unittest

sys.path.insert(0, os.path.join(sys.argv.pop(1), "validate", "installed"))
for name in ("torch", "torch.nn", "torch.nn.functional"):  # backends.py needs no more than these
    sys.modules[name] = types.ModuleType(name)
sys.modules["torch"].bfloat16 = None
sys.modules["torch.nn.functional"].scaled_dot_product_attention = None

import backends  # noqa: E402
from counters import Counters  # noqa: E402

TENSOR = "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active"
FMA = "sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_active"
# Two launches: 1000 and 3000 active cycles, tensor pipes busy for 60 and 20 %, FMA pipes for 25.
PROFILER = f"""#!/bin/sh
case $1 in --query-metrics)
  printf '%s Counter\\n' sm__cycles_active sm__pipe_tensor_cycles_active \
    sm__pipe_fma_cycles_active sm__inst_executed_pipe_xu;;
*)
  echo '==PROF== Connected'
  echo '"ID","sm__cycles_active.avg","{TENSOR}","{FMA}","sm__inst_executed_pipe_xu.avg"'
  echo '"","cycle","%","%","inst"'
  echo '"0","1,000","60","25","64"'
  echo '"1","3,000","20","25","8"';;
esac
"""


class Pipes(unittest.TestCase):
    def counters(self, script):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = os.path.join(folder.name, "ncu")
        with open(path, "w") as file:
            file.write(script)
        os.chmod(path, stat.S_IRWXU)
        before = os.environ["PATH"]
        self.addCleanup(os.environ.__setitem__, "PATH", before)
        os.environ["PATH"] = folder.name + os.pathsep + before
        return Counters()

    def test_shares_become_cycles_of_one_pipe(self):
        counters = self.counters(PROFILER)
        self.assertIsNone(counters.problem)
        self.assertEqual(counters.chosen["tensor_cycles"], TENSOR)
        found = counters.read(["measure.py"])
        self.assertAlmostEqual(found["mean_active_cycles"], 4000)
        self.assertAlmostEqual(found["tensor_cycles"], 600 + 600)
        self.assertAlmostEqual(found["fma_cycles"], 2 * (250 + 750))  # both halves
        self.assertAlmostEqual(found["xu_warp_instructions"], 72)

    def test_a_profiler_that_fails_is_quoted(self):
        counters = self.counters(PROFILER.replace("echo '==PROF== Connected'",
                                                  "echo no permission >&2; exit 1"))
        with self.assertRaisesRegex(RuntimeError, "ncu: no permission"):
            counters.read(["measure.py"])
        self.assertIn("knows none", self.counters("#!/bin/sh\nexit 0\n").problem)


class Backends(unittest.TestCase):
    def refusal(self, kernel):
        with self.assertRaises(backends.Unsupported) as caught:
            backends.BACKENDS[kernel][1](None)
        return str(caught.exception)

    def module(self, name, **content):
        sys.modules[name] = types.ModuleType(name)
        sys.modules[name].__dict__.update(content)
        self.addCleanup(sys.modules.pop, name, None)

    def test_what_is_not_installed_is_named_with_what_brings_it(self):
        self.assertEqual(self.refusal("fa2"),
                         "flash_attn is not installed (pip install flash-attn brings it)")
        self.assertEqual(self.refusal("fa4"),
                         "flash_attn.cute is not installed (pip install flash-attn-4 brings it)")
        self.assertIn("hopper", self.refusal("fa3"))

    def test_an_installation_without_the_function_is_named(self):
        self.module("flash_attn")
        self.assertIn("flash_attn has no flash_attn_func", self.refusal("fa2"))

    def test_outputs_come_alone_or_first(self):
        class Tensor:
            def transpose(self, *axes):
                return axes

        class Problem:
            causal = True

            def by_token(self):
                return "q", "k", "v"

        for answer in (Tensor(), (Tensor(), "lse")):
            self.module("flash_attn_interface",
                        flash_attn_func=lambda q, k, v, causal, out=answer: out)
            call, leaves, version = backends.BACKENDS["fa3"][1](Problem())
            self.assertEqual(call(), (1, 2))
            self.assertEqual(leaves, ("q", "k", "v"))
            self.assertEqual(version, "flash-attn-3, unknown version")


if __name__ == "__main__":
    unittest.main()
