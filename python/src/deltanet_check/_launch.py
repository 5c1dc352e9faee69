"""`run`: a kernel of a code object on arrays of the host, in place."""
from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from . import _limit, _tool
from ._arguments import Argument, Memory, Span, argument, check_copies, united
from ._errors import Findings, LaunchError, Trap
from ._hip import Library, library

#: One launch at a time: what the runtime says belongs to it.
LOCK = threading.RLock()


def run(
    code_object: str | os.PathLike[str] | bytes,
    kernel: str,
    grid: int | Sequence[int],
    block: int | Sequence[int],
    *arguments: Any,
    shared: int = 0,
    sanitize: bool | str | None = None,
    budget: int | str | None = None,
    schedule: str | None = None,
    copy_back: bool = False,
) -> None:
    """Runs a kernel on the emulated MI50 and returns when it is done.

    Args:
        code_object: a file of it (ELF for gfx906, or an offload bundle), or its bytes.
        kernel: the kernel's name in it, as `deltanet-check inspect` shows it.
        grid: work-groups, up to three: `4`, `(4,)`, `(4, 2, 1)`.
        block: work-items of a work-group, up to three.
        *arguments: the kernel's arguments in order. An array of NumPy or a CPU tensor of torch, of any shape, is a pointer to its first
            element. Its elements lie one after another (C order), little-endian. The kernel reads and writes them in place and reaches
            no byte before the first element or behind the last. The kernel may read but not write a read-only array and, where autograd
            records, a tensor that requires a gradient. Arguments may share memory, which the kernel may write if it may write one of
            them. `None` is a null pointer. Numbers need a size: `numpy.int32(5)` or `(5, "i32")`, with i8 u8 i16 u16 i32 u32 i64 u64 f16
            bf16 f32 f64. `bytes` are a structure by value.
        shared: bytes of dynamic LDS.
        sanitize: True for all checks of the sanitizer, False for none, or names of checks: `"race,init"`. None is as `GFX906_SANITIZE` says.
        budget: the most wave instructions (`2_000_000`), CPU seconds (`"90s"`) or both (`"2000000,90s"`); a kernel beyond them is a `Trap`
            with `hang`. None is as `GFX906_BUDGET` says.
        schedule: the order of work-groups and waves: `"in-order"`, `"reverse"`, `"random"` or `"random=7"`. None is as `GFX906_SCHEDULE` says.
        copy_back: True lets arrays and tensors have any strides: the kernel gets a contiguous copy of each that is not contiguous, and its
            values are copied back when the kernel has ended, also by a trap. A copy of what is read-only is read-only and not copied back.

    Raises:
        Trap: the kernel stopped before its end, for example as it wrote a read-only array; it has kernel, pc, lane, address. What the
            kernel had written by then is there.
        LaunchError: the launch was refused.
        Findings: with `sanitize`, or with `GFX906_SANITIZE` in the environment, the kernel ran and the sanitizer found something.
        TypeError: an argument is of a type that no kernel takes, or does not fit the kernel's argument.
        ValueError: an array or tensor is not contiguous (and `copy_back` is False, or its copy would overlap another argument or itself), is
            of another byte order, or has values that its memory alone does not tell (a
            mask, a pending conjugation, a sparse layout); a number does not fit its type; `grid` or `block` is no size; `sanitize`, `budget` or
            `schedule` has other words.
        NotFound: the library or the program is not to be found.
    """
    if isinstance(code_object, (bytes, bytearray)):
        image, words = bytes(code_object), f"the code object of {len(code_object)} bytes"
    else:
        image, words = Path(code_object).read_bytes(), os.fspath(code_object)
    groups, items = _three("grid", grid), _three("block", block)
    made = [argument(value, copy_back) for value in arguments]
    check_copies(made)
    _check(kernel, _tool.kernel_arguments(image, kernel, words), made)
    memories = [one.memory for one in made if one.memory is not None]
    hip = library()
    budget = None if budget is None else str(budget)
    with (
        LOCK, _limit.launch(f"kernel {kernel}", groups[0] * groups[1] * groups[2], budget) as allowed,
        settings(hip, sanitize, allowed, schedule),
    ):  # fmt: skip
        hip.take_report()
        try:
            with registered(hip, memories):
                module = hip.load(image)
                try:
                    _launch(hip, hip.function(module, kernel), groups, items, shared, made)
                finally:
                    # After a fault this is refused, and the module goes with the reset.
                    hip.try_call("hipModuleUnload", module)
        except Trap as trap:
            name_argument(trap, [(at, one.memory.span, one.shown) for at, one in enumerate(made) if one.memory is not None])
            raise
        finally:
            for one in made:
                if one.copy is not None and one.copy.back is not None:
                    one.copy.back()
        report = hip.take_report()
    if report["findings"]:
        raise Findings(report["findings"])


@contextmanager
def settings(hip: Library, sanitize: bool | str | None, budget: str | None, schedule: str | None) -> Iterator[None]:
    """Gives the launches of the block settings in place of the environment's.

    Raises:
        ValueError: the runtime does not know the words.
    """
    checks = sanitize if sanitize is None or isinstance(sanitize, str) else str(int(sanitize))
    given = [None if value is None else value.encode() for value in (checks, budget, schedule)]
    hip.take_report()
    try:
        hip.call("gfx906_settings", *given)
    except LaunchError as error:
        raise ValueError("; ".join(error.told)) from None
    try:
        yield
    finally:
        hip.call("gfx906_settings", None, None, None)


def _three(what: str, given: int | Sequence[int]) -> tuple[int, int, int]:
    sizes = [given] if isinstance(given, int) else [int(size) for size in given]
    if not 1 <= len(sizes) <= 3 or any(size < 1 or size >= 1 << 32 for size in sizes):
        raise ValueError(f"{what} {given!r}: one to three numbers from 1 up")
    x, y, z = [*sizes, 1, 1][:3]
    return x, y, z


def _check(kernel: str, wanted: list[dict[str, Any]], given: Sequence[Argument]) -> None:
    """Whether arguments are what a kernel takes, as far as its code object says."""
    if len(wanted) != len(given):
        raise TypeError(f"kernel `{kernel}` takes {len(wanted)} arguments, not {len(given)}")
    for at, (want, have) in enumerate(zip(wanted, given)):
        name = f" ({want['name']})" if want["name"] else ""
        is_pointer = want["kind"] in ("global_buffer", "dynamic_shared_pointer")
        if is_pointer and not have.pointer and len(have.data) != 8:
            raise TypeError(f"argument {at}{name} of kernel `{kernel}` is a pointer, not {have.shown}")
        if have.pointer and not is_pointer:
            kind = want["type"] or f"value of {want['size']} bytes"
            raise TypeError(f"argument {at}{name} of kernel `{kernel}` is a {kind}, not a pointer ({have.shown})")
        if len(have.data) != want["size"]:
            raise TypeError(f"argument {at}{name} of kernel `{kernel}` has {want['size']} bytes; {have.shown} has {len(have.data)}")


def _launch(hip: Library, function: ctypes.c_void_p, grid: Sequence[int], block: Sequence[int], shared: int, made: Sequence[Argument]) -> None:
    held = [ctypes.create_string_buffer(one.data, len(one.data)) for one in made]
    parameters = (ctypes.c_void_p * max(1, len(held)))(*[ctypes.addressof(one) for one in held])
    hip.call("hipModuleLaunchKernel", function, *grid, *block, shared, None, parameters, None)
    # The error of the launch, or the one that comes when it is waited for.
    hip.wait("hipDeviceSynchronize")


@contextmanager
def registered(hip: Library, memories: Sequence[Memory], keep: bool = False) -> Iterator[None]:
    """Lets kernels reach memory of the host, at its own address, as long as the block runs, and no other memory.

    With `keep` the registrations stay behind the block, and the next block adds and removes what is different. Nothing runs in between.
    """
    failed = True
    try:
        hip.register(united(memories))
        yield
        failed = False
    except LaunchError:
        # As on a card nothing runs after a fault. What is registered stays so.
        hip.reset()
        raise
    finally:
        if failed or not keep:
            hip.register([])


def name_argument(trap: Trap, reached: Iterable[tuple[int, Span, str]]) -> None:
    """Says which argument a trap is about, of those given by index, memory and words: the one whose memory is nearest to the address."""
    if trap.nearest is None:
        return
    base = trap.nearest["base"]
    for at, span, shown in reached:
        if span.start == base:
            trap.argument = at
            trap.args = (f"{trap}\n  argument    {at} is nearest: {shown}",)
            return
