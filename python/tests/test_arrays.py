"""Which arrays and tensors a kernel is handed, and which are refused: memory whose bytes in order are not the values is never read as such."""
import ctypes
import mmap

import numpy as np
import pytest
from deltanet_check import Mismatch, Trap, goldens, run
from numpy.lib.stride_tricks import as_strided

COUNT = 64


def numbers(*shape):
    return np.random.default_rng(7).normal(size=shape).astype(np.float32)


def frozen(array):
    array.flags.writeable = False
    return array


def unwritable_pages(values):
    """An array in memory that the process itself cannot write."""
    pages = mmap.mmap(-1, mmap.PAGESIZE)
    pages.write(values.tobytes())
    array = np.frombuffer(pages, np.float32, COUNT)
    libc = ctypes.CDLL(None, use_errno=True)
    assert libc.mprotect(ctypes.c_void_p(array.ctypes.data), ctypes.c_size_t(mmap.PAGESIZE), mmap.PROT_READ) == 0
    return frozen(array)


def in_file(tmp_path, mode):
    path = tmp_path / "values"
    numbers(COUNT).tofile(path)
    return np.memmap(path, np.float32, mode)


PAIR = np.dtype([("x", "<f4"), ("y", "<f4")])

# Inputs that a kernel reads in place, as they are.
READ = {
    "an array": lambda _: numbers(COUNT),
    "a contiguous view": lambda _: numbers(COUNT + 9)[5 : 5 + COUNT],
    "rows of an array": lambda _: numbers(20, 16)[3:7],
    "a transpose of Fortran order": lambda _: np.asfortranarray(numbers(16, 4)).T,
    "axes of length one": lambda _: numbers(1, COUNT, 1)[:, :, ::-1],
    "a reshaped array": lambda _: numbers(COUNT).reshape(4, 1, 16),
    "at an odd address": lambda _: np.frombuffer(bytearray(b"x" + numbers(COUNT).tobytes()), np.float32, COUNT, 1),
    "a matrix": lambda _: np.asmatrix(numbers(8, 8)),
    "integers of the same bytes": lambda _: numbers(COUNT).view(np.int32),
    "a structure": lambda _: numbers(COUNT).view(PAIR),
    "untyped bytes": lambda _: numbers(COUNT).view("V16"),
    "text of bytes": lambda _: np.frombuffer(bytearray(b"abcd" * COUNT), "S4"),
    "complex numbers": lambda _: numbers(COUNT).view(np.complex64),
    "truth values": lambda _: np.ones(4 * COUNT, np.bool_),
    "a file": lambda tmp_path: in_file(tmp_path, "r+"),
    "a read-only file": lambda tmp_path: in_file(tmp_path, "r"),
    "a read-only array": lambda _: frozen(numbers(COUNT)),
    "constant bytes": lambda _: np.frombuffer(numbers(COUNT).tobytes(), np.float32),
    "pages that the process cannot write": lambda _: unwritable_pages(numbers(COUNT)),
}


@pytest.mark.filterwarnings("ignore:the matrix subclass")
@pytest.mark.parametrize("make", READ.values(), ids=READ)
def test_a_kernel_reads_what_the_memory_holds(kernels, tmp_path, make):
    array = make(tmp_path)
    before = array.tobytes()
    values = np.frombuffer(before, np.float32)
    out = np.zeros(COUNT, np.float32)
    run(kernels, "kernel_mul", 1, 64, array, array, out, np.int32(COUNT))
    with np.errstate(all="ignore"):
        assert out.tobytes() == (values * values).tobytes()
    assert array.tobytes() == before


# What a kernel would read wrongly: the message says what to hand over instead.
REFUSED = {
    "a step": (lambda: numbers(2 * COUNT)[::2], "strides (8,) in bytes.*ascontiguousarray"),
    "a step backwards": (lambda: numbers(COUNT)[::-1], "strides (-4,) in bytes"),
    "a transpose": (lambda: numbers(16, 4).T, "strides (4, 16) in bytes"),
    "Fortran order": (lambda: np.asfortranarray(numbers(16, 4)), "strides (4, 64) in bytes"),
    "columns": (lambda: numbers(16, 8)[:, :4], "strides (32, 4) in bytes"),
    "a broadcast": (lambda: np.broadcast_to(np.float32(1), COUNT), "strides (0,) in bytes"),
    "a view that overlaps itself": (lambda: as_strided(numbers(COUNT), (16, 4), (8, 4)), "strides (8, 4) in bytes"),
    "a field of a structure": (lambda: np.zeros(COUNT, PAIR)["x"], "strides (8,) in bytes"),
    "a real part": (lambda: numbers(2 * COUNT).view(np.complex64).real, "strides (8,) in bytes"),
    "another byte order": (lambda: numbers(COUNT).astype(">f4"), "big-endian.*newbyteorder"),
    "another byte order within": (lambda: np.zeros(COUNT, [("x", "<f4"), ("y", [("z", ">i2", 2)])]), "big-endian"),
    "objects": (lambda: np.array([1.0] * COUNT, object), "cannot read Python objects"),
    "objects within": (lambda: np.zeros(COUNT, [("x", "f4"), ("y", "O")]), "cannot read Python objects"),
    "text": (lambda: np.array(["a"] * COUNT), "no type of a kernel.*view"),
    "dates": (lambda: np.zeros(COUNT, "M8[s]"), "no type of a kernel"),
    "durations": (lambda: np.zeros(COUNT, "m8[s]"), "no type of a kernel"),
    "long doubles": (lambda: np.zeros(COUNT, np.longdouble), "no type of a kernel.*float64"),
    "long complex numbers": (lambda: np.zeros(COUNT, np.clongdouble), "no type of a kernel"),
    "a mask": (lambda: np.ma.masked_less(numbers(COUNT), 0), "cannot read a mask.*filled"),
    "the masked number": (lambda: np.ma.masked, "cannot read a mask"),
}


def pattern(text):
    return text.replace("(", r"\(").replace(")", r"\)")


@pytest.mark.parametrize("place", [0, 2], ids=["as an input", "as an output"])
@pytest.mark.parametrize("make, says", REFUSED.values(), ids=REFUSED)
def test_what_a_kernel_would_read_wrongly_is_refused(kernels, make, says, place):
    arguments = [numbers(COUNT), numbers(COUNT), np.zeros(COUNT, np.float32), np.int32(COUNT)]
    arguments[place] = make()
    with pytest.raises(ValueError, match=pattern(says)) as caught:
        run(kernels, "kernel_mul", 1, 64, *arguments)
    assert "array of " in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize("make", [READ["a read-only array"], READ["constant bytes"], READ["a read-only file"], READ["pages that the process cannot write"]])
def test_a_write_to_a_read_only_array_is_a_trap_and_the_array_stays(kernels, tmp_path, make):
    a, out = numbers(COUNT), make(tmp_path)
    before = out.tobytes()
    with pytest.raises(Trap, match="write of 4 bytes to read-only memory") as caught:
        run(kernels, "kernel_mul", 1, 64, a, a, out, np.int32(COUNT))
    assert caught.value.argument == 2 and "shape (64,), read-only" in str(caught.value)
    assert out.tobytes() == before
    # The next launch runs.
    run(kernels, "kernel_mul", 1, 64, out, out, a, np.int32(COUNT))
    assert np.array_equal(a, out * out)


# Layouts that `copy_back` lets a kernel read and write: the array to hand over, made of an array of COUNT elements.
COPIED = {
    "a step": lambda: numbers(2 * COUNT)[::2],
    "a step backwards": lambda: numbers(COUNT)[::-1],
    "a transpose": lambda: numbers(16, 4).T,
    "Fortran order": lambda: np.asfortranarray(numbers(16, 4)),
    "columns": lambda: numbers(16, 8)[:, :4],
    "two axes exchanged": lambda: numbers(4, 2, 8).transpose(2, 0, 1),
    "a field of a structure": lambda: np.ones(COUNT, PAIR)["x"],
    "a contiguous array": lambda: numbers(COUNT),
}


@pytest.mark.parametrize("make", COPIED.values(), ids=COPIED)
def test_any_layout_is_copied_and_copied_back_where_asked(kernels, make):
    array, out = make(), make()
    b = numbers(COUNT)
    around = out if out.base is None else out.base
    outside = np.array(around)
    wanted = (array.ravel() * b).reshape(out.shape)
    run(kernels, "kernel_mul", 1, 64, array, b, out, np.int32(COUNT), copy_back=True)
    assert np.array_equal(out, wanted) and np.array_equal(array, make())
    # What is between the elements stays.
    out[...] = make()
    assert np.array_equal(around, outside)


def test_what_a_kernel_wrote_into_a_copy_before_a_trap_is_there(kernels):
    a, out = numbers(1000), np.zeros((2, 999), np.float32).T[:, 0]
    with pytest.raises(Trap) as caught:
        run(kernels, "kernel_mul", 4, 256, a, a, np.zeros((2, 999), np.float32)[0], np.int32(1000), copy_back=True)
    assert caught.value.argument == 2
    out = np.zeros(2 * 999, np.float32)[::2]
    with pytest.raises(Trap, match="copy of array of float32") as caught:
        run(kernels, "kernel_mul", 4, 256, a, a, out, np.int32(1000), copy_back=True)
    assert caught.value.argument == 2 and np.array_equal(out[:768], a[:768] * a[:768])


def test_a_copy_of_a_read_only_array_is_read_only(kernels):
    a = frozen(numbers(2 * COUNT)[::2])
    row = np.broadcast_to(np.float32(2), COUNT)
    out = np.zeros(COUNT, np.float32)
    run(kernels, "kernel_mul", 1, 64, a, row, out, np.int32(COUNT), copy_back=True)
    assert np.array_equal(out, 2 * a)
    with pytest.raises(Trap, match="read-only memory") as caught:
        run(kernels, "kernel_mul", 1, 64, out, out, a, np.int32(COUNT), copy_back=True)
    assert caught.value.argument == 2 and np.array_equal(a, numbers(2 * COUNT)[::2])


def test_copies_that_would_go_wrong_are_refused(kernels):
    a, b, count = numbers(2 * COUNT), numbers(COUNT), np.int32(COUNT)
    with pytest.raises(ValueError, match=r"argument 0 \(copy of array.*may share memory with argument 2"):
        run(kernels, "kernel_mul", 1, 64, a[::2], b, a[COUNT:], count, copy_back=True)
    with pytest.raises(ValueError, match="may share memory with argument"):
        run(kernels, "kernel_mul", 1, 64, a[::2], b, a[1::2], count, copy_back=True)
    with pytest.raises(ValueError, match="elements may overlap"):
        run(kernels, "kernel_mul", 1, 64, b, b, as_strided(a, (16, 4), (8, 4)), count, copy_back=True)
    with pytest.raises(ValueError, match="big-endian"):
        run(kernels, "kernel_mul", 1, 64, b, b, a[::2].astype(">f4"), count, copy_back=True)
    # Nobody writes either of two read-only views.
    read, out = frozen(a.view()), np.zeros(COUNT, np.float32)
    run(kernels, "kernel_mul", 1, 64, read[::2], read[1::2], out, count, copy_back=True)
    assert np.array_equal(out, a[::2] * a[1::2])


def test_memory_that_two_arguments_share_is_writable_where_one_of_them_is(kernels):
    a = numbers(COUNT + 8)
    read = frozen(a[8:])
    wanted = read * read
    run(kernels, "kernel_mul", 1, 64, read, read, a[:COUNT], np.int32(56))
    # The views overlap: the kernel's one wave reads all elements before it writes the first.
    assert np.array_equal(a[:56], wanted[:56])


def test_memories_that_share_bytes_are_one():
    from deltanet_check._arguments import Memory, Span, united

    def memory(start, end, writable=True):
        return Memory(Span(start, end), writable)

    for given, wanted in [
        ([memory(8, 16), memory(0, 8)], [memory(0, 8), memory(8, 16)]),
        ([memory(8, 16), memory(0, 9)], [memory(0, 16)]),
        ([memory(0, 64), memory(8, 16), memory(60, 70)], [memory(0, 70)]),
        ([memory(0, 8, False), memory(8, 16)], [memory(0, 8, False), memory(8, 16)]),
        ([memory(0, 8, False), memory(4, 16)], [memory(0, 16)]),
        ([memory(0, 8, False), memory(0, 8, False)], [memory(0, 8, False)]),
    ]:
        assert united(given) == wanted


def test_arrays_without_elements_and_without_axes(kernels):
    one = np.array(3, np.float32)
    out = np.zeros((), np.float32)
    run(kernels, "kernel_mul", 1, 64, one, one, out, np.int32(1))
    assert out == 9
    none = np.zeros((0, 4), np.float32)
    run(kernels, "kernel_mul", 1, 64, none, none[:, ::2], none, np.int32(0))
    with pytest.raises(Trap):
        run(kernels, "kernel_mul", 1, 64, none, none, none, np.int32(1))


# The judgement copies values, so layout and byte order are no matter there.
VALUES = {
    "as it is": lambda out: out,
    "a step": lambda out: np.repeat(out, 2)[::2],
    "backwards": lambda out: out[::-1].copy()[::-1],
    "another byte order": lambda out: out.astype(">f4"),
    "read-only": frozen,
    "f64": lambda out: out.astype(np.float64),
}


@pytest.mark.parametrize("make", VALUES.values(), ids=VALUES)
def test_the_judgement_reads_values(make):
    test = goldens.export("mul")
    test.assert_close_to_oracle("out", make(test["golden.out"]))
    wrong = test["golden.out"]
    wrong[3] += 1
    with pytest.raises(Mismatch, match="1/1024 elements"):
        test.assert_close_to_oracle("out", make(wrong))


@pytest.mark.parametrize(
    "make, error, says",
    [
        (lambda out: np.ma.masked_less(out, 0), ValueError, "masked array"),
        (lambda out: out.astype(object), TypeError, "array of object"),
        (lambda out: out.astype(str), TypeError, "cannot be judged"),
        (lambda out: out.view([("x", "f4")]), TypeError, "cannot be judged"),
        (lambda out: out.astype(np.longdouble), TypeError, "cannot be judged"),
    ],
)
def test_what_has_no_values_is_not_judged(make, error, says):
    test = goldens.export("mul")
    with pytest.raises(error, match=says):
        test.assert_close_to_oracle("out", make(test["golden.out"]))
