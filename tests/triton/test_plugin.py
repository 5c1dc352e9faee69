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


#: Modes of a process that a test may leave behind, processes that a test starts, threads, and what takes too long.
OTHER = """
import concurrent.futures
import multiprocessing
import subprocess
import sys
import time
import pytest
import torch
import triton
import triton.language as tl
from kernel_of_suite import double, forever


def doubled():
    x = torch.ones(64, device="cuda")
    double[(1,)](x, BLOCK=64)
    return x.device.type, float(x.sum()), x.is_cuda


def send(queue):
    queue.put(doubled())


@pytest.fixture(scope="module")
def on_card():
    torch.set_default_device("cuda")
    yield
    torch.set_default_device(None)


def test_default_is_set():
    torch.set_default_device("cuda")
    assert torch.rand(3).is_cuda and torch.get_default_device().type == "cuda"


def test_default_of_another_test_is_gone():
    assert torch.get_default_device().type == "cpu"


@pytest.mark.usefixtures("on_card")
class TestModule:
    def test_default_first(self):
        torch.set_default_device(None)

    def test_default_second(self):
        assert torch.get_default_device().type == "cuda"


@pytest.mark.parametrize("way", ["spawn", "forkserver", "fork"])
def test_process(way):
    context = multiprocessing.get_context(way)
    queue = context.Queue()
    process = context.Process(target=send, args=(queue,))
    process.start()
    assert queue.get(timeout=60) == ("cuda", 128.0, True)
    process.join()
    assert process.exitcode == 0


def test_process_program():
    code = "import torch, test_other; print(torch.cuda.is_available(), test_other.doubled())"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout == "True ('cuda', 128.0, True)\\n"


def test_thread():
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        assert {done.result() for done in [pool.submit(doubled) for _ in range(4)]} == {("cuda", 128.0, True)}


def test_slow_sleep():
    time.sleep(60)


def test_slow_kernel():
    forever[(1,)](torch.zeros(64, device="cuda"), BLOCK=64)


def test_slow_then_good():
    assert doubled()[1] == 128
"""

KERNEL = """
import triton
import triton.language as tl


@triton.jit
def double(x, BLOCK: tl.constexpr):
    at = x + tl.arange(0, BLOCK)
    tl.store(at, 2 * tl.load(at))


@triton.jit
def forever(x, BLOCK: tl.constexpr):
    at = x + tl.arange(0, BLOCK)
    total = tl.sum(tl.load(at, volatile=True), axis=0)
    while total < 1:
        total = tl.sum(tl.load(at, volatile=True), axis=0)
    tl.store(at, total)
"""


@pytest.fixture
def other(pytester, monkeypatch):
    """Runs tests of the other suite in a process of their own."""
    pytester.makepyfile(test_other=OTHER, kernel_of_suite=KERNEL)
    monkeypatch.delenv("GFX906_BUDGET", raising=False)
    # As where no process of this kind started the suite.
    monkeypatch.delenv("DELTANET_CHECK_GPU", raising=False)

    def run(*flags):
        return pytester.runpytest_subprocess("-p", "deltanet_check.pytest", "-p", "no:cacheprovider", *flags)

    return run


def test_a_default_device_is_its_tests_alone_and_a_fixtures_that_of_its_tests(other):
    other("-k", "default").assert_outcomes(passed=4, deselected=8)


def test_started_processes_and_threads_have_the_device(other):
    other("-k", "process or thread").assert_outcomes(passed=5, deselected=7)


@pytest.mark.parametrize("isolated", [(), ("--gfx906-isolate",)], ids=["together", "isolated"])
def test_what_runs_too_long_fails_in_one_line_and_the_next_test_runs(other, isolated):
    result = other("-k", "slow", "--gfx906-timeout=2", *isolated)
    result.assert_outcomes(passed=1, failed=2, deselected=9)
    result.stdout.fnmatch_lines([
        "the test ran longer than 2 s (--gfx906-timeout): test_other.py:* was running",
        "the test ran longer than 2 s (--gfx906-timeout): Triton kernel forever was running",
    ])
    assert result.duration < 60


@pytest.mark.parametrize("limit", ["0", "-1", "soon", "nan"])
def test_no_such_limit(other, limit):
    result = other(f"--gfx906-timeout={limit}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert f"argument --gfx906-timeout: invalid number of seconds value: '{limit}'" in result.stderr.str()


def test_processes_side_by_side_share_what_is_compiled(other, monkeypatch, tmp_path):
    """Workers of pytest-xdist take each other's kernels from the cache: a kernel is there once, and right for all."""
    pytest.importorskip("xdist")
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    other("-n", "2", "-k", "thread or slow_then_good").assert_outcomes(passed=2)
    assert [path.stem for path in tmp_path.rglob("*.hsaco")] == ["double"]


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
