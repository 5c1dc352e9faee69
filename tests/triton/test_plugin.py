"""`-p deltanet_check.pytest` itself: isolation, the sanitizer, and what is refused."""
import pytest

pytest_plugins = ["pytester"]

SUITE = """
import os
import pytest
import torch
import triton
import triton.language as tl

LEFT = []


@triton.jit
def read(x, out, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at))


def test_good():
    LEFT.append(1)
    x, out = torch.ones(64, device="cuda"), torch.zeros(64, device="cuda")
    read[(1,)](x, out, BLOCK=64)
    assert torch.equal(x, out)


def test_fault():
    read[(1,)](torch.ones(63, device="cuda"), torch.zeros(64, device="cuda"), BLOCK=64)


def test_end():
    if os.environ.get("MAY_END"):
        os.abort()


def test_alone():
    assert not LEFT


def test_skipped():
    pytest.skip("no reason")


@triton.jit
def meet(x, BLOCK: tl.constexpr):
    tl.store(x + tl.program_id(0) * 0 + tl.arange(0, BLOCK), tl.program_id(0))


def test_race():
    meet[(2,)](torch.zeros(64, dtype=torch.int32, device="cuda"), BLOCK=64)
"""


@pytest.fixture
def suite(pytester, monkeypatch):
    """Runs the suite with flags in a process of its own."""
    pytester.makepyfile(SUITE)
    monkeypatch.delenv("GFX906_SANITIZE", raising=False)

    def run(*flags):
        return pytester.runpytest_subprocess("-p", "deltanet_check.pytest", "-p", "no:cacheprovider", *flags)

    return run


def test_in_one_process_a_fault_is_one_tests_alone(suite):
    result = suite()
    result.assert_outcomes(passed=3, failed=2, skipped=1)
    result.stdout.fnmatch_lines(["gfx906: emulated MI50*", "*Trap: Triton kernel read: hipErrorLaunchFailure", "*memory fault: read of 4 bytes*", "*argument    0 is nearest: `x`*"])


def test_each_in_a_process_of_its_own(suite, monkeypatch):
    monkeypatch.setenv("MAY_END", "1")
    result = suite("--gfx906-isolate")
    result.assert_outcomes(passed=3, failed=2, skipped=1)
    result.stdout.fnmatch_lines(["*argument    0 is nearest: `x`*", "*ended by signal 6 (SIGABRT)*"])


def test_what_the_sanitizer_finds_fails_the_test(suite):
    result = suite("--gfx906-sanitize=race", "-k", "good or race")
    result.assert_outcomes(passed=1, failed=1, deselected=4)
    result.stdout.fnmatch_lines(["*Findings: race*"])


def test_no_such_check(suite):
    result = suite("--gfx906-sanitize=races")
    assert result.ret != 0
    assert "no check races; there is all, hazard" in result.stdout.str() + result.stderr.str()
