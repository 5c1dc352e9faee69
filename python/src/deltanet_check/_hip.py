"""The library, through ctypes: the few HIP functions that launches take, and the report that it keeps."""
from __future__ import annotations

import ctypes
import json
from collections.abc import Sequence
from ctypes import POINTER, byref, c_char_p, c_int, c_size_t, c_uint, c_void_p
from functools import lru_cache
from pathlib import Path
from typing import Any

from . import __version__, _find
from ._arguments import Memory
from ._errors import LaunchError, NotFound, Trap

_SIGNATURES: dict[str, list[Any]] = {
    "hipInit": [c_uint],
    "hipRuntimeGetVersion": [POINTER(c_int)],
    "hipModuleLoadData": [POINTER(c_void_p), c_void_p],
    "hipModuleUnload": [c_void_p],
    "hipModuleGetFunction": [POINTER(c_void_p), c_void_p, c_char_p],
    "hipModuleLaunchKernel": [c_void_p, *[c_uint] * 7, c_void_p, POINTER(c_void_p), POINTER(c_void_p)],
    "hipHostRegister": [c_void_p, c_size_t, c_uint],
    "hipHostUnregister": [c_void_p],
    "gfx906_register_read_only": [c_void_p, c_size_t],
    "gfx906_settings": [c_char_p, c_char_p, c_char_p],
    "hipDeviceSynchronize": [],
    "hipDeviceReset": [],
}


class Library:
    """The loaded library.

    Attributes:
        path: the file.
        generation: how often the device was reset; what was loaded before is gone.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.generation = 0
        self._registered: list[Memory] = []
        self._text = ctypes.create_string_buffer(1 << 16)
        self._silence = b""
        try:
            # The same file that Triton's driver opens: the loader hands both the one copy.
            self._dll = ctypes.CDLL(str(path))
        except OSError as error:
            raise NotFound(f"{path} cannot be loaded: {error}") from error
        try:
            self._report = self._dll.gfx906_report
            self._dll.gfx906_version.restype = c_char_p
            version = self._dll.gfx906_version().decode()
            self._report.argtypes = [c_void_p, c_size_t]
            self._report.restype = c_size_t
            for name, arguments in _SIGNATURES.items():
                function = getattr(self._dll, name)
                function.argtypes = arguments
                function.restype = c_int
        except AttributeError:
            raise NotFound(f"{path} is another HIP runtime, or an older one of deltanet-check: build it with scripts/build-hip.sh") from None
        if version != f"gfx906-hip version {__version__}":
            raise NotFound(f"{path} is {version}, and this package has version {__version__}: install both from one place")
        self._dll.hipGetErrorName.argtypes = [c_int]
        self._dll.hipGetErrorName.restype = c_char_p

    def __repr__(self) -> str:
        return f"<HIP runtime on the emulator: {self.path}>"

    def take_report(self) -> dict[str, Any]:
        """What the runtime said since this was last asked: `trap`, `findings`, `told`."""
        for _ in range(8):
            # More may be said between asking for its length and taking it.
            size = self._report(self._text, len(self._text))
            if 0 < size <= len(self._text):
                said = self._text.value
                if said == self._silence:
                    break
                report = dict(json.loads(said.decode("utf-8", "replace")))
                if not any(report.values()):
                    self._silence = said
                return report
            self._text = ctypes.create_string_buffer(size + 4096)
        return {"trap": None, "findings": [], "told": []}

    def runtime_version(self) -> int:
        """Version of HIP, as `hipRuntimeGetVersion` has it: major * 10000000 + minor * 100000 + patch."""
        version = c_int()
        self.call("hipRuntimeGetVersion", byref(version))
        return version.value

    def error_name(self, code: int) -> str:
        """HIP's name for an error."""
        name = self._dll.hipGetErrorName(code)
        return name.decode() if name else f"error {code}"

    def failure(self, call: str, code: int, report: dict[str, Any] | None = None) -> LaunchError:
        """The exception for an error code, with what the runtime said."""
        report = self.take_report() if report is None else report
        trap, told = report["trap"], report["told"]
        if trap is not None:
            return Trap(call, code, self.error_name(code), told, trap)
        return LaunchError(call, code, self.error_name(code), told)

    def call(self, name: str, *arguments: Any) -> None:
        """Calls a HIP function.

        Raises:
            LaunchError: it returned an error; `Trap` where a kernel did not come to its end.
        """
        code = getattr(self._dll, name)(*arguments)
        if code != 0:
            raise self.failure(name, code)

    def wait(self, what: str) -> None:
        """Waits for all that was launched.

        Raises:
            LaunchError: something of it failed, `what` by name; `Trap` where a kernel did not come to its end.
        """
        code = self._dll.hipDeviceSynchronize()
        if code != 0:
            raise self.failure(what, code)

    def try_call(self, name: str, *arguments: Any) -> bool:
        """Calls a HIP function that cleans up; whether it could."""
        return bool(getattr(self._dll, name)(*arguments) == 0)

    def reset(self) -> None:
        """`hipDeviceReset`: after a fault nothing else runs. All that was loaded is gone."""
        self.generation += 1
        self._dll.hipDeviceReset()

    def register(self, memories: Sequence[Memory]) -> None:
        """Makes these the memory of the host that kernels reach. What is registered already stays as it is: each call takes a millisecond.

        Raises:
            LaunchError: the runtime refused one.
        """
        for memory in [one for one in self._registered if one not in memories]:
            self._registered.remove(memory)
            self.try_call("hipHostUnregister", memory.span.start)
        for memory in memories:
            if memory not in self._registered:
                (start, end), writable = memory
                if writable:
                    self.call("hipHostRegister", start, end - start, 0)
                else:
                    self.call("gfx906_register_read_only", start, end - start)
                self._registered.append(memory)

    def load(self, code_object: bytes) -> c_void_p:
        """Loads a code object; its module."""
        module = c_void_p()
        self.call("hipModuleLoadData", byref(module), code_object)
        return module

    def function(self, module: c_void_p, name: str) -> c_void_p:
        """A kernel of a module."""
        function = c_void_p()
        self.call("hipModuleGetFunction", byref(function), module, name.encode())
        return function


@lru_cache(maxsize=None)
def library() -> Library:
    """The library, loaded at the first call.

    Raises:
        NotFound: it is nowhere, or another one.
    """
    return Library(_find.library())
