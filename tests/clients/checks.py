"""Runs the checks of a client, prints a line for each, and counts them in the last line."""
import os
import subprocess
import sys
import time
import traceback

_checks = []


def check(function):
    """Registers a check. A check fails if it raises an exception."""
    _checks.append((function.__name__.replace("_", " "), function))
    return function


def refused(message, call, *arguments):
    """Requires that the call raises an exception whose text has `message`. A value would be a wrong one."""
    try:
        value = call(*arguments)
    except Exception as error:  # each client has its own type for the status of a library
        assert message in str(error), f"refused, but by {error!r} and not by {message!r}"
        return
    raise AssertionError(f"not refused, but gave {value!r}")


def ends_the_process(message, code, **environment):
    """Requires that a program of its own prints no value, ends with an error, and has `message` on stderr."""
    child = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=os.environ | environment)
    assert child.returncode != 0 and not child.stdout, f"exit code {child.returncode}: {child.stdout}"
    assert message in child.stderr, child.stderr


def run():
    """Runs the checks that the command line names by parts of their names, or all. Exits with 1 if one failed."""
    chosen = [(name, function) for name, function in _checks if not sys.argv[1:] or any(part in name for part in sys.argv[1:])]
    failed = 0
    for name, function in chosen:
        begin = time.monotonic()
        try:
            function()
            result = "ok"
        except Exception:
            traceback.print_exc()
            failed += 1
            result = "FAILED"
        print(f"{name:56} {result:6} {time.monotonic() - begin:6.1f} s", flush=True)
    print(f"{len(chosen) - failed} passed, {failed} failed")
    sys.exit(1 if failed or not chosen else 0)
