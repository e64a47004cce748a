"""A plain attention forward kernel in Triton: online softmax over blocks of keys.

It is here because the triton package brings no attention kernel of its own, and Triton's compiler
is what a user wants to see beside the others.
"""
import torch
import triton
import triton.language as tl

CONFIGURATIONS = [
    triton.Config({"ROWS": rows, "KEYS": keys}, num_warps=warps, num_stages=stages)
    for rows, keys, warps, stages in ((128, 128, 8, 2), (128, 64, 8, 3), (128, 64, 4, 3),
                                      (64, 64, 4, 3), (64, 32, 4, 2))
]


@triton.jit
def block_of_keys(q, k_tile, v_tile, scale, rows, first, shift, length, top, total, out,
                  COLUMNS: tl.constexpr, KEYS: tl.constexpr, MASKED: tl.constexpr,
                  CAUSAL: tl.constexpr):
    """One step: the scores of KEYS keys from `first` on, into the running maximum, sum, output."""
    keys = first + tl.arange(0, KEYS)
    columns = tl.arange(0, COLUMNS)
    inside = keys[:, None] < length
    place = keys[:, None] * COLUMNS + columns[None, :]
    if MASKED:
        k = tl.load(k_tile + place, mask=inside, other=0.0)
        v = tl.load(v_tile + place, mask=inside, other=0.0)
    else:
        k = tl.load(k_tile + place)
        v = tl.load(v_tile + place)
    scores = tl.dot(q, tl.trans(k)) * scale
    if MASKED:
        seen = keys[None, :] < length
        if CAUSAL:
            seen = seen & (keys[None, :] <= rows[:, None] + shift)
        scores = tl.where(seen, scores, -float("inf"))
    higher = tl.maximum(top, tl.max(scores, 1))
    base = tl.where(higher == -float("inf"), 0.0, higher)
    weights = tl.exp2(scores - base[:, None])
    factor = tl.exp2(top - base)
    total = total * factor + tl.sum(weights, 1)
    out = tl.dot(weights.to(v.dtype), v, out * factor[:, None])
    return higher, total, out


@triton.autotune(configs=CONFIGURATIONS, key=["q_len", "kv_len", "COLUMNS", "CAUSAL"])
@triton.jit
def forward(q_at, k_at, v_at, out_at, scale, q_len, kv_len, heads_q, heads_kv,
            COLUMNS: tl.constexpr, CAUSAL: tl.constexpr, ROWS: tl.constexpr, KEYS: tl.constexpr):
    plane = tl.program_id(1)
    kv_plane = plane // heads_q * heads_kv + plane % heads_q // (heads_q // heads_kv)
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    columns = tl.arange(0, COLUMNS)
    place = plane.to(tl.int64) * q_len * COLUMNS + rows[:, None] * COLUMNS + columns[None, :]
    q = tl.load(q_at + place, mask=rows[:, None] < q_len, other=0.0)
    k_tile = k_at + kv_plane.to(tl.int64) * kv_len * COLUMNS
    v_tile = v_at + kv_plane.to(tl.int64) * kv_len * COLUMNS
    top = tl.full([ROWS], -float("inf"), tl.float32)
    total = tl.zeros([ROWS], tl.float32)
    out = tl.zeros([ROWS, COLUMNS], tl.float32)
    shift = kv_len - q_len
    # Keys that every row sees need no mask.
    whole = kv_len
    end = kv_len
    if CAUSAL:
        whole = tl.maximum(0, tl.minimum(kv_len, tl.program_id(0) * ROWS + shift + 1))
        end = tl.maximum(0, tl.minimum(kv_len, (tl.program_id(0) + 1) * ROWS + shift))
    whole = whole // KEYS * KEYS
    for first in range(0, whole, KEYS):
        top, total, out = block_of_keys(q, k_tile, v_tile, scale, rows, first, shift, kv_len, top,
                                        total, out, COLUMNS, KEYS, False, CAUSAL)
    for first in range(whole, end, KEYS):
        top, total, out = block_of_keys(q, k_tile, v_tile, scale, rows, first, shift, kv_len, top,
                                        total, out, COLUMNS, KEYS, True, CAUSAL)
    out = out / tl.where(total == 0.0, 1.0, total)[:, None]
    tl.store(out_at + place, out.to(out_at.dtype.element_ty), mask=rows[:, None] < q_len)


def attend(problem):
    q, k, v = problem.q, problem.k, problem.v
    out = torch.empty_like(q)
    log2_e = 1.4426950408889634
    scale = problem.head_dim ** -0.5 * log2_e

    def grid(chosen):
        return triton.cdiv(problem.q_len, chosen["ROWS"]), problem.batch * problem.heads_q

    forward[grid](q, k, v, out, scale, problem.q_len, problem.kv_len, problem.heads_q,
                  problem.heads_kv, COLUMNS=problem.head_dim, CAUSAL=problem.causal)
    return out
