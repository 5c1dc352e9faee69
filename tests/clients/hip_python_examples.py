"""Examples of hip-python, AMD's Python bindings of HIP, on the emulated card."""
import ctypes
import math

import numpy as np

from checks import check, run
from hip import hip, hiprtc

random = np.random.default_rng(906)


def call(result):
    """Returns the values of a call. Raises an exception if its status is not success."""
    status, *values = result
    if status == hiprtc.hiprtcResult.HIPRTC_SUCCESS or status == hip.hipError_t.hipSuccess:
        return values[0] if len(values) == 1 else tuple(values)
    raise RuntimeError(str(status))


def device_properties():
    """Returns the properties of the card: hip-python 10 returns them, earlier ones fill a structure."""
    properties = hip.hipDeviceProp_t()
    try:
        call(hip.hipGetDeviceProperties(properties, 0))
    except TypeError:
        properties = call(hip.hipGetDeviceProperties(0))
    return properties


def text(value):
    """Returns a string of a structure: hip-python 10 gives text, earlier ones bytes."""
    return value if isinstance(value, str) else value.decode()


def compiled(source, name, options=()):
    """Compiles a kernel by hipRTC; returns the module, which must live as long as the kernel, and the kernel."""
    program = call(hiprtc.hiprtcCreateProgram(source, b"example", 0, None, None))
    options = [f"--offload-arch={text(device_properties().gcnArchName)}".encode(), *options]
    status, *_ = hiprtc.hiprtcCompileProgram(program, len(options), options)
    if status != hiprtc.hiprtcResult.HIPRTC_SUCCESS:
        log = bytearray(call(hiprtc.hiprtcGetProgramLogSize(program)))
        call(hiprtc.hiprtcGetProgramLog(program, log))
        raise RuntimeError(log.decode())
    code = bytearray(call(hiprtc.hiprtcGetCodeSize(program)))
    call(hiprtc.hiprtcGetCode(program, code))
    module = call(hip.hipModuleLoadData(code))
    call(hiprtc.hiprtcDestroyProgram(program.createRef()))
    return module, call(hip.hipModuleGetFunction(module, name))


def launch(kernel, groups, lanes, arguments, stream=None, lds=0):
    """Launches a kernel over one dimension."""
    call(hip.hipModuleLaunchKernel(kernel, *(groups, 1, 1), *(lanes, 1, 1), lds, stream, None, arguments))


def upload(host):
    """Copies an array into fresh memory of the card."""
    memory = call(hip.hipMalloc(host.nbytes))
    call(hip.hipMemcpy(memory, host, host.nbytes, hip.hipMemcpyKind.hipMemcpyHostToDevice))
    return memory


def download(memory, shape, kind):
    """Copies memory of the card into a fresh array."""
    host = np.empty(shape, kind)
    call(hip.hipMemcpy(host, memory, host.nbytes, hip.hipMemcpyKind.hipMemcpyDeviceToHost))
    return host


SCALE = b"""
extern "C" __global__ void scale(float* x, float factor, int n) {
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at < n) x[at] *= factor;
}
"""


@check
def properties_of_the_device():
    assert call(hip.hipGetDeviceCount()) == 1
    properties = device_properties()
    assert text(properties.gcnArchName).startswith("gfx906") and "MI50" in text(properties.name)
    assert properties.warpSize == 64 and properties.multiProcessorCount == 60
    assert properties.sharedMemPerBlock == 65536 and list(properties.maxThreadsDim) == [1024, 1024, 1024]


@check
def attributes_of_the_device():
    for attribute, expected in (
        (hip.hipDeviceAttribute_t.hipDeviceAttributeWarpSize, 64),
        (hip.hipDeviceAttribute_t.hipDeviceAttributeMaxThreadsPerBlock, 1024),
        (hip.hipDeviceAttribute_t.hipDeviceAttributeMultiprocessorCount, 60),
    ):
        assert call(hip.hipDeviceGetAttribute(attribute, 0)) == expected


@check
def versions():
    assert call(hip.hipRuntimeGetVersion()) > 50000000
    assert call(hiprtc.hiprtcVersion())[0] >= 5


@check
def copies_to_the_card_and_back():
    host = random.integers(0, 1000, (100, 7))
    memory = upload(host)
    assert (download(memory, host.shape, host.dtype) == host).all()
    call(hip.hipMemset(memory, 0, host.nbytes))
    assert not download(memory, host.shape, host.dtype).any()
    call(hip.hipFree(memory))


@check
def memory_in_rows():
    memory, pitch = call(hip.hipMallocPitch(100, 5))
    assert pitch >= 100
    host = random.integers(0, 256, (5, 100)).astype(np.uint8)
    kinds = hip.hipMemcpyKind
    call(hip.hipMemcpy2D(memory, pitch, host, 100, 100, 5, kinds.hipMemcpyHostToDevice))
    back = np.zeros_like(host)
    call(hip.hipMemcpy2D(back, 100, memory, pitch, 100, 5, kinds.hipMemcpyDeviceToHost))
    assert (back == host).all()
    call(hip.hipFree(memory))


@check
def free_memory_shrinks():
    free, total = call(hip.hipMemGetInfo())
    memory = call(hip.hipMalloc(1 << 26))
    assert call(hip.hipMemGetInfo())[0] <= free - (1 << 26) and free <= total
    call(hip.hipFree(memory))


@check
def errors_are_statuses():
    status, *_ = hip.hipSetDevice(7)
    assert status == hip.hipError_t.hipErrorInvalidDevice
    assert "invalid device" in str(call(hip.hipGetErrorString(status)))


@check
def kernel_of_hiprtc():
    module, kernel = compiled(SCALE, b"scale")
    host = random.standard_normal(1000, dtype=np.float32)
    memory = upload(host)
    launch(kernel, math.ceil(1000 / 256), 256, (memory, ctypes.c_float(1.5), ctypes.c_int(1000)))
    assert (download(memory, 1000, np.float32) == host * np.float32(1.5)).all()
    call(hip.hipModuleUnload(module))
    call(hip.hipFree(memory))


@check
def kernel_with_shared_memory():
    source = b"""
    extern "C" __global__ void total(const int* x, int* sums) {
        extern __shared__ int part[];
        part[threadIdx.x] = x[blockIdx.x * blockDim.x + threadIdx.x];
        for (int half = blockDim.x / 2; half; half /= 2) {
            __syncthreads();
            if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
        }
        if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
    }
    """
    module, kernel = compiled(source, b"total")
    host = random.integers(-100, 100, (5, 256)).astype(np.int32)
    x, sums = upload(host), upload(np.zeros(5, np.int32))
    launch(kernel, 5, 256, (x, sums), lds=256 * 4)
    assert (download(sums, 5, np.int32) == host.sum(axis=1)).all()
    call(hip.hipModuleUnload(module))


@check
def source_that_does_not_compile():
    try:
        compiled(b'extern "C" __global__ void wrong() { undeclared_name = 1; }', b"wrong")
    except RuntimeError as error:
        assert "undeclared_name" in str(error)
    else:
        raise AssertionError("it compiled")


@check
def variable_of_a_module():
    source = b"""
    __device__ int factors[4];
    extern "C" __global__ void apply(int* x) { x[threadIdx.x] *= factors[threadIdx.x % 4]; }
    """
    module, kernel = compiled(source, b"apply")
    address, size = call(hip.hipModuleGetGlobal(module, b"factors"))
    assert size == 16
    factors = np.array([1, 10, 100, 1000], np.int32)
    call(hip.hipMemcpy(address, factors, 16, hip.hipMemcpyKind.hipMemcpyHostToDevice))
    memory = upload(np.arange(64, dtype=np.int32))
    launch(kernel, 1, 64, (memory,))
    assert (download(memory, 64, np.int32) == np.arange(64) * np.tile(factors, 16)).all()


@check
def streams_and_events():
    module, kernel = compiled(SCALE, b"scale")
    host = random.standard_normal(4096, dtype=np.float32)
    back = np.empty_like(host)
    memory = call(hip.hipMalloc(host.nbytes))
    first, second = call(hip.hipStreamCreate()), call(hip.hipStreamCreate())
    begin, end = call(hip.hipEventCreate()), call(hip.hipEventCreate())
    kinds = hip.hipMemcpyKind
    call(hip.hipEventRecord(begin, first))
    call(hip.hipMemcpyAsync(memory, host, host.nbytes, kinds.hipMemcpyHostToDevice, first))
    launch(kernel, 16, 256, (memory, ctypes.c_float(2), ctypes.c_int(4096)), first)
    call(hip.hipEventRecord(end, first))
    call(hip.hipStreamWaitEvent(second, end, 0))
    call(hip.hipMemcpyAsync(back, memory, host.nbytes, kinds.hipMemcpyDeviceToHost, second))
    call(hip.hipStreamSynchronize(second))
    assert (back == host * 2).all()
    assert call(hip.hipEventElapsedTime(begin, end)) >= 0
    for stream in (first, second):
        call(hip.hipStreamDestroy(stream))


@check
def captured_graph():
    module, kernel = compiled(SCALE, b"scale")
    memory = upload(np.ones(64, np.float32))
    stream = call(hip.hipStreamCreate())
    call(hip.hipStreamBeginCapture(stream, hip.hipStreamCaptureMode.hipStreamCaptureModeGlobal))
    launch(kernel, 1, 64, (memory, ctypes.c_float(3), ctypes.c_int(64)), stream)
    graph = call(hip.hipStreamEndCapture(stream))
    runnable = call(hip.hipGraphInstantiateWithFlags(graph, 0))
    for _ in range(4):
        call(hip.hipGraphLaunch(runnable, stream))
    call(hip.hipStreamSynchronize(stream))
    assert (download(memory, 64, np.float32) == 81).all()


@check
def pinned_and_managed_memory():
    for allocate, free in ((lambda size: hip.hipHostMalloc(size, 0), hip.hipHostFree), (lambda size: hip.hipMallocManaged(size, hip.hipMemAttachGlobal), hip.hipFree)):
        memory = call(allocate(64 * 4))
        values = np.ctypeslib.as_array((ctypes.c_float * 64).from_address(int(memory)))
        values[:] = np.arange(64)
        module, kernel = compiled(SCALE, b"scale")
        launch(kernel, 1, 64, (memory, ctypes.c_float(2), ctypes.c_int(64)))
        call(hip.hipDeviceSynchronize())
        assert (values == np.arange(64) * 2).all()
        call(free(memory))


@check
def occupancy_of_a_kernel():
    module, kernel = compiled(SCALE, b"scale")
    assert call(hip.hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(kernel, 256, 0)) == 8
    assert call(hip.hipFuncGetAttribute(hip.hipFunction_attribute.HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, kernel)) == 1024


@check
def kernel_that_faults():
    """An access to no allocation is an error of the next call that waits. It comes last: the device is lost until it is reset."""
    module, kernel = compiled(b'extern "C" __global__ void stray(int* x) { x[threadIdx.x] = 1; }', b"stray")
    launch(kernel, 1, 64, (ctypes.c_void_p(64),))
    status, *_ = hip.hipDeviceSynchronize()
    assert status == hip.hipError_t.hipErrorLaunchFailure, status
    call(hip.hipDeviceReset())


run()
