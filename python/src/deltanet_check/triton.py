"""Triton's AMD driver on the emulator, with CPU tensors of torch.

    import deltanet_check.triton
    deltanet_check.triton.activate()

From then on `kernel[grid](tensors...)` compiles for gfx906 and runs on the emulated MI50. Around each launch the storage of every tensor that it is handed
is registered with the runtime, and nothing else: a kernel that leaves a storage, by a byte, is an exception with the whole report. Of an autotuned
kernel's configurations the first that fits is taken: the question is whether results are right.
"""
from __future__ import annotations

import functools
import itertools
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any, NamedTuple

import torch
import triton
from triton.backends.amd.driver import HIPDriver, HIPLauncher, HIPUtils
from triton.runtime import autotuner
from triton.runtime.errors import OutOfResources

from . import _cuda, _find, _limit
from ._arguments import Memory, Span, is_tensor, refused_tensor, tensor_words
from ._errors import Findings, LaunchError, Trap
from ._hip import Library, library
from ._launch import LOCK, name_argument, registered, settings

__all__ = ["EmulatorDriver", "activate"]


# hipErrorLaunchFailure, hipErrorUnknown: Triton has the number in its message alone.
_LAUNCH_FAILURE, _UNKNOWN = 719, 999


class _Binary(NamedTuple):
    """A kernel as Triton hands it over."""

    name: str
    image: bytes
    shared: int
    device: int


class _Utils:
    """Triton's utilities, whose handles outlive a reset of the device: what was loaded is loaded again."""

    def __init__(self, own: Any, hip: Library) -> None:
        self._own = own
        self._hip = hip
        self._numbers = itertools.count(1)
        self._binaries: dict[int, _Binary] = {}
        # By our handle: of which generation of the device, module, function.
        self._loaded: dict[int, tuple[int, int, int]] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._own, name)

    def load_binary(self, name: str, image: bytes, shared: int, device: int) -> tuple[int, int, int, int, int]:
        """Loads a kernel; module, function (both a handle of ours), registers, spills, threads."""
        with _explained(self._hip, f"loading {name}"):
            module, function, *facts = self._own.load_binary(name, image, shared, device)
        handle = next(self._numbers)
        self._binaries[handle] = _Binary(name, image, shared, device)
        self._loaded[handle] = (self._hip.generation, module, function)
        return (handle, handle, *facts)

    def unload_module(self, handle: int) -> None:
        """Forgets a kernel."""
        self._binaries.pop(handle, None)
        generation, module, _ = self._loaded.pop(handle, (-1, 0, 0))
        if generation == self._hip.generation:
            self._own.unload_module(module)

    def function(self, handle: int) -> int:
        """The runtime's function behind a handle."""
        generation, _, function = self._loaded[handle]
        if generation != self._hip.generation:
            binary = self._binaries[handle]
            module, function, *_ = self._own.load_binary(*binary)
            self._loaded[handle] = (self._hip.generation, module, function)
        return function


@contextmanager
def _explained(hip: Library, what: str) -> Iterator[None]:
    """What the runtime says of an error, instead of Triton's number."""
    try:
        yield
    except LaunchError:
        raise
    except Exception as error:
        report = hip.take_report()
        if report["trap"] is None and not report["told"]:
            raise
        code = _LAUNCH_FAILURE if report["trap"] is not None else _UNKNOWN
        raise hip.failure(what, code, report) from None


def _tensors(values: Iterable[Any]) -> Iterator[tuple[int, Any]]:
    """Yields the tensors among arguments with the index of their argument, those within tuples and descriptors too."""
    for at, value in enumerate(values):
        if is_tensor(value):
            yield at, value
        elif isinstance(value, (tuple, list)):
            yield from ((at, tensor) for _, tensor in _tensors(value))
        elif hasattr(value, "base") and is_tensor(value.base):
            yield at, value.base


def _storages(values: Iterable[Any]) -> Iterator[tuple[int, Span, Any]]:
    """Yields the storages of tensors among arguments: index of the argument, bytes of the host, tensor."""
    for at, tensor in _tensors(values):
        storage = tensor.untyped_storage()
        if storage.nbytes():
            yield at, Span(storage.data_ptr(), storage.data_ptr() + storage.nbytes()), tensor


class _Launcher(HIPLauncher):  # type: ignore[misc]
    """Launches a kernel on registered tensors, and waits for its end."""

    def __init__(self, src: Any, metadata: Any) -> None:
        super().__init__(src, metadata)
        self._names = list(getattr(getattr(src, "fn", None), "arg_names", []))

    def _refuse(self, kernel: str, arguments: Iterable[Any]) -> None:
        """Raises where the memory of a tensor does not hold the tensor's values."""
        for at, tensor in _tensors(arguments):
            if (why := refused_tensor(tensor)) is not None:
                argument = f"`{self._names[at]}`" if at < len(self._names) else str(at)
                raise ValueError(f"Triton kernel {kernel}, argument {argument}: {tensor_words(tensor)}: {why}")

    def _shown(self, at: int, tensor: Any) -> str:
        name = f"`{self._names[at]}`, " if at < len(self._names) else ""
        return f"{name}tensor of {tensor.dtype}, shape {tuple(tensor.shape)}, strides {tuple(tensor.stride())}"

    def __call__(
        self, gridX: int, gridY: int, gridZ: int, stream: int, function: int, kernel_metadata: Any, launch_metadata: Any,
        launch_enter_hook: Any, launch_exit_hook: Any, *args: Any,
    ) -> None:
        if gridX * gridY * gridZ == 0:
            return
        driver = triton.runtime.driver.active
        hip: Library = driver.hip
        name = driver.utils._binaries[function].name
        what = f"Triton kernel {name}"
        with LOCK, _limit.launch(what, gridX * gridY * gridZ, None) as budget, settings(hip, None, budget, None) if budget else nullcontext():
            hip.take_report()
            # The redirection of torch is of no use here, and takes time.
            with torch._C.DisableTorchFunction():
                self._refuse(name, args)
                storages = list(_storages(args))
            try:
                # The sanitizer keeps what it knows of registered memory, and does not see what the host writes between launches.
                keep = os.environ.get("GFX906_SANITIZE", "").strip() in ("", "0")
                with registered(hip, [Memory(span, writable=True) for _, span, _ in storages], keep):
                    with _explained(hip, what):
                        real = driver.utils.function(function)
                        super().__call__(
                            gridX, gridY, gridZ, 0, real, kernel_metadata, launch_metadata, launch_enter_hook, launch_exit_hook, *args
                        )
                    hip.wait(what)
            except Trap as trap:
                name_argument(trap, [(at, span, self._shown(at, tensor)) for at, span, tensor in storages])
                raise
            report = hip.take_report()
        if report["findings"]:
            raise Findings(report["findings"])


def _once(fn: Any, *_: Any, quantiles: Any = None, return_mode: str = "mean", **__: Any) -> Any:
    """`triton.testing.do_bench` of one run, in milliseconds of the host."""
    start, end = _cuda.Event(), _cuda.Event()
    start.record()
    fn()
    end.record()
    took = start.elapsed_time(end)
    if quantiles is not None:
        return [took] * len(quantiles)
    return [took] if return_mode == "all" else took


class EmulatorDriver(HIPDriver):  # type: ignore[misc]
    """Triton's AMD driver with the emulator for a device. Tensors are torch's on the CPU.

    Attributes:
        hip: the runtime.
    """

    def __init__(self) -> None:
        # Not that of GPUDriver, which asks torch for a card.
        path = _find.library()
        os.environ["TRITON_LIBHIP_PATH"] = str(path)
        triton.knobs.amd.libhip_path = str(path)
        self.hip = library()
        self.utils = _Utils(HIPUtils(), self.hip)
        self.launcher_cls = _Launcher
        self.get_device_capability = lambda *_: (9, 0)
        self.get_current_stream = lambda *_: 0
        self.get_current_device = lambda: 0
        self.set_current_device = lambda *_: None

    @staticmethod
    def is_active() -> bool:
        """It is."""
        return True

    def get_device_interface(self) -> Any:
        """`torch.cuda`, which `activate` has redirected."""
        return torch.cuda

    def get_active_torch_device(self) -> torch.device:
        """Where tensors say that they are."""
        return torch.device("cuda", 0)

    def get_benchmarker(self) -> Any:
        """Runs a kernel once; the times are those of the host."""

        return _once

    def get_empty_cache_for_benchmark(self) -> torch.Tensor:
        """Nothing is cached."""
        return torch.empty(0, dtype=torch.int)


def _one_configuration(run: Any) -> Any:
    """`Autotuner.run` with the first configuration that the device has the resources for, and no measurement."""

    @functools.wraps(run)
    def first(self: Any, *args: Any, **kwargs: Any) -> Any:
        configs = self.configs
        if len(configs) <= 1:
            return run(self, *args, **kwargs)
        self.nargs = dict(zip(self.arg_names, args))
        candidates = list(self.prune_configs(kwargs)) or configs
        try:
            for at, config in enumerate(candidates):
                self.configs = [config]
                try:
                    return run(self, *args, **kwargs)
                except OutOfResources:
                    if at + 1 == len(candidates):
                        raise
        finally:
            self.configs = configs

    return first


_DRIVER: EmulatorDriver | None = None


def activate() -> EmulatorDriver:
    """Makes the emulator Triton's device, and torch's "cuda" the CPU, for the rest of the process; the driver.

    Raises:
        NotFound: the library is nowhere.
    """
    global _DRIVER
    if _DRIVER is None:
        driver = EmulatorDriver()
        autotuner.Autotuner.run = _one_configuration(autotuner.Autotuner.run)
        triton.testing.do_bench = _once
        _cuda.activate()
        _DRIVER = driver
    triton.runtime.driver.set_active(_DRIVER)
    return _DRIVER
