"""The time limit of a test: when it is over, the code that runs gets an exception, and a launch that runs is stopped.

The runtime counts CPU seconds, of all threads of a launch together. A launch gets as many as its threads can use until the limit, so that
none is stopped early; on a busy machine it is stopped later.
"""
from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

#: Raises, with words for what was stopped.
Fail = Callable[[str], NoReturn]


class _Limit:
    """The limit that applies to this process.

    Attributes:
        end: when it is over, by `time.monotonic`.
        fail: raises the failure.
        launches: launches of the main thread that run.
    """

    def __init__(self, end: float, fail: Fail) -> None:
        self.end = end
        self.fail = fail
        self.launches = 0

    @property
    def over(self) -> bool:
        """Whether the time is up."""
        return time.monotonic() >= self.end


_LIMIT: _Limit | None = None


def _in_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()


def _place(frame: FrameType | None, file: str) -> str:
    """The line of a file that runs, of the innermost frame where no frame is in the file."""
    inner = frame
    while frame is not None and frame.f_code.co_filename != file:
        frame = frame.f_back
    frame = frame or inner
    return "" if frame is None else f"{os.path.relpath(frame.f_code.co_filename)}:{frame.f_lineno} was running"


@contextmanager
def limited(end: float, file: str, fail: Fail) -> Iterator[None]:
    """Lets the block run until a time. What runs longer is named by its line of `file`, or by its kernel."""
    global _LIMIT
    if not _in_main_thread():
        # Signals reach the main thread alone.
        yield
        return
    limit = _Limit(end, fail)

    def ring(_: int, frame: FrameType | None) -> None:
        # A launch cleans up first, and fails then.
        if not limit.launches:
            fail(_place(frame, file))

    handler = signal.signal(signal.SIGALRM, ring)
    outer, _LIMIT = _LIMIT, limit
    timer = signal.setitimer(signal.ITIMER_REAL, max(end - time.monotonic(), 1e-3))
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, *timer)
        signal.signal(signal.SIGALRM, handler)
        _LIMIT = outer


def _threads() -> int:
    """Threads of the host that a launch may have."""
    number = os.environ.get("GFX906_THREADS", "").strip()
    return int(number) if number.isdecimal() and int(number) else len(os.sched_getaffinity(0))


def _budget(limit: _Limit, groups: int, text: str | None) -> str:
    """The budget of a launch: what was asked for, and no more CPU seconds than the launch can use until the limit."""
    seconds = max(limit.end - time.monotonic(), 1e-2) * min(groups, _threads())
    parts = [part.strip() for part in (text or os.environ.get("GFX906_BUDGET", "")).split(",") if part.strip()]
    try:
        seconds = min([seconds, *(float(part[:-1]) for part in parts if part.endswith("s"))])
    except ValueError:
        # The runtime says what is wrong with it.
        return ",".join(parts)
    return ",".join([part for part in parts if not part.endswith("s")] + [f"{seconds:.3f}s"])


@contextmanager
def launch(what: str, groups: int, budget: str | None) -> Iterator[str | None]:
    """Yields the budget for a launch of so many work-groups. Raises the failure behind the block where the time is up by then."""
    limit = _LIMIT
    if limit is None:
        yield budget
        return
    counted = int(_in_main_thread())
    limit.launches += counted
    try:
        yield _budget(limit, groups, budget)
    finally:
        limit.launches -= counted
        if counted and limit.over:
            limit.fail(f"{what} was running")
