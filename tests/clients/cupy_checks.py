"""Checks of CuPy for ROCm on the emulated card, against NumPy."""
import numpy as np

import cupy as cp
from checks import check, ends_the_process, refused, run
from cupyx.scipy import sparse

random = np.random.default_rng(906)
#: The version of ROCm that the wheel was built with: 5 for CuPy 12, 7 for CuPy 14.
ROCM = cp.cuda.driver.get_build_version() // 10_000_000


def of_rocm(version):
    """Registers a check for the wheel of one version of ROCm."""
    return check if version == ROCM else lambda function: function


def near(got, expected, tolerance=1e-5):
    """Requires the shape and type of `expected`, and its values within a tolerance that is relative and absolute."""
    got, expected = cp.asnumpy(got), np.asarray(expected)
    assert got.shape == expected.shape, f"shape {got.shape} instead of {expected.shape}"
    assert got.dtype == expected.dtype, f"type {got.dtype} instead of {expected.dtype}"
    np.testing.assert_allclose(got, expected, rtol=tolerance, atol=tolerance)


def same(got, expected):
    """Requires the shape, the type and every bit of `expected`."""
    near(got, expected, 0)


def singles(*shape):
    """Normal numbers in f32."""
    return random.standard_normal(shape, dtype=np.float32)


# Devices and memory


@check
def properties_of_the_device():
    properties = cp.cuda.runtime.getDeviceProperties(0)
    assert properties["gcnArchName"].startswith(b"gfx906")
    assert properties["warpSize"] == 64 and properties["multiProcessorCount"] == 60
    assert cp.cuda.runtime.getDeviceCount() == 1
    free, total = cp.cuda.runtime.memGetInfo()
    assert 0 < free <= total


@check
def copies_to_the_card_and_back():
    for kind in (np.float16, np.float32, np.float64, np.int8, np.uint16, np.int64, np.complex64, np.bool_):
        host = (random.standard_normal((7, 5)) * 50).astype(kind)
        same(cp.asarray(host), host)


@check
def memory_pool_reuses_blocks():
    pool = cp.cuda.MemoryPool()
    with cp.cuda.using_allocator(pool.malloc):
        first = cp.zeros(1000, dtype=cp.float32)
        address = first.data.ptr
        del first
        second = cp.ones(1000, dtype=cp.float32)
        assert second.data.ptr == address
        same(second, np.ones(1000, dtype=np.float32))


@check
def pinned_memory():
    memory = cp.cuda.alloc_pinned_memory(4096)
    host = np.frombuffer(memory, np.float32, 1024)
    host[:] = singles(1024)
    card = cp.empty(1024, dtype=cp.float32)
    card.set(host)
    same(card * 2, host * 2)


@check
def managed_memory():
    with cp.cuda.using_allocator(cp.cuda.malloc_managed):
        host = singles(100)
        same(cp.asarray(host) + 1, host + 1)


# Creation and indexing


@check
def creation_of_arrays():
    same(cp.arange(3, 40, 5), np.arange(3, 40, 5))
    near(cp.linspace(-1, 1, 33), np.linspace(-1, 1, 33), 1e-15)
    same(cp.eye(5, k=1), np.eye(5, k=1))
    same(cp.full((3, 4), 7.5), np.full((3, 4), 7.5))
    same(cp.tri(6, 4), np.tri(6, 4))


@check
def slices_and_strides():
    host = singles(12, 14)
    card = cp.asarray(host)
    same(card[::2, ::-3] + 0, host[::2, ::-3] + 0)
    same(card.T.copy(), host.T.copy())
    card[3:7, 1::4] = 5
    host[3:7, 1::4] = 5
    same(card, host)


@check
def indices_that_are_arrays():
    host = singles(30, 4)
    rows = random.integers(0, 30, 50)
    same(cp.asarray(host)[cp.asarray(rows)], host[rows])
    same(cp.take(cp.asarray(host), cp.asarray(rows), axis=0), np.take(host, rows, axis=0))


@check
def masks_select_elements():
    host = singles(999)
    card = cp.asarray(host)
    same(card[card > 0.5], host[host > 0.5])
    same(cp.where(card > 0, card, -card), np.where(host > 0, host, -host))
    same(cp.nonzero(card > 0)[0], np.nonzero(host > 0)[0])


@check
def writes_at_indices():
    host = np.zeros(20, dtype=np.int32)
    card = cp.zeros(20, dtype=np.int32)
    at = np.array([3, 3, 7, 19, 3])
    np.add.at(host, at, 2)
    cp.add.at(card, cp.asarray(at), 2)
    same(card, host)


@check
def joined_and_split_arrays():
    first, second = singles(3, 4), singles(2, 4)
    same(cp.concatenate([cp.asarray(first), cp.asarray(second)]), np.concatenate([first, second]))
    same(cp.stack([cp.asarray(first)] * 3, axis=1), np.stack([first] * 3, axis=1))
    for got, expected in zip(cp.split(cp.asarray(first), 2, axis=1), np.split(first, 2, axis=1)):
        same(got, expected)
    same(cp.tile(cp.asarray(second), (2, 3)), np.tile(second, (2, 3)))
    same(cp.roll(cp.asarray(first), 2, axis=1), np.roll(first, 2, axis=1))


# Universal functions


@check
def arithmetic_in_f32():
    first, second = singles(1000), singles(1000)
    a, b = cp.asarray(first), cp.asarray(second)
    same(a + b, first + second)
    same(a * b - 3, first * second - 3)
    near(a / b, first / second, 1e-6)
    near(cp.sqrt(cp.abs(a)), np.sqrt(np.abs(first)), 1e-6)


@check
def arithmetic_in_f16():
    first, second = singles(1000).astype(np.float16), singles(1000).astype(np.float16)
    same(cp.asarray(first) + cp.asarray(second), first + second)
    same(cp.asarray(first) * cp.asarray(second), first * second)


@check
def arithmetic_in_f64():
    first, second = random.standard_normal(1000), random.standard_normal(1000)
    same(cp.asarray(first) * cp.asarray(second) + 0.1, first * second + 0.1)
    near(cp.asarray(first) / cp.asarray(second), first / second, 1e-15)


@check
def arithmetic_of_integers():
    first = random.integers(-1000, 1000, 500)
    second = random.integers(1, 50, 500)
    a, b = cp.asarray(first), cp.asarray(second)
    for function in ("floor_divide", "remainder", "bitwise_xor", "maximum", "gcd", "left_shift"):
        if function == "left_shift":
            same(cp.left_shift(a, b % 20), np.left_shift(first, second % 20))
        else:
            same(getattr(cp, function)(a, b), getattr(np, function)(first, second))


@check
def arithmetic_of_complex_numbers():
    first = singles(200) + 1j * singles(200)
    second = singles(200) + 1j * singles(200)
    a, b = cp.asarray(first), cp.asarray(second)
    near(a * b, first * second)
    near(a / b, first / second, 1e-4)
    near(cp.abs(a), np.abs(first))
    near(cp.exp(a), np.exp(first), 1e-4)


@check
def exponentials_and_logarithms():
    host = np.abs(singles(1000)) + 0.01
    card = cp.asarray(host)
    for function in ("exp", "exp2", "expm1", "log", "log2", "log10", "log1p"):
        near(getattr(cp, function)(card), getattr(np, function)(host), 2e-6)


@check
def trigonometric_functions():
    host = singles(1000)
    card = cp.asarray(host)
    for function in ("sin", "cos", "tan", "arctan", "sinh", "cosh", "tanh"):
        near(getattr(cp, function)(card), getattr(np, function)(host), 5e-6)


@check
def comparisons_and_nan():
    host = singles(300)
    host[::7] = np.nan
    host[::11] = np.inf
    card = cp.asarray(host)
    same(cp.isnan(card), np.isnan(host))
    same(card < 0.25, host < 0.25)
    same(cp.nan_to_num(card), np.nan_to_num(host))
    same(cp.fmax(card, 0), np.fmax(host, np.float32(0)))


@check
def rounding():
    host = singles(500) * 10
    card = cp.asarray(host)
    for function in ("floor", "ceil", "trunc", "rint"):
        same(getattr(cp, function)(card), getattr(np, function)(host))
    same(card.astype(cp.int32), host.astype(np.int32))


@check
def broadcast_of_shapes():
    first, second = singles(5, 1, 7), singles(6, 1)
    same(cp.asarray(first) + cp.asarray(second), first + second)


@check
def fused_function():
    @cp.fuse()
    def silu(x):
        return x / (1 + cp.exp(-x))

    host = singles(1000)
    near(silu(cp.asarray(host)), host / (1 + np.exp(-host)), 2e-6)


# Reductions, running sums, searches


@check
def sums_and_means():
    host = singles(65, 130)
    card = cp.asarray(host)
    for axis in (None, 0, 1):
        near(card.sum(axis=axis), host.sum(axis=axis), 1e-4)
        near(card.mean(axis=axis), host.mean(axis=axis))
        near(card.std(axis=axis), host.std(axis=axis))


@check
def extremes_and_their_places():
    host = singles(40, 70)
    card = cp.asarray(host)
    for axis in (None, 0, 1):
        same(card.max(axis=axis), host.max(axis=axis))
        same(card.min(axis=axis), host.min(axis=axis))
        same(card.argmax(axis=axis), host.argmax(axis=axis))
        same(card.argmin(axis=axis), host.argmin(axis=axis))


@check
def products_and_truth():
    host = random.integers(1, 4, (6, 9))
    card = cp.asarray(host)
    same(card.prod(axis=1), host.prod(axis=1))
    same((card > 1).all(axis=0), (host > 1).all(axis=0))
    same((card > 2).any(), (host > 2).any())
    same(cp.count_nonzero(card == 3), np.asarray(np.count_nonzero(host == 3)))


@check
def running_sums():
    host = random.integers(-5, 5, 3000)
    same(cp.cumsum(cp.asarray(host)), np.cumsum(host))
    rows = random.integers(1, 3, (5, 11))
    same(cp.cumprod(cp.asarray(rows), axis=1), np.cumprod(rows, axis=1))


@of_rocm(5)
def sorted_arrays():
    host = singles(3000)
    card = cp.asarray(host)
    same(cp.sort(card), np.sort(host))
    same(cp.argsort(card), np.argsort(host))
    rows = random.integers(0, 100, (9, 33))
    same(cp.sort(cp.asarray(rows), axis=0), np.sort(rows, axis=0))
    same(cp.unique(cp.asarray(rows)), np.unique(rows))
    same(cp.median(card), np.median(host))
    keys = random.integers(0, 5, (2, 200))
    same(cp.lexsort(cp.asarray(keys)), np.lexsort(keys))


@check
def counts_and_searches():
    host = random.integers(0, 50, 400)
    card = cp.asarray(host)
    same(cp.bincount(card), np.bincount(host))
    grid = np.arange(0, 50, 7)
    same(cp.searchsorted(cp.asarray(grid), card), np.searchsorted(grid, host))


@check
def histograms():
    host = singles(2000)
    got, edges = cp.histogram(cp.asarray(host), bins=16)
    expected, expected_edges = np.histogram(host, bins=16)
    same(got, expected)
    near(edges, expected_edges.astype(edges.dtype), 1e-6)


# Linear algebra, by the rocBLAS of the emulator


@check
def products_of_matrices_in_f32():
    first, second = singles(65, 130), singles(130, 33)
    near(cp.asarray(first) @ cp.asarray(second), first @ second, 1e-4)
    near(cp.asarray(second).T @ cp.asarray(first).T, second.T @ first.T, 1e-4)


@check
def products_of_matrices_in_f64():
    first, second = random.standard_normal((40, 50)), random.standard_normal((50, 60))
    near(cp.asarray(first) @ cp.asarray(second), first @ second, 1e-13)


@check
def products_of_matrices_in_f16():
    first, second = singles(32, 48).astype(np.float16), singles(48, 16).astype(np.float16)
    expected = (first.astype(np.float32) @ second.astype(np.float32)).astype(np.float16)
    near(cp.asarray(first) @ cp.asarray(second), expected, 2e-2)


@check
def products_of_complex_matrices():
    first = singles(20, 30) + 1j * singles(20, 30)
    second = singles(30, 10) + 1j * singles(30, 10)
    near(cp.asarray(first) @ cp.asarray(second), first @ second, 1e-4)


@check
def batches_of_products():
    first, second = singles(6, 17, 20), singles(6, 20, 9)
    near(cp.matmul(cp.asarray(first), cp.asarray(second)), np.matmul(first, second), 1e-4)


@check
def dot_and_einsum():
    first, second = singles(300), singles(300)
    near(cp.dot(cp.asarray(first), cp.asarray(second)), np.dot(first, second), 1e-4)
    a, b = singles(4, 5, 6), singles(6, 5, 3)
    near(cp.einsum("ijk,kjl->il", cp.asarray(a), cp.asarray(b)), np.einsum("ijk,kjl->il", a, b), 1e-4)
    near(cp.tensordot(cp.asarray(a), cp.asarray(b), axes=([2], [0])), np.tensordot(a, b, axes=([2], [0])), 1e-4)


@check
def norms_of_vectors():
    host = singles(500)
    near(cp.linalg.norm(cp.asarray(host)), np.linalg.norm(host))
    rows = singles(20, 30)
    near(cp.linalg.norm(cp.asarray(rows), axis=1), np.linalg.norm(rows, axis=1))


# Kernels of a user


@check
def raw_kernel():
    kernel = cp.RawKernel(
        r"""
        extern "C" __global__ void scale(const float* x, float* y, float factor, int n) {
            int at = blockIdx.x * blockDim.x + threadIdx.x;
            if (at < n) y[at] = factor * x[at];
        }
        """,
        "scale",
    )
    host = singles(1000)
    y = cp.zeros(1000, dtype=cp.float32)
    kernel((4,), (256,), (cp.asarray(host), y, np.float32(2.5), np.int32(1000)))
    same(y, np.float32(2.5) * host)
    assert kernel.max_threads_per_block == 1024


@check
def raw_kernel_with_shared_memory():
    kernel = cp.RawKernel(
        r"""
        extern "C" __global__ void reverse(const int* x, int* y) {
            extern __shared__ int row[];
            row[threadIdx.x] = x[blockIdx.x * blockDim.x + threadIdx.x];
            __syncthreads();
            y[blockIdx.x * blockDim.x + threadIdx.x] = row[blockDim.x - 1 - threadIdx.x];
        }
        """,
        "reverse",
    )
    host = random.integers(0, 1000, (3, 192)).astype(np.int32)
    y = cp.zeros((3, 192), dtype=cp.int32)
    kernel((3,), (192,), (cp.asarray(host), y), shared_mem=192 * 4)
    same(y, host[:, ::-1])


@check
def raw_module_with_a_template_and_a_constant():
    module = cp.RawModule(
        code=r"""
        __constant__ float offsets[4];
        template <typename T> __global__ void shift(T* x) { x[threadIdx.x] += (T)offsets[threadIdx.x % 4]; }
        """,
        options=("-std=c++17",),
        name_expressions=["shift<float>", "shift<double>"],
    )
    offsets = np.array([1, 2, 3, 4], dtype=np.float32)
    memory = module.get_global("offsets")
    cp.ndarray(4, cp.float32, memory)[:] = cp.asarray(offsets)
    for name, kind in (("shift<float>", np.float32), ("shift<double>", np.float64)):
        x = cp.arange(64, dtype=kind)
        module.get_function(name)((1,), (64,), (x,))
        same(x, np.arange(64, dtype=kind) + np.tile(offsets, 16).astype(kind))


@check
def elementwise_kernel():
    kernel = cp.ElementwiseKernel("T x, T y", "T z", "z = (x - y) * (x - y)", "squared_difference")
    first, second = singles(8, 30), singles(30)
    same(kernel(cp.asarray(first), cp.asarray(second)), (first - second) * (first - second))


@check
def reduction_kernel():
    kernel = cp.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "norm")
    host = singles(12, 50)
    near(kernel(cp.asarray(host), axis=1), np.sqrt((host * host).sum(axis=1)))


@check
def source_that_does_not_compile():
    refused("undeclared_name", lambda: cp.RawKernel('extern "C" __global__ void wrong() { undeclared_name = 1; }', "wrong").compile())


# Streams, events, graphs


@check
def streams_and_events():
    stream, other = cp.cuda.Stream(non_blocking=True), cp.cuda.Stream(non_blocking=True)
    begin, end = cp.cuda.Event(), cp.cuda.Event()
    host = singles(5000)
    with stream:
        begin.record()
        squares = cp.square(cp.asarray(host))
        end.record()
    other.wait_event(end)
    with other:
        doubled = squares * 2
    other.synchronize()
    assert stream.done and end.done
    assert cp.cuda.get_elapsed_time(begin, end) >= 0
    same(doubled, host * host * 2)


@of_rocm(7)
def callbacks_of_the_host():
    called = []
    stream = cp.cuda.Stream()
    with stream:
        cp.ones(10)
        stream.launch_host_func(called.append, "called")
    stream.synchronize()
    assert called == ["called"]


@of_rocm(7)
def captured_graph():
    host = singles(64)
    x, y = cp.asarray(host), cp.zeros(64, dtype=cp.float32)
    cp.multiply(x, 3, out=y)  # compiles the kernel, which a capture must not
    stream = cp.cuda.Stream(non_blocking=True)
    with stream:
        stream.begin_capture()
        cp.multiply(x, 3, out=y)
        cp.add(y, x, out=y)
        graph = stream.end_capture()
    y.fill(0)
    cp.cuda.Device().synchronize()
    for _ in range(3):
        graph.launch(stream)
    stream.synchronize()
    same(y, host * 3 + host)


# Random numbers and sparse matrices, by Debian's hipRAND, rocRAND, hipSPARSE and rocSPARSE


@check
def random_numbers():
    def draw(seed):
        return cp.random.RandomState(seed, method=cp.cuda.curand.CURAND_RNG_PSEUDO_PHILOX4_32_10)

    uniform = draw(7).random_sample(4096, dtype=cp.float32)
    same(draw(7).random_sample(4096, dtype=cp.float32), uniform.get())
    assert (draw(8).random_sample(4096, dtype=cp.float32) != uniform).any()
    assert 0 <= uniform.min() and uniform.max() <= 1 and abs(uniform.mean() - 0.5) < 0.03
    normal = draw(7).normal(2, 3, 4096, dtype=cp.float32)
    assert abs(normal.mean() - 2) < 0.25 and abs(normal.std() - 3) < 0.2


@of_rocm(5)
def generator_of_random_numbers():
    uniform = cp.random.default_rng(3).random(4096)
    same(cp.random.default_rng(3).random(4096), uniform.get())
    assert (cp.random.default_rng(4).random(4096) != uniform).any()
    assert 0 <= uniform.min() and uniform.max() <= 1 and abs(uniform.mean() - 0.5) < 0.03


@of_rocm(5)
def sparse_matrix_times_vector():
    dense = singles(30, 40)
    dense[random.random((30, 40)) < 0.7] = 0
    matrix = sparse.csr_matrix(cp.asarray(dense))
    assert matrix.nnz == np.count_nonzero(dense)
    vector = singles(40)
    near(matrix @ cp.asarray(vector), dense @ vector)
    same(matrix.toarray(), dense)


# What cannot work: a message, never a value


@check
def fft_is_refused():
    refused("CUFFT_NOT_SUPPORTED", cp.fft.fft, cp.ones(16))


@check
def factorizations_are_refused():
    matrix = cp.eye(4) + 1
    for function in (cp.linalg.svd, cp.linalg.cholesky, cp.linalg.inv):
        refused("rocblas_status_not_implemented", function, matrix)


@of_rocm(7)
def sparse_matrices_are_refused():
    parts = cp.ones(2), cp.arange(2, dtype=cp.int32), cp.arange(3, dtype=cp.int32)
    refused("HIPSPARSE_STATUS_NOT_SUPPORTED", lambda: sparse.csr_matrix(parts, shape=(2, 2)))


@of_rocm(7)
def kernels_without_code_for_gfx906_are_refused():
    """The wheel's own kernels of rocThrust are compiled for gfx908 and later alone."""
    refused("hipErrorNoBinaryForGpu", cp.sort, cp.ones(16))


@of_rocm(7)
def launches_that_cupy_does_not_check_are_reported():
    """CuPy's generators have no code for gfx906 either, and CuPy takes what the array's memory held before for their numbers."""
    code = "import cupy; print(cupy.random.default_rng(1).random(4))"
    ends_the_process("was not launched: the program has no code for gfx906", code, GFX906_ABORT="1")


run()
