"""The operator on CPU tensors, whose kernels run on the emulated card, against the recurrence in f64."""
from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import deltanet_check._find
import deltanet_check._hip
import pytest
import torch
from torch import Tensor

import deltanet_torch as dt

#: Relative RMS, and largest error of the largest value. f16 and bf16 outputs are rounded once.
TOLERANCE = {torch.float32: 1e-5, torch.float16: 1e-3, torch.bfloat16: 8e-3}
FUNCTIONS = {"fused_recurrent": dt.fused_recurrent_gated_delta_rule, "chunk": dt.chunk_gated_delta_rule}


@pytest.fixture(autouse=True)
def seed() -> None:
    """The same random numbers in each test, whichever tests run."""
    torch.manual_seed(0)


def recurrence(q: Tensor, k: Tensor, v: Tensor, g: Tensor | None, beta: Tensor, bounds: list[tuple[int, int, int]], initial: Tensor | None,
               scale: float | None, norm: bool) -> tuple[Tensor, Tensor]:  # fmt: skip
    """Outputs and final states [N, HV, K, V] in f64, of sequences that are a row of the batch, a first token and an end."""
    q, k, v, beta = (x.double() for x in (q, k, v, beta))
    HV, K, V = v.shape[2], k.shape[3], v.shape[3]
    o, finals = torch.zeros_like(v), torch.zeros(len(bounds), HV, K, V, dtype=torch.float64)
    for n, (row, begin, end) in enumerate(bounds):
        for hv in range(HV):
            h = hv * q.shape[2] // HV
            S = torch.zeros(K, V, dtype=torch.float64) if initial is None else initial[n, hv].double()
            for t in range(begin, end):
                qt, kt = q[row, t, h], k[row, t, h]
                if norm:
                    qt, kt = (x / torch.sqrt(x @ x + 1e-6) for x in (qt, kt))
                S = S * (1.0 if g is None else g[row, t, hv].double().exp())
                S = S + torch.outer(kt, beta[row, t, hv] * (v[row, t, hv] - kt @ S))
                o[row, t, hv] = (K**-0.5 if scale is None else scale) * (qt @ S)
            finals[n, hv] = S
    return o, finals


def error(got: Tensor, want: Tensor) -> float:
    """The larger of relative RMS and largest error of max(1, largest value)."""
    difference = (got.double() - want).abs()
    rms = difference.square().sum() / want.square().sum().clamp(min=1e-30)
    return max(rms.sqrt().item(), (difference.max() / want.abs().max().clamp(min=1)).item())


def inputs(B: int, T: int, H: int, HV: int, K: int, V: int, dtype: torch.dtype = torch.float32, seed: int = 0, slow: bool = True) -> dict[str, Tensor]:
    random = torch.Generator().manual_seed(seed)
    q, k = (torch.nn.functional.normalize(torch.randn(B, T, H, K, generator=random), dim=-1).to(dtype) for _ in "qk")
    v = torch.randn(B, T, HV, V, generator=random).to(dtype)
    g = -torch.rand(B, T, HV, generator=random) * (0.1 if slow else 10)
    beta = torch.rand(B, T, HV, generator=random).to(dtype)
    return dict(q=q, k=k, v=v, g=g, beta=beta)


def check(function: str, x: dict[str, Any], *, initial: Tensor | None = None, cu: list[int] | None = None, scale: float | None = None, norm: bool = False,
          v_first: bool = False) -> float:  # fmt: skip
    """Calls a function without a fallback. Returns the larger error of output and state, as a part of the tolerance."""
    bounds = [(n, 0, x["q"].shape[1]) for n in range(x["q"].shape[0])] if cu is None else [(0, a, b) for a, b in zip(cu, cu[1:])]
    want, want_final = recurrence(**x, bounds=bounds, initial=initial, scale=scale, norm=norm)
    given = initial.mT.contiguous() if initial is not None and v_first else initial
    o, final = FUNCTIONS[function](
        **x, initial_state=given, output_final_state=True, scale=scale, use_qk_l2norm_in_kernel=norm, state_v_first=v_first, fallback=None,
        cu_seqlens=None if cu is None else torch.tensor(cu),
    )  # fmt: skip
    assert o.dtype == x["v"].dtype and final is not None and final.dtype == torch.float32
    return max(error(o, want) / TOLERANCE[o.dtype], error(final.mT if v_first else final, want_final) / TOLERANCE[torch.float32])


# B, T, H, HV, K, V
SHAPES = [
    (1, 1, 1, 1, 128, 128),
    (2, 1, 4, 8, 128, 128),
    (1, 65, 2, 4, 128, 128),
    (2, 7, 2, 2, 64, 64),
    (1, 100, 1, 3, 64, 72),
    (1, 5, 2, 6, 48, 40),
    (1, 3, 1, 2, 200, 20),
    (1, 2, 1, 1, 256, 256),
    (3, 4, 8, 32, 16, 16),
    (8, 2, 2, 16, 128, 128),  # so many waves that a lane has two columns
    (8, 2, 2, 32, 64, 64),
]


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_shapes(function: str, shape: tuple[int, ...]) -> None:
    B, _, _, HV, K, V = shape
    assert check(function, inputs(*shape)) <= 1
    assert check(function, inputs(*shape, seed=1, slow=False), initial=torch.randn(B, HV, K, V)) <= 1


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
@pytest.mark.parametrize("K, norm", [(128, False), (64, False), (128, True), (96, True)])
def test_types_of_16_bits(dtype: torch.dtype, K: int, norm: bool) -> None:
    assert check("chunk", inputs(1, 70, 2, 4, K, 64, dtype), initial=torch.randn(1, 4, K, 64), norm=norm) <= 1


def test_norm_scale_layout_and_no_gates() -> None:
    x = inputs(2, 9, 2, 4, 128, 32)
    x["q"], x["k"] = x["q"] * 3, x["k"] * 5
    assert check("fused_recurrent", x, norm=True, scale=0.5) <= 1
    x["k"][0, 3] = 0
    assert check("fused_recurrent", x, norm=True, v_first=True, initial=torch.randn(2, 4, 128, 32)) <= 1
    assert check("chunk", inputs(2, 9, 2, 4, 64, 32) | {"g": None}, v_first=True) <= 1


@pytest.mark.parametrize("cu", [[0, 30, 30, 95, 96, 160], [0, 32, 64, 96], [0, 50], [0, 0, 20]], ids=str)
@pytest.mark.parametrize("with_state", [False, True])
def test_packed_sequences(cu: list[int], with_state: bool) -> None:
    initial = torch.randn(len(cu) - 1, 4, 128, 32) if with_state else None
    assert check("chunk", inputs(1, cu[-1], 2, 4, 128, 32), initial=initial, cu=cu) <= 1


def test_bounds_on_the_cpu() -> None:
    x = inputs(1, 9, 2, 4, 64, 32)
    want, _ = dt.chunk_gated_delta_rule(**x, cu_seqlens=torch.tensor([0, 4, 9]))
    got, _ = dt.chunk_gated_delta_rule(**x, cu_seqlens=torch.tensor([0, 9, 9]), cu_seqlens_cpu=torch.tensor([0, 4, 9]))
    assert torch.equal(got, want)


def test_views_and_no_final_state() -> None:
    joined = torch.randn(2, 6, 3 * 4 * 64)
    q, k, v = (x.unflatten(-1, (4, 64)) for x in joined.split(4 * 64, dim=-1))
    beta, g = torch.rand(2, 4, 6).mT, -torch.rand(2, 4, 6).mT
    k = torch.nn.functional.normalize(k, dim=-1)
    o, final = dt.chunk_gated_delta_rule(q, k, v, g, beta, fallback=None)
    want, _ = recurrence(q, k, v, g, beta, [(0, 0, 6), (1, 0, 6)], None, None, False)
    assert final is None and error(o, want) <= 1e-5


@contextmanager
def wrong_launches(monkeypatch: pytest.MonkeyPatch, mistake: Any) -> Iterator[None]:
    """Within it, a mistake changes the arguments of each scan."""
    right = dt._Emulator.launch

    def launch(self: Any, kernel: str, grid: Any, block: int, *arguments: Any) -> None:
        changed = list(arguments)
        if "scan" in kernel:
            mistake(changed)
        right(self, kernel, grid, block, *changed)

    with monkeypatch.context() as patch:
        patch.setattr(dt._Emulator, "launch", launch)
        yield


def replaced(at: int, value: Any) -> Any:
    def mistake(arguments: list[Any]) -> None:
        arguments[at] = value(arguments[at]) if callable(value) else value

    return mistake


MISTAKES = {
    "tiled head map": replaced(15, (1, "i32")),
    "states with values outermost": replaced(16, (1, "i32")),
    "gates of the other sign": replaced(17, (1, "i32")),
    "scale missing": replaced(14, (1.0, "f32")),
    "the initial state forgotten": replaced(5, None),
    "a token too few": replaced(9, lambda size: (size[0] - 1, "i32")),
    "keys for queries": lambda arguments: arguments.__setitem__(0, arguments[1]),
    "write strengths of 1": replaced(4, torch.ones_like),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_wrong_launches_are_found(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    x, initial = inputs(1, 6, 2, 4, 64, 64), torch.randn(1, 4, 64, 64)
    assert check("chunk", x, initial=initial) <= 1
    with wrong_launches(monkeypatch, MISTAKES[name]):
        assert check("chunk", x, initial=initial) > 10


def test_operator() -> None:
    x = inputs(2, 5, 2, 4, 64, 32, torch.bfloat16)
    arguments = (x["q"], x["k"], x["v"], x["g"], x["beta"], 0.125, torch.randn(2, 4, 64, 32), True, True, False, None)
    torch.library.opcheck(torch.ops.deltanet.gated_delta_rule, arguments)
    packed = inputs(1, 9, 2, 4, 64, 32)
    arguments = (packed["q"], packed["k"], packed["v"], None, packed["beta"], 0.125, None, False, False, True, torch.tensor([0, 4, 9]))
    torch.library.opcheck(torch.ops.deltanet.gated_delta_rule, arguments)


def test_compiled() -> None:
    x = inputs(2, 5, 2, 4, 64, 32)

    def layer(q: Tensor, **named: Tensor) -> tuple[Tensor, Tensor | None]:
        o, state = dt.chunk_gated_delta_rule(q * 2, **named, output_final_state=True, use_qk_l2norm_in_kernel=True, fallback=None)
        return o + 1, state

    for got, want in zip(torch.compile(layer, backend="aot_eager", fullgraph=True)(**x), layer(**x)):
        assert torch.equal(got, want)


REFUSED = [
    ("requires a gradient", lambda x: {"q": x["q"].clone().requires_grad_()}),
    ("300 key channels", lambda x: inputs(1, 3, 2, 4, 300, 16)),
    ("float64", lambda x: {name: x[name].double() for name in "qkv"}),
    ("no tokens", lambda x: inputs(1, 0, 2, 4, 32, 16)),
]


@pytest.mark.parametrize("why, change", REFUSED, ids=[why for why, _ in REFUSED])
def test_fallback(why: str, change: Any) -> None:
    x = inputs(1, 3, 2, 4, 32, 16)
    x |= change(x)
    with pytest.raises(dt.NotTaken, match=why):
        dt.chunk_gated_delta_rule(**x, fallback=None)
    with pytest.warns(UserWarning, match=why):
        o, final = dt.chunk_gated_delta_rule(**x, output_final_state=True)
    want, want_final = recurrence(**x, bounds=[(0, 0, x["q"].shape[1])], initial=None, scale=None, norm=False)
    assert final is not None and o.dtype == x["v"].dtype
    if o.numel():
        assert error(o, want) <= 1e-5 and error(final, want_final) <= 1e-5
    if o.requires_grad:
        o.sum().backward()
        assert x["q"].grad.abs().sum() > 0


def test_fallback_of_the_caller() -> None:
    x = inputs(1, 3, 2, 4, 32, 16)
    seen: dict[str, Any] = {}

    def theirs(*arguments: Any, **named: Any) -> tuple[str, None]:
        seen.update(named)
        return "theirs", None

    with pytest.warns(UserWarning, match="the argument gk"):
        assert dt.fused_recurrent_gated_delta_rule(**x, gk=torch.zeros(1), fallback=theirs)[0] == "theirs"
    assert "gk" in seen and seen["g"] is x["g"]
    with pytest.raises(dt.NotTaken, match="use_gate_in_kernel"), pytest.warns(UserWarning):
        dt.chunk_gated_delta_rule(**x, use_gate_in_kernel=True)
    with pytest.raises(dt.NotTaken, match="head_first"):
        dt.chunk_gated_delta_rule(**x, head_first=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        dt.chunk_gated_delta_rule(**x, allow_neg_eigval=False, cp_context=None, chunk_size=32)


def test_reference() -> None:
    x, cu = inputs(1, 12, 2, 4, 32, 16), [0, 5, 5, 12]
    initial = torch.randn(3, 4, 32, 16)
    want, want_final = recurrence(**x, bounds=[(0, a, b) for a, b in zip(cu, cu[1:])], initial=initial, scale=2.0, norm=True)
    named = dict(scale=2.0, output_final_state=True, use_qk_l2norm_in_kernel=True, cu_seqlens=torch.tensor(cu))
    o, final = dt.reference(**x, initial_state=initial.mT, state_v_first=True, **named)
    assert error(o, want) <= 1e-5 and final is not None and error(final.mT, want_final) <= 1e-5


@pytest.mark.parametrize("wrong", [
    {"beta": torch.ones(1, 3, 2)}, {"k": torch.ones(1, 3, 1, 32)}, {"v": torch.ones(1, 3, 3, 16)}, {"initial_state": torch.ones(1, 4, 16, 32)},
    {"cu_seqlens": torch.tensor([0, 2])}, {"cu_seqlens": torch.tensor([0, 2, 1, 3])}, {"cu_seqlens": torch.tensor([3])},
], ids=lambda wrong: next(iter(wrong)))  # fmt: skip
def test_wrong_shapes(wrong: dict[str, Tensor]) -> None:
    with pytest.raises(ValueError) as raised:
        dt.chunk_gated_delta_rule(**inputs(1, 3, 2, 4, 32, 16) | wrong)
    assert not isinstance(raised.value, dt.NotTaken)


class CardWithMemoryOfTheHost(dt._Card):
    """The way to a card by the HIP library, here the emulator's. Kernels reach tensors of the CPU while they are registered."""

    def launch(self, kernel: str, grid: Any, block: int, *arguments: Any) -> None:
        memory = {x.untyped_storage().data_ptr(): x.untyped_storage().nbytes() for x in arguments if isinstance(x, Tensor) and x.numel()}
        with ExitStack() as stack:
            for start, size in memory.items():
                self._call("hipHostRegister", dt.ctypes.c_void_p(start), dt.ctypes.c_size_t(size), 0)
                stack.callback(self._call, "hipHostUnregister", dt.ctypes.c_void_p(start))
            super().launch(kernel, grid, block, *arguments)
            self._call("hipDeviceSynchronize")


def test_card(monkeypatch: pytest.MonkeyPatch) -> None:
    card = CardWithMemoryOfTheHost(str(deltanet_check._find.library()))
    monkeypatch.setattr(dt, "_runner", lambda device: card)
    assert check("chunk", inputs(1, 20, 2, 4, 128, 128), initial=torch.randn(2, 4, 128, 128), cu=[0, 7, 20], norm=True) <= 1
    with pytest.raises(RuntimeError, match="hipModuleGetFunction"):
        card.launch("no_such_kernel", (1,), 64, torch.ones(1))


def test_library_of_torch() -> None:
    assert dt.torch.version.hip is None and dt._device_refusal(torch.device("cuda", 0)) == "the tensors are on cuda:0, which is no card of AMD"
    deltanet_check._hip.library()
    assert dt._card()._hip._name.endswith("libamdhip64.so.7")
