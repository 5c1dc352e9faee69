"""Code that asks torch for device "cuda" gets the CPU, and `torch.cuda` answers as for one MI50.

What is there is what tests and launchers use: places of tensors, properties, synchronisation, events and streams. Streams run nothing at the same
time, events measure the time of the host.
"""
from __future__ import annotations

import contextlib
import time
import types
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

_CPU = torch.device("cpu")
_CUDA = torch.device("cuda", 0)
_CPU_WORDS = {"cpu"}
#: Of a card: total bytes.
_MEMORY = 16 << 30


def _is_cuda(value: Any) -> bool:
    if isinstance(value, torch.device):
        return value.type == "cuda"
    return isinstance(value, str) and (value == "cuda" or value.startswith("cuda:"))


class OnCpu(TorchFunctionMode):
    """Takes torch functions that name a CUDA device to the CPU. Tensors there say that they are on the card, and what is taken to the CPU is a copy."""

    def __torch_function__(self, func: Callable[..., Any], types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = dict(kwargs or {})
        if func is torch.device:
            return func(*args, **kwargs)
        attribute = getattr(func, "__self__", None)
        if attribute is torch.Tensor.is_cuda:
            return True
        if attribute is torch.Tensor.device:
            device = func(*args)
            return _CUDA if device == _CPU else device
        if func is torch.Tensor.get_device:
            return 0
        if func is torch.Tensor.cpu or (func is torch.Tensor.to and _CPU_WORDS & {str(one) for one in (*args[1:2], kwargs.get("device"))}):
            copy = func(*args, **kwargs)
            return copy.clone() if copy is args[0] else copy
        if func is torch.Tensor.cuda:
            return args[0]
        if func is torch.Tensor.pin_memory:
            return args[0]
        if func is torch.Tensor.record_stream:
            return None
        if func is torch.Tensor.to and len(args) > 1 and type(args[1]) is int:
            args = (args[0], _CPU, *args[2:])
        args = tuple(_CPU if _is_cuda(one) else one for one in args)
        if "device" in kwargs and (_is_cuda(kwargs["device"]) or type(kwargs["device"]) is int):
            kwargs["device"] = _CPU
        kwargs.pop("pin_memory", None)
        return func(*args, **kwargs)


class Generator(torch.Generator):
    """A generator of numbers, of the CPU's."""

    def __new__(cls, device: Any = None) -> Generator:
        return super().__new__(cls, "cpu" if device is None or _is_cuda(device) else device)


class Event:
    """A point in time, on the host's clock."""

    def __init__(self, enable_timing: bool = False, *_: Any, **__: Any) -> None:
        self._time = 0.0

    def record(self, stream: Any = None) -> None:
        """It is now."""
        self._time = time.perf_counter()

    def elapsed_time(self, end: Event) -> float:
        """Milliseconds to another; never 0, which callers divide by."""
        return max((end._time - self._time) * 1e3, 1e-3)

    def query(self) -> bool:
        """All before it is done."""
        return True

    def wait(self, stream: Any = None) -> None:
        """All before it is done."""

    def synchronize(self) -> None:
        """All before it is done."""


class Stream:
    """A stream in name: launches are done when they return."""

    cuda_stream = 0
    device = _CPU
    device_index = 0

    def __init__(self, *_: Any, **__: Any) -> None:
        pass

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *_: Any) -> None:
        pass

    def synchronize(self) -> None:
        """All is done."""

    def wait_stream(self, stream: Any) -> None:
        """All is done."""

    def wait_event(self, event: Any) -> None:
        """All is done."""

    def record_event(self, event: Event | None = None) -> Event:
        """An event of now."""
        event = event or Event()
        event.record()
        return event

    def query(self) -> bool:
        """All is done."""
        return True


class _Device:
    """`torch.cuda.device(0)`, which changes nothing."""

    def __init__(self, device: Any = None) -> None:
        pass

    def __enter__(self) -> _Device:
        return self

    def __exit__(self, *_: Any) -> None:
        pass


@contextlib.contextmanager
def _no_graph(*_: Any, **__: Any) -> Iterator[None]:
    raise RuntimeError("graphs of torch.cuda are not there on the emulator")
    yield


def properties(_: Any = None) -> Any:
    """What torch says of an MI50."""
    return types.SimpleNamespace(
        name="AMD Instinct MI50/MI60 (emulated)", gcnArchName="gfx906:sramecc+:xnack-", major=9, minor=0, total_memory=_MEMORY,
        multi_processor_count=60, warp_size=64, max_threads_per_multi_processor=2560, regs_per_multiprocessor=65536,
        shared_memory_per_block=65536, shared_memory_per_block_optin=65536, shared_memory_per_multiprocessor=65536, L2_cache_size=4 << 20,
        is_integrated=False, is_multi_gpu_board=False,
    )


def _answers() -> dict[str, Any]:
    nothing = lambda *_, **__: None
    zero = lambda *_, **__: 0
    current = Stream()
    seed = lambda value: torch.manual_seed(value) and None
    return {
        "is_available": lambda: True, "is_initialized": lambda: True, "init": nothing, "_lazy_init": nothing,
        "device_count": lambda: 1, "current_device": zero, "set_device": nothing, "device": _Device, "device_of": _Device,
        "get_device_name": lambda *_: properties().name, "get_device_properties": properties, "get_device_capability": lambda *_: (9, 0),
        "get_arch_list": lambda: ["gfx906"], "is_bf16_supported": lambda *_, **__: True, "can_device_access_peer": lambda *_: False,
        "synchronize": nothing, "empty_cache": nothing, "ipc_collect": nothing,
        "Event": Event, "Stream": Stream, "ExternalStream": Stream, "stream": lambda stream=None: stream or Stream(),
        "current_stream": lambda *_: current, "default_stream": lambda *_: current, "set_stream": nothing,
        "is_current_stream_capturing": lambda: False, "graph": _no_graph,
        "memory_allocated": zero, "max_memory_allocated": zero, "memory_reserved": zero, "max_memory_reserved": zero,
        "reset_peak_memory_stats": nothing, "reset_max_memory_allocated": nothing, "memory_stats": lambda *_: {},
        "mem_get_info": lambda *_: (_MEMORY, _MEMORY),
        "manual_seed": seed, "manual_seed_all": seed_all, "seed": nothing, "seed_all": nothing, "initial_seed": torch.initial_seed,
        "get_rng_state": lambda *_: torch.get_rng_state(), "set_rng_state": lambda state, *_: torch.set_rng_state(state),
        "get_rng_state_all": lambda: [torch.get_rng_state()], "set_rng_state_all": lambda states: torch.set_rng_state(states[0]),
    }


def _own(answer: Any) -> Any:
    """The same as an object of its own: torch's compiler tells functions of torch.cuda apart by what they are."""
    if isinstance(answer, type):
        return type(answer.__name__, (answer,), {})

    def call(*args: Any, **kwargs: Any) -> Any:
        return answer(*args, **kwargs)

    return call


def seed_all(value: int) -> None:
    """torch.manual_seed calls this: the CPU's own seed is already set then."""


_MODE: OnCpu | None = None


def activate() -> None:
    """Redirects torch in this process, in the thread that calls it. There is no way back."""
    global _MODE
    if _MODE is not None:
        return
    for name, answer in _answers().items():
        setattr(torch.cuda, name, _own(answer))
    torch.Generator = Generator  # type: ignore[misc]
    _MODE = OnCpu()
    _MODE.__enter__()  # type: ignore[no-untyped-call]
