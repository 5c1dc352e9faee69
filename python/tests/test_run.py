"""`run`: arrays in place, scalars by their types, what is refused, what a trap says."""
import threading

import deltanet_check
import numpy as np
import pytest
from deltanet_check import LaunchError, Trap, run


def numbers(count, seed=0):
    return np.random.default_rng(seed).normal(size=count).astype(np.float32)


def test_arrays_are_written_in_place_and_inputs_stay(kernels):
    a, b, out = numbers(1000), numbers(1000, 1), np.zeros(1000, np.float32)
    before = a.copy(), b.copy()
    run(kernels, "kernel_mul", (4,), [256, 1, 1], a, b, out, np.int32(1000))
    assert np.array_equal(out, a * b)
    assert np.array_equal(a, before[0]) and np.array_equal(b, before[1])


def test_bytes_of_a_code_object_do_and_a_number_may_name_its_type(kernels):
    a, out = numbers(70), np.zeros(70, np.float32)
    run(kernels.read_bytes(), "kernel_mul", 1, 128, a, a, out, (70, "i32"))
    assert np.array_equal(out, a * a)


def test_one_array_may_be_several_arguments_and_views_may_overlap(kernels):
    a = numbers(300)
    wanted = a[:200] * a[100:]
    out = np.zeros(200, np.float32)
    run(kernels, "kernel_mul", 1, 256, a[:200], a[100:], out, np.int32(200))
    assert np.array_equal(out, wanted)
    run(kernels, "kernel_mul", 1, 256, out, out, out, np.int32(200))
    assert np.array_equal(out, wanted * wanted)


def test_a_trap_says_where_and_the_next_launch_runs(kernels):
    a, out = numbers(1000), np.zeros(999, np.float32)
    for _ in range(2):
        with pytest.raises(Trap) as caught:
            run(kernels, "kernel_mul", 4, 256, a, a, out, np.int32(1000))
        trap = caught.value
        assert trap.kernel == "kernel_mul" and trap.name == "hipErrorLaunchFailure"
        assert (trap.work_group, trap.wave, trap.lane, trap.work_item) == ((3, 0, 0), 3, 39, (231, 0, 0))
        assert trap.address == out.ctypes.data + 999 * 4
        assert trap.instruction.startswith("global_store_dword") and trap.pc > 0 and not trap.hang
        assert (trap.argument, trap.nearest["bytes"], trap.nearest["distance"]) == (2, 999 * 4, 0)
        assert "memory fault: write of 4 bytes" in str(trap) and "array of float32, shape (999,)" in str(trap)
        # What was written before it is there.
        assert np.array_equal(out[:768], a[:768] * a[:768])
    whole = np.zeros(1000, np.float32)
    run(kernels, "kernel_mul", 4, 256, a, a, whole, np.int32(1000))
    assert np.array_equal(whole, a * a)


def test_a_null_pointer_is_a_trap_about_no_argument(kernels):
    a = numbers(64)
    with pytest.raises(Trap) as caught:
        run(kernels, "kernel_mul", 1, 64, a, None, a, np.int32(64))
    assert caught.value.address is not None and caught.value.address < 4096


@pytest.mark.parametrize(
    "arguments, error, says",
    [
        (lambda a: (a, a, a), TypeError, "takes 4 arguments, not 3"),
        (lambda a: (a, a, a, 64), TypeError, "64 has no size"),
        (lambda a: (a, a, a, np.int64(64)), TypeError, "argument 3 of kernel `kernel_mul` has 4 bytes"),
        (lambda a: (a, a, np.float32(1), np.int32(64)), TypeError, "argument 2 of kernel `kernel_mul` is a pointer"),
        (lambda a: (a, a, a, (1 << 31, "i32")), ValueError, "is no i32"),
        (lambda a: (a, a, a, (1, "int")), ValueError, "no type `int`"),
        (lambda a: (a, a, "x", np.int32(64)), TypeError, "str is no argument"),
        (lambda a: (a, a, a, a), TypeError, "argument 3 of kernel `kernel_mul` is a value of 4 bytes, not a pointer (array of float32, shape (64,))"),
        (lambda a: (a, a, a, np.array(64, np.int32)), TypeError, "is a value of 4 bytes, not a pointer"),
        (lambda a: (a, a, a, None), TypeError, "is a value of 4 bytes, not a pointer"),
        (lambda a: (a, a, a, (np.array([1, 2], np.int16), "i32")), TypeError, "is no real number"),
        (lambda a: (a, a, a, (float("nan"), "i32")), ValueError, "nan is no i32"),
        (lambda a: (a, a, a, (1e39, "f32")), ValueError, "is beyond the largest"),
    ],
)
def test_what_does_not_fit_is_refused_before_anything_runs(kernels, arguments, error, says):
    a = numbers(64)
    with pytest.raises(error, match=says.replace("(", r"\(").replace(")", r"\)")):
        run(kernels, "kernel_mul", 1, 64, *arguments(a))


def test_names_and_shapes_that_are_none(kernels, tmp_path):
    a = numbers(64)
    with pytest.raises(deltanet_check.ToolError, match="no kernel `kernel_mull`"):
        run(kernels, "kernel_mull", 1, 64, a, a, a, np.int32(64))
    with pytest.raises(ValueError, match="grid"):
        run(kernels, "kernel_mul", 0, 64, a, a, a, np.int32(64))
    with pytest.raises(LaunchError) as caught:
        run(kernels, "kernel_mul", 1, 2048, a, a, a, np.int32(64))
    assert caught.value.name == "hipErrorInvalidValue" and not isinstance(caught.value, Trap)
    (tmp_path / "no.co").write_bytes(b"no code object")
    with pytest.raises(deltanet_check.ToolError):
        run(tmp_path / "no.co", "kernel_mul", 1, 64, a, a, a, np.int32(64))


def test_a_launch_has_the_settings_that_it_is_given(kernels):
    def racing(**settings):
        # A work-item reads what another one of another work-group writes.
        x = numbers(300)
        run(kernels, "kernel_mul", 4, 64, x[:200], numbers(200, 1), x[100:], np.int32(200), **settings)

    for checks in (True, "race", "race,init", True):
        with pytest.raises(deltanet_check.Findings, match="race") as caught:
            racing(sanitize=checks)
        assert caught.value.findings
    # The setting was for those launches alone.
    for checks in (None, False, "init"):
        racing(sanitize=checks)
    a, out = numbers(1000), np.zeros(1000, np.float32)
    for budget in (20, "20", "20,60s"):
        with pytest.raises(Trap) as hang:
            run(kernels, "kernel_mul", 4, 256, a, a, out, np.int32(1000), budget=budget)
        assert hang.value.hang
    for schedule in ("in-order", "reverse", "random", "random=7"):
        run(kernels, "kernel_mul", 4, 256, a, a, out, np.int32(1000), schedule=schedule, budget="60s", sanitize=True)
        assert np.array_equal(out, a * a)
        out[:] = 0


@pytest.mark.parametrize(
    "settings, says",
    [
        (dict(sanitize="rice"), "sanitize rice: .*rice"),
        (dict(budget="soon"), "budget soon: it is neither wave instructions"),
        (dict(budget=-1), "budget -1: "),
        (dict(schedule="backwards"), "schedule: .*backwards"),
    ],
)
def test_other_words_for_a_setting_are_refused(kernels, settings, says):
    a, out = numbers(64), np.zeros(64, np.float32)
    with pytest.raises(ValueError, match=says):
        run(kernels, "kernel_mul", 1, 64, a, a, out, np.int32(64), **settings)
    assert not out.any()
    run(kernels, "kernel_mul", 1, 64, a, a, out, np.int32(64))
    assert np.array_equal(out, a * a)


def test_threads_do_not_get_each_others_errors(kernels):
    wrong, right = [], []

    def bad():
        a, out = numbers(64), np.zeros(63, np.float32)
        for _ in range(10):
            try:
                run(kernels, "kernel_mul", 1, 64, a, a, out, np.int32(64))
            except Trap as trap:
                wrong.append(trap.argument)

    def good():
        a = numbers(64)
        for _ in range(10):
            out = np.zeros(64, np.float32)
            run(kernels, "kernel_mul", 1, 64, a, a, out, np.int32(64))
            right.append(np.array_equal(out, a * a))

    threads = [threading.Thread(target=target) for target in (bad, good, bad, good)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == [2] * 20 and right == [True] * 20


def test_bf16_rounds_to_the_nearest_and_ties_to_even():
    from deltanet_check._arguments import scalar

    for value, bits in [(1.0, 0x3F80), (1 + 2**-8, 0x3F80), (1 + 3 * 2**-8, 0x3F82), (-2.5, 0xC020), (float("inf"), 0x7F80)]:
        assert int.from_bytes(scalar(value, "bf16"), "little") == bits, value
    assert int.from_bytes(scalar(float("nan"), "bf16"), "little") & 0x7FFF > 0x7F80
