"""The gated delta rule for PyTorch on an MI50 (gfx906), with the call signature of Flash Linear Attention.

`fused_recurrent_gated_delta_rule` and `chunk_gated_delta_rule` take the arguments of FLA's functions. Both run the scans of
kernels/built/deltanet.co: the chunk form is the same function, and the scan is the faster kernel on this card. A tensor on the card is
handed to the HIP library that torch has loaded. A tensor on the CPU is handed to the emulator of the package `deltanet_check`.

A call that the kernels do not take goes to `fallback`, with a warning that says why. By default this is `reference`.
"""
from __future__ import annotations

import contextlib
import ctypes
import functools
import importlib.util
import os
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

__all__ = ["NotTaken", "chunk_gated_delta_rule", "fused_recurrent_gated_delta_rule", "gated_delta_rule", "reference", "refusal"]

#: The code object. DELTANET_CODE_OBJECT names another place of it.
CODE_OBJECT = Path(os.environ.get("DELTANET_CODE_OBJECT") or Path(__file__).parents[2] / "kernels" / "built" / "deltanet.co")
#: Arguments of FLA that change no result.
_HINTS = {"chunk_indices", "chunk_size", "cu_seqlens_cpu"}
_DTYPES = {torch.float32: "f32", torch.float16: "f16", torch.bfloat16: "bf16"}
_MOST_KEY_CHANNELS = 256
_GRID_LIMIT = 65535
_SIMDS = 240


class NotTaken(ValueError):
    """A call that neither the kernels nor the fallback take. The message says why."""


# An argument of a kernel: a tensor, None for a null pointer, or a number with its type.
_Argument = Tensor | None | tuple[float, str]


class _Emulator:
    """Runs kernels on tensors of the CPU."""

    def launch(self, kernel: str, grid: Sequence[int], block: int, *arguments: _Argument) -> None:
        import deltanet_check

        deltanet_check.run(CODE_OBJECT, kernel, grid, block, *arguments)


class _Card:
    """Runs kernels on tensors of a card, on the current stream of its device.

    Args:
        library: the HIP library. It must be the file that torch has loaded, because another copy knows none of torch's memory.
    """

    def __init__(self, library: str) -> None:
        self._hip = ctypes.CDLL(library)
        self._hip.hipGetErrorString.restype = ctypes.c_char_p
        self._image = CODE_OBJECT.read_bytes()
        self._modules: dict[int, ctypes.c_void_p] = {}
        self._functions: dict[tuple[int, str], ctypes.c_void_p] = {}

    def _call(self, name: str, *arguments: Any) -> None:
        code = getattr(self._hip, name)(*arguments)
        if code != 0:
            raise RuntimeError(f"{name}: {self._hip.hipGetErrorString(code).decode()}")

    def _function(self, device: int, kernel: str) -> ctypes.c_void_p:
        if device not in self._modules:
            module = ctypes.c_void_p()
            self._call("hipModuleLoadData", ctypes.byref(module), self._image)
            self._modules[device] = module
        if (device, kernel) not in self._functions:
            function = ctypes.c_void_p()
            self._call("hipModuleGetFunction", ctypes.byref(function), self._modules[device], kernel.encode())
            self._functions[device, kernel] = function
        return self._functions[device, kernel]

    def launch(self, kernel: str, grid: Sequence[int], block: int, *arguments: _Argument) -> None:
        types: dict[str, Any] = {"i32": ctypes.c_int32, "f32": ctypes.c_float}
        values: list[Any] = []
        for argument in arguments:
            if isinstance(argument, tuple):
                values.append(types[argument[1]](argument[0]))
            else:
                values.append(ctypes.c_void_p(None if argument is None else argument.data_ptr()))
        pointers = (ctypes.c_void_p * len(values))(*(ctypes.addressof(value) for value in values))
        device = next(argument.device for argument in arguments if isinstance(argument, Tensor))
        on_card = device.type == "cuda"
        stream = torch.cuda.current_stream(device).cuda_stream if on_card else None
        shape = [*grid, *[1] * (3 - len(grid)), block, 1, 1, 0]
        with torch.cuda.device(device) if on_card else contextlib.nullcontext():
            function = self._function(device.index or 0, kernel)
            self._call("hipModuleLaunchKernel", function, *map(ctypes.c_uint, shape), ctypes.c_void_p(stream), pointers, None)


@functools.cache
def _card() -> _Card:
    loaded = {line.split()[-1] for line in Path("/proc/self/maps").read_text().splitlines() if "/libamdhip64.so" in line}
    if not loaded:
        raise RuntimeError("torch has not loaded libamdhip64.so")
    # The library of torch's own folder, if it has one there.
    of_torch = {path for path in loaded if Path(path).is_relative_to(Path(torch.__file__).parent)}
    return _Card(max(of_torch or loaded))


@functools.cache
def _emulator() -> _Emulator:
    return _Emulator()


def _runner(device: torch.device) -> _Emulator | _Card:
    return _card() if device.type == "cuda" else _emulator()


def _columns_of_a_wave(K: int, V: int, heads: int) -> int:
    """Columns of the f32 scan for 64 or 128 key channels: 16 if the busiest SIMD is done sooner with them, else 8."""
    def cycles(columns: int, of_a_token: int) -> int:
        return -(-(-(-V // columns) * heads) // _SIMDS) * of_a_token

    sixteen, eight = (258, 162) if K == 64 else (510, 264)
    return 16 if cycles(16, sixteen) < cycles(8, eight) else 8


def _scan_kernel(dtype: torch.dtype, K: int, V: int, heads: int) -> tuple[str, int]:
    """Name of the scan for so many heads of all sequences, and the columns of a wave."""
    name = f"gdn_scan_{_DTYPES[dtype]}"
    if dtype == torch.float32 and K in (64, 128):
        columns = _columns_of_a_wave(K, V, heads)
        tile = {(64, 8): "64x8", (64, 16): "64x4", (128, 8): "128x8", (128, 16): "128x8x2"}[K, columns]
        return f"{name}_{tile}", columns
    if K == 128:
        return f"{name}_128x8", 8
    if dtype == torch.float32 and K <= 64:
        return f"{name}_any64", 8
    return f"{name}_any256", 4


def _scan(q: Tensor, k: Tensor, v: Tensor, g: Tensor, beta: Tensor, o: Tensor, *, initial: Tensor | None, final: Tensor | None, scale: float,
          v_first: bool) -> None:  # fmt: skip
    """The rule over a batch of sequences of one length, into `o` and `final`. All tensors are contiguous."""
    (B, T, H, K), (HV, V) = q.shape, v.shape[2:]
    kernel, columns = _scan_kernel(q.dtype, K, V, HV * B)
    sizes = [(size, "i32") for size in (B, T, H, HV, K, V)]
    block_map, log_gates = (0, "i32"), (0, "i32")
    _runner(q.device).launch(
        kernel, (-(-V // columns), HV, B), 64, q, k, v, g, beta, initial, o, final, *sizes, (scale, "f32"), block_map, (int(v_first), "i32"), log_gates
    )  # fmt: skip


def _normalised(x: Tensor) -> Tensor:
    """Rows of the last axis by sqrt(sum of squares + 1e-6), in f32."""
    x = x.float().contiguous()
    y = torch.empty_like(x)
    rows, channels = x.numel() // x.shape[-1], x.shape[-1]
    _runner(x.device).launch("gdn_l2norm_f32", (rows,), 64, x, y, (rows, "i32"), (channels, "i32"), (1e-6, "f32"), (0, "i32"))
    return y


@torch.library.custom_op("deltanet::gated_delta_rule", mutates_args=(), device_types=("cpu", "cuda"))
def gated_delta_rule(
    q: Tensor, k: Tensor, v: Tensor, g: Tensor | None, beta: Tensor, scale: float, initial_state: Tensor | None, with_final_state: bool,
    with_l2norm: bool, state_v_first: bool, cu_seqlens: Tensor | None,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """The operator: outputs [B, T, HV, V] of the type of v, and f32 states after the last tokens (no elements without `with_final_state`).

    Its arguments are those of FLA's functions. It takes what `refusal` does not refuse.
    """
    o, final = _empty_results(q, k, v, g, beta, scale, initial_state, with_final_state, with_l2norm, state_v_first, cu_seqlens)
    gates = torch.zeros(beta.shape, dtype=torch.float32, device=beta.device) if g is None else g.float()
    initial = None if initial_state is None else initial_state.float().contiguous()
    after = final if with_final_state else None
    if with_l2norm:
        q, k, v = _normalised(q), _normalised(k), v.float()
    # With the norms inside, the rule is computed in f32, and its output rounded once.
    written = torch.empty_like(o, dtype=v.dtype)
    q, k, v, gates, strengths = (x.contiguous() for x in (q, k, v, gates, beta.float()))

    bounds = [] if cu_seqlens is None else cu_seqlens.tolist()
    lengths = {end - begin for begin, end in zip(bounds, bounds[1:])}
    if bounds and (bounds[0] != 0 or bounds[-1] != q.shape[1] or min(lengths) < 0):
        raise ValueError(f"cu_seqlens must rise from 0 to {q.shape[1]}, the number of tokens, and is {bounds}")
    if len(lengths) <= 1:
        # Sequences of one length are a batch.
        batch = [x.view(-1, *lengths, *x.shape[2:]) if lengths else x for x in (q, k, v, gates, strengths, written)]
        _scan(*batch, initial=initial, final=after, scale=scale, v_first=state_v_first)
    else:
        for n, (begin, end) in enumerate(zip(bounds, bounds[1:])):
            state, left = (None if x is None else x[n : n + 1] for x in (initial, after))
            if begin < end:
                tokens = [x[:, begin:end] for x in (q, k, v, gates, strengths, written)]
                _scan(*tokens, initial=state, final=left, scale=scale, v_first=state_v_first)
            elif left is not None:
                left.zero_() if state is None else left.copy_(state)
    return written.to(o.dtype), final


@gated_delta_rule.register_fake
def _empty_results(
    q: Tensor, k: Tensor, v: Tensor, g: Tensor | None, beta: Tensor, scale: float, initial_state: Tensor | None, with_final_state: bool,
    with_l2norm: bool, state_v_first: bool, cu_seqlens: Tensor | None,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    K, (HV, V) = q.shape[3], v.shape[2:]
    sequences = q.shape[0] if cu_seqlens is None else cu_seqlens.shape[0] - 1
    state = (sequences, HV, V, K) if state_v_first else (sequences, HV, K, V)
    return v.new_empty(v.shape), v.new_empty(state if with_final_state else (0,), dtype=torch.float32)


def refusal(q: Tensor, k: Tensor, v: Tensor, g: Tensor | None, beta: Tensor, initial_state: Tensor | None = None,
            cu_seqlens: Tensor | None = None, **others: Any) -> str | None:  # fmt: skip
    """Returns why the kernels do not take a call, or None if they take it. Shapes must be right (`_check`)."""
    (B, T, _, K), HV = q.shape, v.shape[2]
    sequences = B if cu_seqlens is None else len(cu_seqlens) - 1
    given = sorted(name for name, value in others.items() if name not in _HINTS and value is not None and value is not False)
    tensors = [x for x in (q, k, v, g, beta, initial_state) if x is not None]
    if given:
        return f"the kernels do not have the argument {given[0]}"
    if not q.dtype == k.dtype == v.dtype or q.dtype not in _DTYPES:
        return f"q, k and v are {q.dtype}, {k.dtype} and {v.dtype}: the kernels take f32, f16 or bf16, the same for all"
    if torch.is_grad_enabled() and any(x.requires_grad for x in tensors):
        return "a tensor requires a gradient, and the kernels have none"
    if K > _MOST_KEY_CHANNELS:
        return f"{K} key channels: the kernels take {_MOST_KEY_CHANNELS} at most"
    if 0 in (B, T, sequences, K, v.shape[3]):
        return "there are no tokens or no channels"
    if max(HV, sequences) > _GRID_LIMIT:
        return f"{HV} heads and {sequences} sequences: the kernels take {_GRID_LIMIT} of each at most"
    devices = {x.device for x in tensors}
    if len(devices) != 1:
        return f"the tensors are on several devices: {', '.join(sorted(map(str, devices)))}"
    why: str | None = _device_refusal(devices.pop())
    return why


@torch.compiler.assume_constant_result  # type: ignore[untyped-decorator]
def _device_refusal(device: torch.device) -> str | None:
    if device.type == "cpu":
        missing = importlib.util.find_spec("deltanet_check") is None
        return "CPU tensors need the emulator of the package deltanet_check, which is not installed" if missing else None
    if device.type != "cuda" or torch.version.hip is None:
        return f"the tensors are on {device}, which is no card of AMD"
    name = torch.cuda.get_device_properties(device).gcnArchName
    return None if name.split(":")[0] == "gfx906" else f"the card is {name}: the kernels are for gfx906"


def _check(q: Tensor, k: Tensor, v: Tensor, g: Tensor | None, beta: Tensor, initial_state: Tensor | None, cu_seqlens: Tensor | None,
           state_v_first: bool) -> None:  # fmt: skip
    """Raises ValueError if the shapes are not those of FLA's functions."""
    if q.ndim != 4 or k.shape != q.shape or v.ndim != 4 or v.shape[:2] != q.shape[:2]:
        raise ValueError(f"q and k must be [B, T, H, K] and v [B, T, HV, V], and they are {list(q.shape)}, {list(k.shape)} and {list(v.shape)}")
    (B, _, H, K), (HV, V) = q.shape, v.shape[2:]
    if H == 0 or HV % H:
        raise ValueError(f"{HV} value heads are no multiple of {H} key heads")
    for name, x in (("g", g), ("beta", beta)):
        if x is not None and x.shape != v.shape[:3]:
            raise ValueError(f"{name} must be [B, T, HV] = {list(v.shape[:3])}, and is {list(x.shape)}")
    if cu_seqlens is not None and (B != 1 or cu_seqlens.ndim != 1 or len(cu_seqlens) < 2):
        raise ValueError(f"with cu_seqlens [N + 1] the batch is 1, and it is {B} with cu_seqlens {list(cu_seqlens.shape)}")
    sequences = B if cu_seqlens is None else len(cu_seqlens) - 1
    state = (sequences, HV, V, K) if state_v_first else (sequences, HV, K, V)
    if initial_state is not None and initial_state.shape != state:
        raise ValueError(f"initial_state must be {list(state)}, and is {list(initial_state.shape)}")


def reference(
    q: Tensor, k: Tensor, v: Tensor, g: Tensor | None, beta: Tensor, *, scale: float | None = None, initial_state: Tensor | None = None,
    output_final_state: bool = False, use_qk_l2norm_in_kernel: bool = False, cu_seqlens: Tensor | None = None, state_v_first: bool = False,
    **others: Any,
) -> tuple[Tensor, Tensor | None]:  # fmt: skip
    """The rule token by token in PyTorch, in f32 or in the type of q where it is wider, on any device and with gradients.

    Raises:
        NotTaken: an argument of `others` asks for something else than the rule.
    """
    given = sorted(name for name, value in others.items() if name not in _HINTS and value is not None and value is not False)
    if given:
        raise NotTaken(f"the reference does not have the argument {given[0]}: give another function as fallback")
    dtype = torch.promote_types(q.dtype, torch.float32)
    heads = v.shape[2] // q.shape[2]
    output_dtype = v.dtype
    q, k, v, beta = (x.to(dtype) for x in (q, k, v, beta))
    if use_qk_l2norm_in_kernel:
        q, k = (x * (x.square().sum(-1, keepdim=True) + 1e-6).rsqrt() for x in (q, k))
    q, k = (x.repeat_interleave(heads, dim=2) for x in (q * (q.shape[-1] ** -0.5 if scale is None else scale), k))
    decay = torch.ones_like(beta) if g is None else g.to(dtype).exp()
    if cu_seqlens is None:
        sequences = [(n, slice(None)) for n in range(q.shape[0])]
    else:
        bounds = cu_seqlens.tolist()
        sequences = [(0, slice(begin, end)) for begin, end in zip(bounds, bounds[1:])]
    outputs, states = [], []
    for n, (row, tokens) in enumerate(sequences):
        if initial_state is None:
            state = q.new_zeros(v.shape[2], k.shape[3], v.shape[3])
        else:
            state = initial_state[n].to(dtype).mT if state_v_first else initial_state[n].to(dtype)
        for q_t, k_t, v_t, decay_t, beta_t in zip(*(x[row, tokens] for x in (q, k, v, decay, beta))):
            state = state * decay_t[:, None, None]
            error = v_t - (state * k_t[:, :, None]).sum(1)
            state = state + k_t[:, :, None] * (beta_t[:, None] * error)[:, None, :]
            outputs.append((state * q_t[:, :, None]).sum(1))
        states.append(state.mT if state_v_first else state)
    o = torch.stack(outputs).reshape(v.shape).to(output_dtype) if outputs else torch.empty_like(v, dtype=output_dtype)
    return o, torch.stack(states).contiguous() if output_final_state else None


def _rule(q: Tensor, k: Tensor, v: Tensor, g: Tensor | None, beta: Tensor | None, scale: float | None, initial_state: Tensor | None,
          output_final_state: bool, use_qk_l2norm_in_kernel: bool, cu_seqlens: Tensor | None, state_v_first: bool,
          fallback: Callable[..., Any] | None, others: dict[str, Any]) -> tuple[Tensor, Tensor | None]:  # fmt: skip
    if others.pop("head_first", False):
        raise NotTaken("head_first is not supported: tensors must be [B, T, H, ...]")
    if beta is None:
        beta = torch.ones(v.shape[:3], dtype=q.dtype, device=q.device)
    _check(q, k, v, g, beta, initial_state, cu_seqlens, state_v_first)
    why = refusal(q, k, v, g, beta, initial_state, cu_seqlens, **others)
    if why is not None:
        if fallback is None:
            raise NotTaken(why)
        warnings.warn(f"gated delta rule without the kernels of deltanet-check: {why}", stacklevel=3)
        result: tuple[Tensor, Tensor | None] = fallback(
            q, k, v, g=g, beta=beta, scale=scale, initial_state=initial_state, output_final_state=output_final_state,
            use_qk_l2norm_in_kernel=use_qk_l2norm_in_kernel, cu_seqlens=cu_seqlens, **({"state_v_first": True} if state_v_first else {}), **others,
        )  # fmt: skip
        return result
    if cu_seqlens is not None and others.get("cu_seqlens_cpu") is not None:
        # The bounds without waiting for the card.
        cu_seqlens = others["cu_seqlens_cpu"]
    scale = q.shape[-1] ** -0.5 if scale is None else float(scale)
    o, final = gated_delta_rule(q, k, v, g, beta, scale, initial_state, output_final_state, use_qk_l2norm_in_kernel, state_v_first, cu_seqlens)
    return o, final if output_final_state else None


def fused_recurrent_gated_delta_rule(
    q: Tensor, k: Tensor, v: Tensor, g: Tensor | None = None, gk: Tensor | None = None, gv: Tensor | None = None, beta: Tensor | None = None,
    scale: float | None = None, initial_state: Tensor | None = None, output_final_state: bool = False, use_qk_l2norm_in_kernel: bool = False,
    cu_seqlens: Tensor | None = None, *, state_v_first: bool = False, fallback: Callable[..., Any] | None = reference, **others: Any,
) -> tuple[Tensor, Tensor | None]:  # fmt: skip
    """The gated delta rule, as FLA's function of this name.

    Args:
        q, k: [B, T, H, K], f32, f16 or bf16.
        v: [B, T, HV, V], of the same type; HV is a multiple of H, and value head h reads key head h // (HV // H).
        g: log gates [B, T, HV]; without them nothing decays.
        beta: write strengths [B, T, HV]; without them 1.
        scale: the factor on q; without it K ** -0.5.
        initial_state: [N, HV, K, V], or [N, HV, V, K] with `state_v_first`; without it zeros.
        output_final_state: True returns the states after the last tokens, in f32.
        use_qk_l2norm_in_kernel: True divides q and k by sqrt(sum of squares + 1e-6) first.
        cu_seqlens: [N + 1], where each of N packed sequences begins, and the number of tokens; then B is 1.
        fallback: the function for calls that the kernels do not take, with these arguments. None raises `NotTaken`.
        others: what else FLA's function has. If one of them is given, the call goes to `fallback`.

    Returns:
        The outputs [B, T, HV, V] of the type of v, and the final states or None.

    Raises:
        NotTaken: the kernels do not take the call, and `fallback` is None or `reference`, which does not take it either.
        ValueError: a shape is wrong.
    """
    others |= {name: value for name, value in (("gk", gk), ("gv", gv)) if value is not None}
    return _rule(q, k, v, g, beta, scale, initial_state, output_final_state, use_qk_l2norm_in_kernel, cu_seqlens, state_v_first, fallback, others)


def chunk_gated_delta_rule(
    q: Tensor, k: Tensor, v: Tensor, g: Tensor | None, beta: Tensor, scale: float | None = None, initial_state: Tensor | None = None,
    output_final_state: bool = False, use_qk_l2norm_in_kernel: bool = False, *, cu_seqlens: Tensor | None = None, state_v_first: bool = False,
    fallback: Callable[..., Any] | None = reference, **others: Any,
) -> tuple[Tensor, Tensor | None]:  # fmt: skip
    """The gated delta rule, as FLA's function of this name, and by the same kernels as `fused_recurrent_gated_delta_rule`."""
    return _rule(q, k, v, g, beta, scale, initial_state, output_final_state, use_qk_l2norm_in_kernel, cu_seqlens, state_v_first, fallback, others)
