// Additions of HIP 6 and 7 for launches, copies and nodes: attributes, one structure for all kinds of nodes, the driver's copies of planes.
#include "check.h"

struct LaunchAttribute {
    unsigned id;
    char pad[4];
    union {
        char bytes[64];
        int cooperative;
    };
};
struct LaunchConfig {
    dim3 grid, block;
    size_t lds;
    hipStream_t stream;
    LaunchAttribute* attributes;
    unsigned count;
};
struct DriverConfig {
    unsigned grid[3], block[3], lds;
    hipStream_t stream;
    LaunchAttribute* attributes;
    unsigned count;
};
struct NodeParameters {
    int type, reserved[3];
    union {
        long long room[29];
        hipKernelNodeParams kernel;
        struct {
            int flags, reserved[3];
            hipMemcpy3DParms parameters;
        } copy;
        hipMemsetParams fill;
        hipHostNodeParams host;
        hipGraph_t child;
        hipEvent_t event;
    };
    long long more;
    NodeParameters(int kind) : type(kind), reserved(), room(), more() {}
};
extern "C" {
hipError_t hipLaunchKernelExC(const LaunchConfig*, const void*, void**);
hipError_t hipDrvLaunchKernelEx(const DriverConfig*, hipFunction_t, void**, void**);
hipError_t hipGetFuncBySymbol(hipFunction_t*, const void*);
hipError_t hipOccupancyAvailableDynamicSMemPerBlock(size_t*, const void*, int, int);
hipError_t hipGraphAddNode(hipGraphNode_t*, hipGraph_t, const hipGraphNode_t*, size_t, NodeParameters*);
hipError_t hipGraphExecNodeSetParams(hipGraphExec_t, hipGraphNode_t, NodeParameters*);
hipError_t hipGraphAddMemFreeNode(hipGraphNode_t*, hipGraph_t, const hipGraphNode_t*, size_t, void*);
hipError_t hipDrvGraphAddMemcpyNode(hipGraphNode_t*, hipGraph_t, const hipGraphNode_t*, size_t, const HIP_MEMCPY3D*, hipCtx_t);
hipError_t hipDrvGraphAddMemsetNode(hipGraphNode_t*, hipGraph_t, const hipGraphNode_t*, size_t, const hipMemsetParams*, hipCtx_t);
}

__global__ void add(int* x, int by) { x[blockIdx.x * blockDim.x + threadIdx.x] += by; }

// 1000 bytes of static LDS, which the compiler may align. The end of the dynamic LDS hands values from one work-item to another.
__global__ void reverse(int* x, int last) {
    __shared__ int own[250];
    extern __shared__ int more[];
    const int i = threadIdx.x;
    own[i] = x[i];
    __syncthreads();
    more[last - i] = own[63 - i];
    __syncthreads();
    x[i] = more[last - (i ^ 1)];
}

static int called = 0;
static void call(void* data) { called += *static_cast<int*>(data); }

static HIP_MEMCPY3D box(const int* host, int* device, unsigned x, unsigned y, unsigned z) {
    HIP_MEMCPY3D copy = {};
    copy.srcMemoryType = hipMemoryTypeHost;
    copy.srcHost = host;
    copy.srcPitch = 8 * 4, copy.srcHeight = 5;
    copy.dstMemoryType = hipMemoryTypeDevice;
    copy.dstDevice = device;
    copy.dstXInBytes = x * 4, copy.dstY = y, copy.dstZ = z;
    copy.dstPitch = 16 * 4, copy.dstHeight = 6;
    copy.WidthInBytes = 8 * 4, copy.Height = 5, copy.Depth = 2;
    return copy;
}

int main() {
    const int n = 128;
    int* x = device_alloc<int>(n);
    HIP_CHECK(hipMemset(x, 0, n * 4));
    int host[n], by = 5;
    void* arguments[] = {&x, &by};
    LaunchAttribute attributes[2] = {};
    attributes[0].id = 8;  // a priority
    attributes[1].id = 2;
    attributes[1].cooperative = 1;
    LaunchConfig config = {dim3(2), dim3(64), 0, nullptr, attributes, 2};
    HIP_CHECK(hipLaunchKernelExC(&config, reinterpret_cast<const void*>(add), arguments));
    config.attributes = nullptr, config.count = 0;
    HIP_CHECK(hipLaunchKernelExC(&config, reinterpret_cast<const void*>(add), arguments));
    hipFunction_t function;
    HIP_CHECK(hipGetFuncBySymbol(&function, reinterpret_cast<const void*>(add)));
    hipFunction_t same;
    HIP_CHECK(hipGetFuncBySymbol(&same, reinterpret_cast<const void*>(add)));
    REQUIRE(same == function);
    DriverConfig driver = {{2, 1, 1}, {64, 1, 1}, 0, nullptr, attributes, 2};
    HIP_CHECK(hipDrvLaunchKernelEx(&driver, function, arguments, nullptr));
    // So many groups are never resident together.
    driver.grid[0] = 1 << 20;
    EXPECT(hipErrorCooperativeLaunchTooLarge, hipDrvLaunchKernelEx(&driver, function, arguments, nullptr));
    attributes[0].id = 77;
    config.attributes = attributes, config.count = 1;
    EXPECT(hipErrorInvalidValue, hipLaunchKernelExC(&config, reinterpret_cast<const void*>(add), arguments));
    to_host(host, x, n);
    for (int i = 0; i < n; ++i) REQUIRE(host[i] == 15);

    // The dynamic LDS with which so many groups fit: a share of 64 KiB in granules of 512 bytes, without the kernel's own.
    const void* symbol = reinterpret_cast<const void*>(reverse);
    hipFuncAttributes reversing;
    HIP_CHECK(hipFuncGetAttributes(&reversing, symbol));
    REQUIRE(reversing.sharedSizeBytes >= 1000 && reversing.sharedSizeBytes < 1024);
    size_t bytes = 0;
    for (int groups : {1, 2, 3, 16, 40, 1000}) {
        HIP_CHECK(hipOccupancyAvailableDynamicSMemPerBlock(&bytes, symbol, groups, 64));
        // A compute unit holds no more than 40 such groups.
        const size_t share = size_t(65536 / (groups < 40 ? groups : 40)) / 512 * 512;
        REQUIRE_EQUAL(bytes, share - reversing.sharedSizeBytes);
        int resident = 0;
        HIP_CHECK(hipOccupancyMaxActiveBlocksPerMultiprocessor(&resident, symbol, 64, bytes));
        REQUIRE(resident >= (groups < 32 ? groups : 32));
    }
    HIP_CHECK(hipOccupancyAvailableDynamicSMemPerBlock(&bytes, symbol, 1, 64));
    int rising[64];
    for (int i = 0; i < 64; ++i) rising[i] = i;
    to_device(x, rising, 64);
    (void)hipGetLastError();
    reverse<<<1, 64, bytes>>>(x, int(bytes / 4) - 1);
    HIP_CHECK(hipGetLastError());
    to_host(rising, x, 64);
    for (int i = 0; i < 64; ++i) REQUIRE_EQUAL(rising[i], (63 - i) ^ 1);
    reverse<<<1, 64, bytes + 4>>>(x, int(bytes / 4));
    REQUIRE(hipGetLastError() != hipSuccess);
    HIP_CHECK(hipOccupancyAvailableDynamicSMemPerBlock(&bytes, symbol, 1, 2560));
    EXPECT(hipErrorInvalidValue, hipOccupancyAvailableDynamicSMemPerBlock(&bytes, symbol, 1, 2561));

    // A fill, a kernel behind it, a host function behind that, and a copy back at the end.
    hipGraph_t graph;
    hipGraphExec_t exec;
    hipGraphNode_t fill, kernel, back, function_node;
    HIP_CHECK(hipGraphCreate(&graph, 0));
    NodeParameters p(2);
    p.fill.dst = x, p.fill.elementSize = 4, p.fill.height = 1, p.fill.pitch = n * 4, p.fill.value = 100, p.fill.width = n;
    HIP_CHECK(hipGraphAddNode(&fill, graph, nullptr, 0, &p));
    p = NodeParameters(0);
    p.kernel.blockDim = dim3(64), p.kernel.gridDim = dim3(2);
    p.kernel.func = reinterpret_cast<void*>(add), p.kernel.kernelParams = arguments;
    HIP_CHECK(hipGraphAddNode(&kernel, graph, &fill, 1, &p));
    int step = 3;
    p = NodeParameters(3);
    p.host.fn = call, p.host.userData = &step;
    HIP_CHECK(hipGraphAddNode(&function_node, graph, &kernel, 1, &p));
    p = NodeParameters(1);
    p.copy.parameters.srcPtr = make_hipPitchedPtr(x, n * 4, n, 1);
    p.copy.parameters.dstPtr = make_hipPitchedPtr(host, n * 4, n, 1);
    p.copy.parameters.extent = make_hipExtent(n * 4, 1, 1);
    p.copy.parameters.kind = hipMemcpyDeviceToHost;
    HIP_CHECK(hipGraphAddNode(&back, graph, &function_node, 1, &p));
    HIP_CHECK(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
    HIP_CHECK(hipGraphLaunch(exec, nullptr));
    HIP_CHECK(hipDeviceSynchronize());
    for (int i = 0; i < n; ++i) REQUIRE(host[i] == 105);
    REQUIRE(called == 3);
    by = 50;
    p = NodeParameters(0);
    p.kernel.blockDim = dim3(64), p.kernel.gridDim = dim3(2);
    p.kernel.func = reinterpret_cast<void*>(add), p.kernel.kernelParams = arguments;
    HIP_CHECK(hipGraphExecNodeSetParams(exec, kernel, &p));
    HIP_CHECK(hipGraphLaunch(exec, nullptr));
    HIP_CHECK(hipDeviceSynchronize());
    for (int i = 0; i < n; ++i) REQUIRE(host[i] == 150);
    p = NodeParameters(99);
    EXPECT(hipErrorInvalidValue, hipGraphAddNode(&back, graph, nullptr, 0, &p));
    HIP_CHECK(hipGraphExecDestroy(exec));
    HIP_CHECK(hipGraphDestroy(graph));

    // A box of 8 by 5 by 2 is copied into a box of 16 by 6 by 3, at 4, 1, 1.
    std::vector<int> from(8 * 5 * 2), into(16 * 6 * 3);
    for (size_t i = 0; i < from.size(); ++i) from[i] = int(i) + 1;
    int* room = device_alloc<int>(into.size());
    HIP_CHECK(hipMemset(room, 0, into.size() * 4));
    HIP_MEMCPY3D copy = box(from.data(), room, 4, 1, 1);
    auto check = [&] {
        to_host(into.data(), room, into.size());
        for (int z = 0; z < 3; ++z)
            for (int y = 0; y < 6; ++y)
                for (int i = 0; i < 16; ++i) {
                    bool within = z >= 1 && y >= 1 && i >= 4 && i < 12;
                    REQUIRE(into[(z * 6 + y) * 16 + i] == (within ? from[((z - 1) * 5 + y - 1) * 8 + i - 4] : 0));
                }
    };
    HIP_CHECK(hipDrvMemcpy3D(&copy));
    check();
    for (int& value : from) value *= 7;
    HIP_CHECK(hipDrvMemcpy3DAsync(&copy, nullptr));
    HIP_CHECK(hipDeviceSynchronize());
    check();
    copy.srcPitch = 4;
    EXPECT(hipErrorInvalidValue, hipDrvMemcpy3D(&copy));

    hipGraphNode_t nodes[2];
    HIP_CHECK(hipGraphCreate(&graph, 0));
    hipMemsetParams zeros = {};
    zeros.dst = room, zeros.elementSize = 4, zeros.height = 1, zeros.pitch = into.size() * 4, zeros.width = into.size();
    HIP_CHECK(hipDrvGraphAddMemsetNode(&nodes[0], graph, nullptr, 0, &zeros, nullptr));
    for (int& value : from) value += 1;
    copy = box(from.data(), room, 4, 1, 1);
    HIP_CHECK(hipDrvGraphAddMemcpyNode(&nodes[1], graph, &nodes[0], 1, &copy, nullptr));
    HIP_CHECK(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
    HIP_CHECK(hipGraphLaunch(exec, nullptr));
    HIP_CHECK(hipDeviceSynchronize());
    check();

    // A capture allocates memory, whose address is the same at each launch.
    hipStream_t stream;
    int* own = nullptr;
    HIP_CHECK(hipStreamCreate(&stream));
    HIP_CHECK(hipMemset(x, 0, n * 4));
    HIP_CHECK(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
    HIP_CHECK(hipMallocAsync(reinterpret_cast<void**>(&own), n * 4, stream));
    HIP_CHECK(hipMemcpyAsync(own, x, n * 4, hipMemcpyDeviceToDevice, stream));
    add<<<2, 64, 0, stream>>>(own, 4);
    HIP_CHECK(hipMemcpyAsync(x, own, n * 4, hipMemcpyDeviceToDevice, stream));
    HIP_CHECK(hipFreeAsync(own, stream));
    HIP_CHECK(hipStreamEndCapture(stream, &graph));
    hipGraphNode_t all[5];
    size_t count = 5;
    HIP_CHECK(hipGraphGetNodes(graph, all, &count));
    REQUIRE(count == 5 && own != nullptr);
    HIP_CHECK(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
    HIP_CHECK(hipGraphDestroy(graph));
    for (int launch = 1; launch <= 3; ++launch) {
        HIP_CHECK(hipGraphLaunch(exec, stream));
        HIP_CHECK(hipStreamSynchronize(stream));
        to_host(host, x, n);
        for (int i = 0; i < n; ++i) REQUIRE(host[i] == 4 * launch);
    }
    HIP_CHECK(hipGraphExecDestroy(exec));
    HIP_CHECK(hipDeviceSynchronize());
    int y;
    EXPECT(hipErrorInvalidValue, hipMemcpy(&y, own, 4, hipMemcpyDeviceToHost));
    // Memory that was allocated outside is not the graph's.
    HIP_CHECK(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
    EXPECT(hipErrorStreamCaptureUnsupported, hipFreeAsync(x, stream));
    EXPECT(hipErrorStreamCaptureInvalidated, hipStreamEndCapture(stream, &graph));

    // The same by nodes: an allocation, a fill of it, a copy from it, a free.
    struct {
        long long type[2], pool[11];
        void* access;
        size_t accesses, bytes;
        int* address;
        long long rest[20];
    } memory = {};
    memory.type[0] = 10;
    memory.pool[0] = memory.pool[1] = 1;  // pinned, without handles; on device 0
    memory.bytes = n * 4;
    HIP_CHECK(hipGraphCreate(&graph, 0));
    hipGraphNode_t allocated, freed;
    HIP_CHECK(hipGraphAddNode(&allocated, graph, nullptr, 0, reinterpret_cast<NodeParameters*>(&memory)));
    REQUIRE(memory.address != nullptr);
    p = NodeParameters(2);
    p.fill.dst = memory.address, p.fill.elementSize = 4, p.fill.height = 1, p.fill.pitch = n * 4, p.fill.value = 77, p.fill.width = n;
    HIP_CHECK(hipGraphAddNode(&fill, graph, &allocated, 1, &p));
    HIP_CHECK(hipGraphAddMemcpyNode1D(&back, graph, &fill, 1, host, memory.address, n * 4, hipMemcpyDeviceToHost));
    HIP_CHECK(hipGraphAddMemFreeNode(&freed, graph, &back, 1, memory.address));
    EXPECT(hipErrorInvalidValue, hipGraphAddMemFreeNode(&freed, graph, &back, 1, x));
    HIP_CHECK(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
    HIP_CHECK(hipGraphLaunch(exec, stream));
    HIP_CHECK(hipStreamSynchronize(stream));
    for (int i = 0; i < n; ++i) REQUIRE(host[i] == 77);
    HIP_CHECK(hipGraphExecDestroy(exec));
    HIP_CHECK(hipGraphDestroy(graph));
    std::printf("extended: ok\n");
}
