"""Code that asks torch for device "cuda" gets the CPU, and torch answers as a ROCm build does that has one MI50.

Tests and launchers use places of tensors, properties, synchronisation, events and streams, of `torch.cuda` and of `torch.accelerator`. Streams
run nothing at the same time, events measure the time of the host. Graphs and every other function of `torch.cuda` are refused by name.
`torch.compile` returns the function as it is.
"""
from __future__ import annotations

import functools
import os
import sys
import threading
import time
import types
from collections.abc import Callable
from typing import Any

import torch
from torch.overrides import TorchFunctionMode
from torch.utils import _device as torch_device

from . import _amdsmi
from ._amdsmi import MEMORY, NAME

#: Set to 1, every Python process that finds it has the device (`deltanet_check._startup`).
SWITCH = "DELTANET_CHECK_GPU"

_CPU = torch.device("cpu")
_CUDA = torch.device("cuda", 0)
_CPU_WORDS = {"cpu"}


def _is_cuda(value: Any) -> bool:
    if isinstance(value, torch.device):
        return value.type == "cuda"
    return isinstance(value, str) and (value == "cuda" or value.startswith("cuda:"))


def _to(func: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    if _CPU_WORDS & {str(one) for one in (*args[1:2], kwargs.get("device"))}:
        return _copied(func, args, kwargs)
    if len(args) > 1 and type(args[1]) is int:
        args = (args[0], _CPU, *args[2:])
    return _on_cpu(func, args, kwargs)


def _copied(func: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    copy = func(*args, **kwargs)
    return copy.clone() if copy is args[0] else copy


def _type(func: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """`Tensor.type`: the name on the card, or a conversion to a type that is named as on the card."""
    wanted = args[1] if len(args) > 1 else kwargs.get("dtype")
    if wanted is None:
        name = func(*args, **kwargs)
        return name.replace("torch.", "torch.cuda.", 1)
    return func(args[0], _cpu_type(wanted))


def _cpu_type(wanted: Any) -> Any:
    """The CPU's type for a type of torch.cuda, by name or class."""
    if isinstance(wanted, str):
        return wanted.replace("torch.cuda.", "torch.", 1)
    return getattr(wanted, "cpu_type", wanted)


def _device_of(func: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    device = func(*args)
    return _CUDA if device == _CPU else device


def _on_cpu(func: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """Calls a function with the CPU for each CUDA device among its arguments."""
    args = tuple([_CPU if _is_cuda(one) else one for one in args])
    if kwargs:
        if "device" in kwargs and (_is_cuda(kwargs["device"]) or type(kwargs["device"]) is int):
            kwargs["device"] = _CPU
        kwargs.pop("pin_memory", None)
    return func(*args, **kwargs)


def _as_it_is(func: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    return func(*args, **kwargs)


def _first(func: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    return args[0]


#: The class with attributes that are properties in Python, and values for type checkers.
_TENSOR: Any = torch.Tensor

#: By function of torch: the call in its place.
_CALLS: dict[Any, Callable[[Any, Any, Any], Any]] = {
    torch.device: _as_it_is,
    _TENSOR.is_cuda.__get__: lambda func, args, kwargs: True,
    _TENSOR.is_cpu.__get__: lambda func, args, kwargs: False,
    _TENSOR.device.__get__: _device_of,
    torch.Tensor.get_device: lambda func, args, kwargs: 0,
    torch.Tensor.cpu: _copied, torch.Tensor.to: _to, torch.Tensor.type: _type,
    torch.Tensor.cuda: _first, torch.Tensor.pin_memory: _first,
    torch.Tensor.record_stream: lambda func, args, kwargs: None,
    # Of each launch, and without a device among the arguments.
    torch.Tensor.data_ptr: _as_it_is, torch.Tensor.untyped_storage: _as_it_is, _TENSOR.dtype.__get__: _as_it_is,
    _TENSOR.shape.__get__: _as_it_is, torch.Tensor.stride: _as_it_is, torch.Tensor.numel: _as_it_is,
}


class OnCpu(TorchFunctionMode):
    """Takes torch functions that name a CUDA device to the CPU. Tensors there say that they are on the card, and what is taken to the CPU is a copy."""

    def __torch_function__(self, func: Callable[..., Any], types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return _CALLS.get(func, _on_cpu)(func, args, dict(kwargs) if kwargs else {})  # type: ignore[no-untyped-call]


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
    stream_id = 0
    device = _CUDA
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


def _refusal(name: str, why: str) -> Callable[..., Any]:
    """A function that raises, with its name."""

    def refuse(*_: Any, **__: Any) -> Any:
        raise RuntimeError(f"{name}: {why}")

    return refuse


def _refused_class(name: str, why: str) -> type:
    return type(name.rpartition(".")[2], (), {"__init__": _refusal(name, why)})


_NO_GRAPH = "the emulated MI50 captures no graphs of torch; run the function without one"


class _TensorType(type):
    """The class of `torch.cuda.FloatTensor` and the like: a type of tensors of which the CPU has the same."""

    cpu_type: Any
    dtype: torch.dtype

    def __instancecheck__(cls, value: Any) -> bool:
        return isinstance(value, torch.Tensor) and value.dtype == cls.dtype

    def __call__(cls, *args: Any, **kwargs: Any) -> torch.Tensor:
        kwargs.pop("device", None)
        made: torch.Tensor = cls.cpu_type(*args, **kwargs)
        return made


def _tensor_types() -> dict[str, Any]:
    """The types of `torch.cuda`, by name."""
    dtypes = {
        "Float": torch.float32, "Double": torch.float64, "Half": torch.float16, "BFloat16": torch.bfloat16, "Byte": torch.uint8,
        "Char": torch.int8, "Short": torch.int16, "Int": torch.int32, "Long": torch.int64, "Bool": torch.bool,
    }
    return {
        f"{kind}Tensor": _TensorType(f"{kind}Tensor", (), {"__module__": "torch.cuda", "cpu_type": getattr(torch, f"{kind}Tensor"), "dtype": dtype})
        for kind, dtype in dtypes.items()
    }


def properties(_: Any = None) -> Any:
    """The properties of an MI50."""
    return types.SimpleNamespace(
        name=NAME, gcnArchName="gfx906:sramecc+:xnack-", major=9, minor=0, total_memory=MEMORY,
        multi_processor_count=60, warp_size=64, max_threads_per_multi_processor=2560, regs_per_multiprocessor=65536,
        shared_memory_per_block=65536, shared_memory_per_block_optin=65536, shared_memory_per_multiprocessor=65536, L2_cache_size=4 << 20,
        is_integrated=False, is_multi_gpu_board=False,
    )


def _nothing(*_: Any, **__: Any) -> None:
    """Changes nothing."""


def _zero(*_: Any, **__: Any) -> int:
    return 0


def _memory_answers() -> dict[str, Any]:
    """Functions that `torch.cuda` and `torch.accelerator` have both."""
    names = ("memory_allocated", "max_memory_allocated", "memory_reserved", "max_memory_reserved")
    nothing = ("empty_cache", "empty_host_cache", "reset_peak_memory_stats", "reset_accumulated_memory_stats")
    return {**dict.fromkeys(names, _zero), **dict.fromkeys(nothing, _nothing), "memory_stats": lambda *_, **__: {}}


@functools.lru_cache(maxsize=None)
def _stream() -> Any:
    """The one stream, of the class that callers know."""
    return torch.cuda.Stream()  # type: ignore[no-untyped-call]


def _cuda_answers() -> dict[str, Any]:
    seed = lambda value: torch.manual_seed(value) and None
    return {
        **_memory_answers(), **_tensor_types(),
        "is_available": lambda: True, "is_initialized": lambda: True, "init": _nothing, "_lazy_init": _nothing, "_is_compiled": lambda: True,
        "device_count": lambda: 1, "_device_count_amdsmi": lambda: 1, "current_device": _zero, "set_device": _nothing, "device": _Device,
        "device_of": _Device, "_exchange_device": _zero, "_maybe_exchange_device": _zero,
        "get_device_name": lambda *_: properties().name, "get_device_properties": properties, "get_device_capability": lambda *_: (9, 0),
        "get_arch_list": lambda: ["gfx906"], "get_gencode_flags": lambda: "", "is_bf16_supported": lambda *_, **__: True,
        "is_tf32_supported": lambda: False, "can_device_access_peer": lambda *_: False,
        "synchronize": _nothing, "ipc_collect": _nothing, "get_sync_debug_mode": _zero, "set_sync_debug_mode": _nothing,
        "Event": Event, "Stream": Stream, "ExternalStream": Stream, "stream": lambda stream=None: stream or _stream(),
        "StreamContext": lambda stream=None: stream or _stream(),
        "current_stream": lambda *_: _stream(), "default_stream": lambda *_: _stream(), "set_stream": _nothing, "get_stream_from_external": lambda *_: _stream(),
        "is_current_stream_capturing": lambda: False,
        **{name: _refusal(f"torch.cuda.{name}", _NO_GRAPH) for name in ("graph", "make_graphed_callables")},
        "CUDAGraph": _refused_class("torch.cuda.CUDAGraph", _NO_GRAPH), "graph_pool_handle": lambda: (0, 0),
        "memory_cached": _zero, "max_memory_cached": _zero, "reset_max_memory_allocated": _nothing, "reset_max_memory_cached": _nothing,
        "host_memory_stats": lambda: {}, "memory_stats_as_nested_dict": lambda *_: {}, "memory_summary": lambda *_, **__: "", "memory_usage": _zero,
        "utilization": _zero, "mem_get_info": lambda *_: (MEMORY, MEMORY), "set_per_process_memory_fraction": _nothing,
        "get_per_process_memory_fraction": lambda *_: 1.0, "get_allocator_backend": lambda: "native", "list_gpu_processes": lambda *_: "",
        "manual_seed": seed, "manual_seed_all": seed_all, "seed": _nothing, "seed_all": _nothing, "initial_seed": torch.initial_seed,
        "get_rng_state": lambda *_: torch.get_rng_state(), "set_rng_state": lambda state, *_: torch.set_rng_state(state),
        "get_rng_state_all": lambda: [torch.get_rng_state()], "set_rng_state_all": lambda states: torch.set_rng_state(states[0]),
    }


def _accelerator_answers() -> dict[str, Any]:
    return {
        **_memory_answers(),
        "is_available": lambda: True, "device_count": lambda: 1, "current_accelerator": lambda check_available=False: torch.device("cuda"),
        "current_device_index": _zero, "current_device_idx": _zero, "set_device_index": _nothing, "set_device_idx": _nothing,
        "device_index": _Device, "current_stream": lambda *_: _stream(), "set_stream": _nothing, "synchronize": _nothing,
        "get_memory_info": lambda *_: (MEMORY, MEMORY), "Graph": _refused_class("torch.accelerator.Graph", _NO_GRAPH),
    }


def _own(answer: Any, original: Any) -> Any:
    """The same as an object of its own: torch's compiler tells functions of torch.cuda apart by what they are, and unwraps some."""
    if isinstance(answer, _TensorType):
        return answer
    if isinstance(answer, type):
        return type(answer.__name__, (answer,), {})

    def call(*args: Any, **kwargs: Any) -> Any:
        return answer(*args, **kwargs)

    call.__wrapped__ = original  # type: ignore[attr-defined]
    return call


def _answer(module: Any, answers: dict[str, Any], parts: tuple[str, ...]) -> None:
    """Puts answers into a module of torch and into those modules within it that define them. A function without an answer refuses."""
    modules = [module, *(getattr(module, part) for part in parts if hasattr(module, part))]
    refused = {
        name: _refusal(f"{module.__name__}.{name}", "the emulated MI50 does not have it")
        for name in getattr(module, "__all__", ()) if name not in answers and isinstance(getattr(module, name, None), types.FunctionType)
    }
    for name, answer in {**refused, **answers}.items():
        own = _own(answer, getattr(module, name, None))
        for one in modules:
            if one is module or name in vars(one):
                setattr(one, name, own)


def seed_all(value: int) -> None:
    """torch.manual_seed calls this: the CPU's own seed is already set then."""


def _redirect_default_device() -> None:
    """Lets a default device, of `torch.set_default_device` or of `with torch.device(...)`, be the CPU for torch and the card for who asks."""
    context = torch_device.DeviceContext

    def call(self: Any, func: Callable[..., Any], types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if func in torch_device._device_constructors() and kwargs.get("device") is None:
            kwargs["device"] = _CPU if _is_cuda(self.device) else self.device
        return func(*args, **kwargs)

    context.__torch_function__ = call  # type: ignore[method-assign]
    set_type = torch.set_default_tensor_type
    torch.set_default_tensor_type = functools.wraps(set_type)(lambda t: set_type(_cpu_type(t)))


def _redirect_autocast() -> None:
    """Autocast of "cuda" is that of the CPU, with float16 where no type is named."""
    enabled, dtype_of = torch.is_autocast_enabled, torch.get_autocast_dtype
    begin = torch.amp.autocast_mode.autocast.__init__

    def is_enabled(device_type: str = "cuda") -> bool:
        return bool(enabled("cpu" if _is_cuda(device_type) else device_type))

    def dtype(device_type: str) -> torch.dtype:
        found: torch.dtype = dtype_of("cpu" if _is_cuda(device_type) and enabled("cpu") else device_type)
        return found

    @functools.wraps(begin)
    def init(self: Any, device_type: str, dtype: Any = None, *args: Any, **kwargs: Any) -> None:
        if _is_cuda(device_type):
            device_type, dtype = "cpu", dtype or dtype_of("cuda")
        begin(self, device_type, dtype, *args, **kwargs)

    torch.is_autocast_enabled, torch.get_autocast_dtype = is_enabled, dtype
    torch.amp.autocast_mode.autocast.__init__ = init  # type: ignore[method-assign]


def _redirect_threads() -> None:
    """Gives each thread that starts the redirection, which torch keeps by thread."""
    start = threading.Thread.start

    @functools.wraps(start)
    def begin(self: threading.Thread) -> None:
        run = self.run

        def redirected() -> None:
            with OnCpu():
                run()

        self.run = redirected  # type: ignore[method-assign]
        start(self)

    threading.Thread.start = begin  # type: ignore[method-assign]


def _do_not_compile() -> None:
    """Lets `torch.compile` and what is below it return functions as they are."""

    def compile(model: Any = None, **_: Any) -> Any:
        return (lambda function: function) if model is None else model

    torch.compile = compile
    os.environ["TORCH_COMPILE_DISABLE"] = "1"
    if (config := sys.modules.get("torch._dynamo.config")) is not None:
        config.disable = True  # type: ignore[attr-defined]


def _be_rocm(version: int) -> None:
    """Says that torch is a build for ROCm, of a version of HIP, and gives the process the module `amdsmi`."""
    torch.version.hip = f"{version // 10_000_000}.{version // 100_000 % 100}.{version % 100_000}"
    torch.version.cuda = None
    sys.modules["amdsmi"] = _amdsmi


def default_device() -> torch.device | None:
    """The default device that `torch.set_default_device` set in this thread, or None."""
    context = getattr(torch._GLOBAL_DEVICE_CONTEXT, "device_context", None)
    return None if context is None else context.device


_MODE: OnCpu | None = None


def activate() -> None:
    """Redirects torch in this process, its threads, and the processes that it starts. There is no way back.

    Raises:
        NotFound: the library, which knows the version of HIP, is nowhere.
    """
    global _MODE
    if _MODE is not None:
        return
    from ._hip import library

    version = library().runtime_version()
    _answer(torch.cuda, _cuda_answers(), ("memory", "random", "streams", "graphs"))
    if hasattr(torch, "accelerator"):
        _answer(torch.accelerator, _accelerator_answers(), ("memory", "graphs"))
    torch._C._get_accelerator = lambda *_: torch.device("cuda")
    torch.Generator = Generator  # type: ignore[misc]
    torch.Stream = Stream  # type: ignore[misc, assignment]
    torch.Event = type("Event", (Event,), {"__init__": lambda self, *_, **__: Event.__init__(self)})  # type: ignore[misc, assignment]
    _redirect_default_device()
    _redirect_autocast()
    _redirect_threads()
    _do_not_compile()
    _be_rocm(version)
    _MODE = OnCpu()
    _MODE.__enter__()  # type: ignore[no-untyped-call]
    os.environ[SWITCH] = "1"
