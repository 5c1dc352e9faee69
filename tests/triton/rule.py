"""The gated delta rule in Triton, compiled ahead of time for gfx906: no GPU is needed.

    python rule.py DIR      writes DIR/right.hsaco and DIR/wrong.hsaco (beta forgotten)

A program has one sequence, one value head and VALUES of its value channels, whose state it keeps in registers over all tokens:
    S = exp(g) S,  e = beta (v - S^T k),  S = S + k e^T,  o = scale S^T q
Rows of the state are key channels; its strides are arguments, so that it may stand either way in memory. bind.toml has the launch.
"""
import sys
from pathlib import Path

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

# As in bind.toml. How much of the LDS is used is the compiler's affair: 512 bytes by Triton 3.9.0.
WARPS, LDS = 1, 4096


@triton.jit
def gated_delta_rule(q, k, v, g, beta, initial, o, final, T, H, HV, K, V, tiled, has_initial, key_stride, value_stride, scale,
                     KEYS: tl.constexpr, VALUES: tl.constexpr, FORGET_BETA: tl.constexpr):
    hv = tl.program_id(1)
    b = tl.program_id(2)
    h = hv % H if tiled != 0 else hv // (HV // H)
    keys = tl.arange(0, KEYS)
    values = tl.program_id(0) * VALUES + tl.arange(0, VALUES)
    of_keys, of_values = keys < K, values < V
    cells = (b * HV + hv) * K * V + keys[:, None] * key_stride + values[None, :] * value_stride
    inside = of_keys[:, None] & of_values[None, :]
    state = tl.zeros([KEYS, VALUES], dtype=tl.float32)
    if has_initial != 0:
        state = tl.load(initial + cells, mask=inside, other=0.0)
    for t in range(T):
        token = b * T + t
        query = tl.load(q + (token * H + h) * K + keys, mask=of_keys, other=0.0)
        key = tl.load(k + (token * H + h) * K + keys, mask=of_keys, other=0.0)
        value = tl.load(v + (token * HV + hv) * V + values, mask=of_values, other=0.0)
        state *= tl.exp(tl.load(g + token * HV + hv))
        error = value - tl.sum(state * key[:, None], axis=0)
        if not FORGET_BETA:
            error *= tl.load(beta + token * HV + hv)
        state += key[:, None] * error[None, :]
        output = tl.sum(state * query[:, None], axis=0) * scale
        tl.store(o + (token * HV + hv) * V + values, output, mask=of_values)
    tl.store(final + cells, state, mask=inside)


def compiled(forget_beta):
    tensors = ["q", "k", "v", "g", "beta", "initial", "o", "final"]
    integers = ["T", "H", "HV", "K", "V", "tiled", "has_initial", "key_stride", "value_stride"]
    constants = {"KEYS": 128, "VALUES": 16, "FORGET_BETA": forget_beta}
    signature = {
        **{name: "*fp32" for name in tensors},
        **{name: "i32" for name in integers},
        "scale": "fp32",
        **{name: "constexpr" for name in constants},
    }
    names = list(signature)
    constants = {(names.index(name),): value for name, value in constants.items()}
    source = ASTSource(fn=gated_delta_rule, signature=signature, constexprs=constants)
    kernel = triton.compile(source, target=GPUTarget("hip", "gfx906", 64), options={"num_warps": WARPS})
    # What bind.toml says of the launch is what Triton's own launcher would do.
    metadata = kernel.metadata
    if metadata.shared > LDS:
        sys.exit(f"the kernel needs {metadata.shared} bytes of LDS: raise LDS here and dynamic_lds in bind.toml")
    if metadata.global_scratch_size or metadata.profile_scratch_size:
        sys.exit("the kernel needs scratch of Triton's: bind.toml hands it null")
    return kernel.asm["hsaco"]


if __name__ == "__main__":
    directory = Path(sys.argv[1])
    directory.mkdir(parents=True, exist_ok=True)
    for name, forget_beta in [("right", False), ("wrong", True)]:
        (directory / f"{name}.hsaco").write_bytes(compiled(forget_beta))
