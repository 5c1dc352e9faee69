"""The kernels of kernels.py, compiled ahead of time for gfx906 and run on NumPy arrays: no torch, no driver.

    python ahead.py
"""
import math
import sys

import deltanet_check
import kernels
import numpy as np
import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

WARPS = 4


def bf16(values):
    """The upper halves of f32, rounded to the nearest, as uint16."""
    bits = values.astype(np.float32).view(np.uint32).astype(np.uint64)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)


def wide(values):
    """bf16 or any float in f64."""
    if values.dtype == np.uint16:
        values = (values.astype(np.uint32) << 16).view(np.float32)
    return values.astype(np.float64)


def launch(kernel, grid, pointers, numbers, constants):
    """Compiles a kernel for types of pointers and numbers, by name, and runs it."""
    signature = {name: f"*{kind}" for name, (kind, _) in pointers.items()}
    signature |= {name: kind for name, (kind, _) in numbers.items()} | {name: "constexpr" for name in constants}
    names = list(kernel.arg_names)
    signature = {name: signature[name] for name in names}
    source = ASTSource(fn=kernel, signature=signature, constexprs={(names.index(name),): value for name, value in constants.items()})
    made = triton.compile(source, target=GPUTarget("hip", "gfx906", 64), options={"num_warps": WARPS})
    arrays = [array for _, array in pointers.values()]
    scalars = [(value, {"fp32": "f32"}.get(kind, kind)) for kind, value in numbers.values()]
    # Behind them Triton's own: scratch, and a profile's scratch.
    deltanet_check.run(made.asm["hsaco"], made.metadata.name, grid, 64 * WARPS, *arrays, *scalars, None, None, shared=made.metadata.shared)


def check(name, got, want, bound):
    error = float(np.abs(wide(got) - want).max())
    print(f"{'ok' if error <= bound else 'WRONG':5}  {name:12}  max error {error:.2e}, bound {bound:.2e}")
    return error <= bound


def main():
    draw = np.random.default_rng(0)
    normal = lambda *shape: draw.normal(size=shape).astype(np.float32)
    good = True

    x, y, out = normal(1000), normal(1000), np.full(1000, np.nan, np.float32)
    launch(kernels.vector_add, 4, {"x": ("fp32", x), "y": ("fp32", y), "out": ("fp32", out)}, {"n": ("i32", 1000)}, {"BLOCK": 256})
    good &= check("vector add", out, (x + y).astype(np.float64), 0)

    x, out = 4 * normal(5, 300), np.full((5, 300), np.nan, np.float32)
    launch(kernels.softmax, 5, {"x": ("fp32", x), "out": ("fp32", out)}, {"columns": ("i32", 300)}, {"BLOCK": 512})
    powers = np.exp(wide(x) - wide(x).max(axis=1, keepdims=True))
    good &= check("softmax", out, powers / powers.sum(axis=1, keepdims=True), 2e-6)

    x, weight, bias, out = normal(5, 300), normal(300), normal(300), np.full((5, 300), np.nan, np.float32)
    tensors = {"x": ("fp32", x), "weight": ("fp32", weight), "bias": ("fp32", bias), "out": ("fp32", out)}
    launch(kernels.layer_norm, 5, tensors, {"columns": ("i32", 300), "eps": ("fp32", 1e-5)}, {"BLOCK": 512})
    centred = wide(x) - wide(x).mean(axis=1, keepdims=True)
    want = centred / np.sqrt((centred**2).mean(axis=1, keepdims=True) + np.float32(1e-5)) * wide(weight) + wide(bias)
    good &= check("layer norm", out, want, 1e-5)

    M, N, K = 50, 40, 100
    for kind, to in [("fp32", lambda values: values), ("fp16", lambda values: values.astype(np.float16)), ("bf16", bf16)]:
        a, b, out = to(normal(M, K)), to(normal(K, N)), np.full((M, N), np.nan, np.float32)
        grid = (math.ceil(M / 32), math.ceil(N / 32))
        tensors = {"a": (kind, a), "b": (kind, b), "out": ("fp32", out)}
        sizes = {"M": ("i32", M), "N": ("i32", N), "K": ("i32", K)}
        launch(kernels.matmul, grid, tensors, sizes, {"BM": 32, "BN": 32, "BK": 32})
        # Sums of K products in f32: K roundings of sums that are no larger than the sum of sizes.
        bound = K * 2**-24 * float((np.abs(wide(a)) @ np.abs(wide(b))).max())
        good &= check(f"matmul {kind}", out, wide(a) @ wide(b), bound)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
