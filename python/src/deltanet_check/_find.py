"""Where the library (libamdhip64.so on the emulator) and the program (deltanet-check) are.

In this order: what the environment names, what the wheel brought along, what PATH has, and what was built in the checkout that this
package is in (`scripts/build-hip.sh`).
"""
from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from ._errors import NotFound

PROGRAM_VARIABLE = "DELTANET_CHECK_PROGRAM"
LIBRARY_VARIABLE = "DELTANET_CHECK_LIBHIP"

_HERE = Path(__file__).resolve().parent
_PROGRAM = "deltanet-check"
_LIBRARY = "libamdhip64.so"


def _targets() -> Iterator[Path]:
    """Directories that cargo builds into, of the checkout around this package."""
    root = next((up for up in _HERE.parents if (up / "phases.toml").is_file() and (up / "crates" / "gfx906-hip" / "Cargo.toml").is_file()), None)
    if root is not None:
        if named := os.environ.get("CARGO_TARGET_DIR"):
            yield root / named
        yield root / "target"


def _first(variable: str, what: str, places: list[Path]) -> Path:
    if named := os.environ.get(variable):
        path = Path(named).expanduser()
        if path.is_file():
            return path.absolute()
        raise NotFound(f"{variable}={named}: there is no such file")
    for place in places:
        if place.is_file():
            # Not where a link leads: which HIP the library is follows from the name that it is loaded by.
            return place.absolute()
    looked = ", ".join(str(place) for place in places)
    raise NotFound(f"{what} is not to be found: set {variable}, put deltanet-check into PATH, or build it with scripts/build-hip.sh (looked at {looked})")


def _on_path() -> Path | None:
    """Returns the first program `deltanet-check` in PATH that is not the command of this package, which would start itself."""
    for directory in os.get_exec_path():
        found = shutil.which(_PROGRAM, path=directory)
        if found is None:
            continue
        with open(found, "rb") as file:
            start = file.read(1024)
        # Installers write a script that imports this package.
        if not (start.startswith(b"#!") and b"deltanet_check" in start):
            return Path(found)
    return None


def program() -> Path:
    """The program `deltanet-check`.

    Raises:
        NotFound: it is nowhere.
    """
    on_path = _on_path()
    places = [_HERE / "bin" / _PROGRAM]
    places += [on_path] if on_path else []
    places += [target / "release" / _PROGRAM for target in _targets()]
    return _first(PROGRAM_VARIABLE, "the program deltanet-check", places)


def library() -> Path:
    """The HIP runtime on the emulator.

    Raises:
        NotFound: it is nowhere.
    """
    on_path = _on_path()
    places = [_HERE / "bin" / _LIBRARY]
    if on_path:
        beside = on_path.resolve().parent
        places += [beside / _LIBRARY, beside.parent / "lib" / _LIBRARY, beside.parent / "hip" / _LIBRARY]
    places += [target / "hip" / _LIBRARY for target in _targets()]
    return _first(LIBRARY_VARIABLE, "the library libamdhip64.so", places)
