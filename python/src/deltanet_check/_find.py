"""Where the library (libamdhip64.so on the emulator) and the program (deltanet-check) are.

In this order: what the environment names, what the wheel has installed, what PATH has, and what was built in the checkout that this
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
#: The runtime for programs of HIP 7, as which Triton loads it. Every build and package has a file of this name.
_LIBRARY = "libamdhip64.so.7"
#: The folders of the runtime, from that of the program: beside it, in an installation, in cargo's target folder.
_PLACES = ("", "../lib/deltanet-check", "../hip")


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
    looked = ", ".join(str(place) for place in places) or "nothing"
    raise NotFound(
        f"{what} is not to be found: install the wheel with the program, set {variable}, put deltanet-check into PATH, "
        f"or build it with scripts/build-hip.sh (looked at {looked})"
    )


def _is_program(path: Path) -> bool:
    """Says whether a file is the program, and not a command of this package, which would start itself."""
    try:
        with path.open("rb") as file:
            start = file.read(1024)
    except OSError:
        return False
    # Installers write a script that imports this package.
    return not (start.startswith(b"#!") and b"deltanet_check" in start)


def _in_wheel() -> Path | None:
    """Returns the program of the wheel that this package was installed from."""
    from importlib.metadata import PackageNotFoundError, files

    try:
        listed = files("deltanet-check") or []
    except PackageNotFoundError:
        return None
    programs = (Path(file.locate()).resolve() for file in listed if file.name == _PROGRAM)
    return next((path for path in programs if _is_program(path)), None)


def _on_path() -> Path | None:
    """Returns the first program `deltanet-check` in PATH."""
    found = (shutil.which(_PROGRAM, path=directory) for directory in os.get_exec_path())
    return next((Path(path) for path in found if path and _is_program(Path(path))), None)


def _programs() -> list[Path]:
    """Returns the programs of the wheel and of PATH."""
    return [path for path in (_in_wheel(), _on_path()) if path]


def program() -> Path:
    """The program `deltanet-check`.

    Raises:
        NotFound: it is nowhere.
    """
    places = [*_programs(), *(target / "release" / _PROGRAM for target in _targets())]
    return _first(PROGRAM_VARIABLE, "the program deltanet-check", places)


def library() -> Path:
    """The HIP runtime on the emulator.

    Raises:
        NotFound: it is nowhere.
    """
    folders = [(path.resolve().parent / place).resolve() for path in _programs() for place in _PLACES]
    folders += [target / "hip" for target in _targets()]
    places = [folder / _LIBRARY for folder in folders]
    return _first(LIBRARY_VARIABLE, "the HIP runtime of deltanet-check", places)
