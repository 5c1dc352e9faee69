"""The programs: which there are, and the options that each asks for."""

import fnmatch
import re
from dataclasses import dataclass, field
from pathlib import Path

# Options of GCC's that clang has too and that say how a program is meant. Levels of optimisation are ours to choose.
KNOWN_OPTIONS = re.compile(
    r"-std=\w+|-fwrapv|-fgnu89-inline|-ffast-math|-fno-(inline|common|strict-aliasing|strict-overflow|builtin-\w+)"
    r"|-fomit-frame-pointer|-finstrument-functions|-D\w+(=\S*)?"
)
# `dg-options "-a -b"`, also in braces; with a target selector behind it, it is meant for some other machine.
DIRECTIVE = re.compile(r'dg-(?:additional-)?options\s+\{?\s*"([^"]*)"\s*\}?\s*(\{)?')


@dataclass
class Program:
    """One program: its name and its sources, the one with the program first."""

    name: str
    sources: list[Path]
    options: list[str] = field(default_factory=list)
    device_options: list[str] = field(default_factory=list)


def options(text):
    """The options that a program's text asks for."""
    found = [word for words, selector in DIRECTIVE.findall(text) if not selector for word in words.split()]
    return [word for word in found if KNOWN_OPTIONS.fullmatch(word)]


def find(source):
    """All programs below a folder, by name: the top level, ieee/, builtins/."""
    programs = []
    for path in sorted(source.glob("*.c")) + sorted(source.glob("ieee/*.c")) + sorted(source.glob("builtins/*.c")):
        name = path.relative_to(source).with_suffix("").as_posix()
        sources, device = [path], []
        if path.parent.name == "builtins":
            # Each is three files: the test, the functions that it calls, and a main for all of them.
            if name.endswith("-lib"):
                continue
            # Where __OPTIMIZE__ is defined, most demand that the compiler folds calls of library functions. clang does so for
            # the host, and not for gfx906, which has no library.
            device = ["-U__OPTIMIZE__"]
            sources += [path.with_name(path.stem + "-lib.c"), path.parent / "lib" / "main.c"]
        asked = options(path.read_text(encoding="latin-1"))
        extra = path.with_suffix(".x")
        if extra.exists():
            asked += re.findall(r"set additional_flags (-fno-builtin-\w+)", extra.read_text(encoding="latin-1"))
        programs.append(Program(name, sources, asked, device))
    return programs


def select(programs, patterns, sample):
    """Those that a pattern matches, and of these `sample`, evenly spread."""
    if patterns:
        programs = [p for p in programs if any(fnmatch.fnmatchcase(p.name, pattern) for pattern in patterns)]
    if sample and sample < len(programs):
        programs = [programs[i * len(programs) // sample] for i in range(sample)]
    return programs
