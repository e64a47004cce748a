"""Attention kernels that may be installed, each as name -> make(problem) -> call.

`make` returns a function of no arguments that computes the problem's output, or raises Unsupported
with the reason. Packages are imported only here, when their kernel is asked for.
"""
import importlib

import torch
from torch.nn.functional import scaled_dot_product_attention


class Unsupported(Exception):
    """Why a kernel is left out: it is not installed, or does not take the problem."""


class Problem:
    """Normally distributed inputs, [batch, head, token, head dim]; `inputs` for kernels that want
    [batch, token, head, head dim]. Causal masks end at the last key."""

    def __init__(self, shape, head_dim, causal, dtype=torch.bfloat16, gradients=False):
        self.batch, self.heads_q, self.heads_kv, self.q_len, self.kv_len = shape
        self.head_dim = head_dim
        self.causal = causal
        self.gradients = gradients
        self.q, self.k, self.v = (
            torch.randn(self.batch, heads, length, head_dim, device="cuda", dtype=dtype,
                        requires_grad=gradients)
            for heads, length in ((self.heads_q, self.q_len), (self.heads_kv, self.kv_len),
                                  (self.heads_kv, self.kv_len)))

    @property
    def grouped(self):
        return self.heads_q != self.heads_kv

    @property
    def flop(self):
        keys = (max(0, self.kv_len - self.q_len) + self.kv_len) / 2 if self.causal else self.kv_len
        forward = 4 * self.batch * self.heads_q * self.q_len * keys * self.head_dim
        return 2.5 * forward if self.gradients else forward

    def by_token(self):
        return (x.transpose(1, 2).contiguous().detach().requires_grad_(self.gradients)
                for x in (self.q, self.k, self.v))


def package(name, install=""):
    """The module, or Unsupported with `install`, what would bring it."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name and (name == error.name or name.startswith(error.name + ".")):
            hint = f" ({install} brings it)" if install else ""
            raise Unsupported(f"{name} is not installed{hint}") from error
        raise Unsupported(f"{name} needs {error.name}, which is not installed") from error
    except Exception as error:  # a library that does not load, a GPU that it does not know
        raise Unsupported(f"{name} is installed but cannot be imported: "
                          f"{type(error).__name__}: {error}") from error


def sdpa(which):
    def make(problem):
        attention = package("torch.nn.attention")
        backend = getattr(attention.SDPBackend, which, None)
        if backend is None:
            raise Unsupported(f"this torch has no {which}")
        if problem.causal and problem.q_len != problem.kv_len:
            raise Unsupported("is_causal begins at the first key when lengths differ")

        def call():
            with attention.sdpa_kernel(backend):
                return scaled_dot_product_attention(problem.q, problem.k, problem.v,
                                                    is_causal=problem.causal,
                                                    enable_gqa=problem.grouped)
        return call, (problem.q, problem.k, problem.v), f"torch {torch.__version__} SDPA {which}"
    return make


def flash_attention(module, distributions, install):
    """flash_attn_func of FlashAttention 2 (flash_attn), 3 (flash_attn_interface) or 4
    (flash_attn.cute): tokens before heads, a causal mask that ends at the last key, and the output
    alone or first of a tuple, by version."""
    def make(problem):
        attend = getattr(package(module, install), "flash_attn_func", None)
        if attend is None:
            raise Unsupported(f"{module} has no flash_attn_func: an installation without its "
                              f"kernels, or another package of that name ({install} brings it)")
        q, k, v = problem.by_token()

        def call():
            out = attend(q, k, v, causal=problem.causal)
            return (out[0] if isinstance(out, tuple) else out).transpose(1, 2)
        return call, (q, k, v), version(distributions)
    return make


def flex(problem):
    attention = package("torch.nn.attention.flex_attention")
    shift = problem.kv_len - problem.q_len

    def seen(batch, head, q, k):
        return k <= q + shift

    mask = None
    if problem.causal:
        mask = attention.create_block_mask(seen, None, None, problem.q_len, problem.kv_len)
    compiled = torch.compile(attention.flex_attention, dynamic=False)

    def call():
        return compiled(problem.q, problem.k, problem.v, block_mask=mask,
                        enable_gqa=problem.grouped)
    return call, (problem.q, problem.k, problem.v), f"torch {torch.__version__} FlexAttention"


def triton(problem):
    if problem.gradients:
        raise Unsupported("the Triton kernel here is forward only")
    if problem.head_dim not in (64, 128, 256):
        raise Unsupported("the Triton kernel here takes head dims 64, 128 and 256")
    name = package("triton").__version__
    attend = package("triton_forward").attend
    return (lambda: attend(problem)), (problem.q, problem.k, problem.v), f"triton {name}"


def version(distributions):
    """Name and version of the first that is installed: packages changed their names."""
    metadata = importlib.import_module("importlib.metadata")
    for name in distributions:
        try:
            return f"{name} {metadata.version(name)}"
        except metadata.PackageNotFoundError:
            pass
    return f"{distributions[0]}, unknown version"


# name: (kernel column of the table, make)
BACKENDS = {
    "sdpa-flash": ("fa2", sdpa("FLASH_ATTENTION")),
    "sdpa-cudnn": ("cudnn", sdpa("CUDNN_ATTENTION")),
    "sdpa-efficient": ("efficient", sdpa("EFFICIENT_ATTENTION")),
    "sdpa-math": ("math", sdpa("MATH")),
    "fa2": ("fa2", flash_attention("flash_attn", ("flash-attn",), "pip install flash-attn")),
    "fa3": ("fa3", flash_attention("flash_attn_interface", ("flash-attn-3", "flashattn-hopper"),
                                   "the folder hopper of flash-attention's sources")),
    "fa4": ("fa4", flash_attention("flash_attn.cute", ("flash-attn-4", "fa4", "flash-attn-cute"),
                                   "pip install flash-attn-4")),
    "flex": ("flex", flex),
    "triton": ("triton", triton),
}
