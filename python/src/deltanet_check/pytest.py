"""`pytest -p deltanet_check.pytest`: tests of Triton kernels that were written for a GPU, on the emulated MI50.

    --gfx906-sanitize[=CHECKS]   a finding of the sanitizer fails the test: memory, init, race, sync, wait, hazard, or all
    --gfx906-isolate             each test in a process of its own: what one leaves behind, or a crash, is no other's trouble
    --gfx906-schedule=ORDER      in which order work-groups and waves run: in-order, reverse, random, random=SEED
    --gfx906-timeout=SECONDS     a test that runs longer fails, and its launch is stopped

The device is there before a conftest.py is imported; `device="cuda"` is the CPU (`deltanet_check._cuda`). A default device that a test sets
is the test's alone: the next one has what its module or the session set.
"""
from __future__ import annotations

import importlib.util
import os
import pickle
import select
import signal
import sys
import time
import traceback
from collections.abc import Generator
from typing import Any, NoReturn

import pytest

from . import _limit
from ._errors import NotFound

_CHECKS = {"memory", "init", "race", "sync", "wait", "hazard"}


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options above."""
    group = parser.getgroup("gfx906", "gfx906 emulator")
    group.addoption("--gfx906-sanitize", nargs="?", const="all", default=None, metavar="CHECKS", help="fail tests by what the sanitizer finds [default: all]")
    group.addoption("--gfx906-isolate", action="store_true", help="run each test in a process of its own")
    group.addoption("--gfx906-schedule", default=None, metavar="ORDER", help="in-order, reverse, random or random=SEED")
    group.addoption("--gfx906-timeout", type=_seconds, default=None, metavar="SECONDS", help="fail a test that runs longer, and stop its launch")


def _seconds(text: str) -> float:
    """A time limit.

    Raises:
        ValueError: it is no time.
    """
    seconds = float(text)
    if not 0 < seconds < 1e6:
        raise ValueError
    return seconds


_seconds.__name__ = "number of seconds"


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Before anything of the suite is imported."""
    options = early_config.known_args_namespace
    checks = options.gfx906_sanitize
    if checks is not None:
        unknown = set() if checks == "all" else set(checks.split(",")) - _CHECKS
        if unknown:
            # An option that takes a value takes the argument behind it.
            raise pytest.UsageError(f"--gfx906-sanitize={checks}: no check {', '.join(sorted(unknown))}; there is all, {', '.join(sorted(_CHECKS))}")
        os.environ["GFX906_SANITIZE"] = checks
    if options.gfx906_schedule:
        os.environ["GFX906_SCHEDULE"] = options.gfx906_schedule
    _activate()


def _activate() -> None:
    """Makes the emulator the device.

    Raises:
        pytest.UsageError: a package that this needs is missing or does not load, or the library is nowhere; one line.
    """
    missing = [name for name in ("numpy", "torch", "triton") if importlib.util.find_spec(name) is None]
    if missing:
        raise pytest.UsageError(f"-p deltanet_check.pytest needs {', '.join(missing)}, which this Python lacks: pip install {' '.join(missing)}")
    try:
        from . import triton

        triton.activate()
    except (ImportError, OSError, NotFound) as error:
        raise pytest.UsageError(f"-p deltanet_check.pytest cannot start: {' '.join(str(error).split())}") from None


def pytest_report_header() -> str:
    """What the tests run on."""
    from ._hip import library

    asked = [f"{name[7:].lower()} {os.environ[name]}" for name in ("GFX906_SANITIZE", "GFX906_SCHEDULE") if name in os.environ]
    return ", ".join([f"gfx906: emulated MI50 ({library().path})", *asked, "torch.compile runs functions as they are"])


_END = pytest.StashKey[float]()


def _limited(item: pytest.Item, end: float) -> Any:
    seconds = item.config.getoption("--gfx906-timeout")

    def fail(what: str) -> NoReturn:
        pytest.fail(f"the test ran longer than {seconds:g} s (--gfx906-timeout): {what}", pytrace=False)

    return _limit.limited(end, str(item.path), fail)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, Any, Any]:
    """Begins the time of the test, which its call shares."""
    _DEFAULT_DEVICE.before_test()
    if (seconds := item.config.getoption("--gfx906-timeout")) is None:
        return (yield)
    item.stash[_END] = time.monotonic() + seconds
    with _limited(item, item.stash[_END]):
        return (yield)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    """Runs the test within the time that its fixtures left."""
    if _END not in item.stash:
        return (yield)
    with _limited(item, item.stash[_END]):
        return (yield)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None, Any, Any]:
    """Takes back the test's default device, then tears down its fixtures, which have the time limit anew."""
    _DEFAULT_DEVICE.after_test()
    if (seconds := item.config.getoption("--gfx906-timeout")) is None:
        return (yield)
    with _limited(item, time.monotonic() + seconds):
        return (yield)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_fixture_setup(fixturedef: Any) -> Generator[None, Any, Any]:
    """Keeps a default device that a fixture of several tests sets."""
    made = yield
    if fixturedef.scope != "function":
        _DEFAULT_DEVICE.before_test()
    return made


class _DefaultDevice:
    """The default device of torch that the next test has."""

    def __init__(self) -> None:
        self._device: Any = None

    def before_test(self) -> None:
        """Keeps the device of now."""
        from . import _cuda

        self._device = _cuda.default_device()

    def after_test(self) -> None:
        """Sets the device that was kept, where the test left another."""
        import torch

        from . import _cuda

        if _cuda.default_device() != self._device:
            torch.set_default_device(self._device)


_DEFAULT_DEVICE = _DefaultDevice()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """A test in a process of its own, where that is asked for."""
    if not item.config.getoption("--gfx906-isolate"):
        return None
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    for report in _isolated(item):
        item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


def _isolated(item: pytest.Item) -> list[Any]:
    """The reports of a test that a child runs; where it ends before it has any, that is one."""
    from _pytest.runner import runtestprotocol

    sys.stdout.flush()
    sys.stderr.flush()
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        code = 1
        try:
            import torch

            # Threads of the parent's are not there any more, and a pool that waits for them waits forever.
            torch.set_num_threads(1)
            # Without a next item every fixture is torn down here.
            reports = runtestprotocol(item, log=False, nextitem=None)
            serialized = [item.config.hook.pytest_report_to_serializable(config=item.config, report=one) for one in reports]
            with os.fdopen(writer, "wb") as pipe:
                pickle.dump(serialized, pipe)
            code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
    os.close(writer)
    seconds = item.config.getoption("--gfx906-timeout")
    with os.fdopen(reader, "rb") as pipe:
        # The child fails by itself unless it is in a function that no signal ends. Fixtures and the call share one limit, and there is one of teardown.
        sent = _read(pipe.fileno(), None if seconds is None else 2 * seconds + 1)
    if sent is None:
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    if sent is None:
        why = f"the test ran longer than {seconds:g} s (--gfx906-timeout): its process was killed"
        return [pytest.TestReport(item.nodeid, item.location, {}, "failed", why, "call")]
    try:
        return [item.config.hook.pytest_report_from_serializable(config=item.config, data=one) for one in pickle.loads(sent)]
    except (EOFError, pickle.UnpicklingError):
        return [_ended(item, status)]


def _read(pipe: int, seconds: float | None) -> bytes | None:
    """All of a pipe; None where its end does not come in time."""
    end = None if seconds is None else time.monotonic() + seconds
    parts: list[bytes] = []
    while end is None or select.select([pipe], [], [], max(end - time.monotonic(), 0))[0]:
        part = os.read(pipe, 1 << 16)
        if not part:
            return b"".join(parts)
        parts.append(part)
    return None


def _ended(item: pytest.Item, status: int) -> pytest.TestReport:
    """A failure: the process ended before its test did."""
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        why = f"the test's process was ended by signal {number} ({signal.Signals(number).name})"
    else:
        why = f"the test's process left with exit code {os.waitstatus_to_exitcode(status)}"
    return pytest.TestReport(item.nodeid, item.location, {}, "failed", why, "call")
