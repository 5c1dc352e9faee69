"""The device for processes that a program starts: `deltanet_check.pth` imports this where the environment says `DELTANET_CHECK_GPU=1`.

A process that imports torch gets the redirection when torch is there, and the emulator as Triton's device when Triton is there. One that imports
neither pays for a finder in `sys.meta_path` alone.
"""
from __future__ import annotations

import importlib
import importlib.machinery
import sys
from collections.abc import Sequence
from types import ModuleType
from typing import Any

from . import _amdsmi

_WATCHED = ("torch", "triton")


class _Loader:
    """The loader of a package, which activates the device behind it."""

    def __init__(self, own: Any, finder: _Finder) -> None:
        self._own = own
        self._finder = finder

    def __getattr__(self, name: str) -> Any:
        return getattr(self._own, name)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType | None:
        """The module, as the own loader makes it."""
        module: ModuleType | None = self._own.create_module(spec)
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Runs the package, then activates what is complete."""
        self._finder.begun.add(module.__name__)
        self._own.exec_module(module)
        self._finder.loaded(module.__name__)


class _Finder:
    """The finder of torch and Triton, once each."""

    def __init__(self) -> None:
        self._complete: set[str] = set()
        self.begun: set[str] = set()

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> Any:
        """The package's own place, with a loader that tells when it is loaded; None for all others."""
        if name not in _WATCHED or name in self.begun:
            return None
        for finder in sys.meta_path:
            spec = None if finder is self else finder.find_spec(name, path, target)
            if spec is not None:
                if spec.loader is not None:
                    spec.loader = _Loader(spec.loader, self)  # type: ignore[assignment]
                return spec
        return None

    def loaded(self, name: str) -> None:
        """Activates what can be: torch's redirection without Triton, and both where both are complete."""
        self._complete.add(name)
        if "torch" not in self.begun:
            # Triton would look for a card by importing torch, and take what it finds then.
            importlib.import_module("torch")
        elif "torch" in self._complete:
            from . import _cuda

            _cuda.activate()
            # A program that imports this module activates the driver itself.
            if "triton" in self._complete and "deltanet_check.triton" not in sys.modules:
                from . import triton

                triton.activate()


def install() -> None:
    """Begins to watch for torch and Triton. `amdsmi` is there without them."""
    sys.modules["amdsmi"] = _amdsmi
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())


install()
