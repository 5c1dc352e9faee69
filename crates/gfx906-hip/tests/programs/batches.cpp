// Batches of copies, copies between devices, queries of the driver API about addresses and nodes, masks of compute units, launches on several devices.
#include "check.h"

enum { during_call = 2, in_turn = 1 };
struct Place {
    int type, id;
};
struct CopyAttributes {
    int order;
    Place from, to;
    unsigned flags;
};
struct Operand {
    int type;
    union {
        struct {
            void* pointer;
            size_t row, height;
            Place hint;
        } memory;
        struct {
            hipArray* array;
            size_t x, y, z;
        } array;
    };
};
struct Operation {
    Operand from, to;
    hipExtent extent;
    int order;
    unsigned flags;
};
struct PeerParameters {
    hipArray* from_array;
    hipPos from_at;
    hipPitchedPtr from;
    int from_device;
    hipArray* to_array;
    hipPos to_at;
    hipPitchedPtr to;
    int to_device;
    hipExtent extent;
};
extern "C" {
hipError_t hipMemcpyBatchAsync(void**, void**, size_t*, size_t, CopyAttributes*, size_t*, size_t, size_t*, hipStream_t);
hipError_t hipMemcpy3DBatchAsync(size_t, Operation*, size_t*, unsigned long long, hipStream_t);
hipError_t hipMemcpy3DPeer(PeerParameters*);
hipError_t hipMemcpy3DPeerAsync(PeerParameters*, hipStream_t);
hipError_t hipStreamGetDevice(hipStream_t, hipDevice_t*);
hipError_t hipStreamGetId(hipStream_t, unsigned long long*);
hipError_t hipDrvGraphAddMemcpyNode(hipGraphNode_t*, hipGraph_t, const hipGraphNode_t*, size_t, const HIP_MEMCPY3D*, hipCtx_t);
hipError_t hipDrvGraphMemcpyNodeGetParams(hipGraphNode_t, HIP_MEMCPY3D*);
}

__global__ void add(int* x, int by) { x[blockIdx.x * blockDim.x + threadIdx.x] += by; }

static Operand memory(void* pointer, size_t row = 0, size_t height = 0) {
    Operand all = {};
    all.type = 1;
    all.memory.pointer = pointer, all.memory.row = row, all.memory.height = height;
    return all;
}

static Operand place(hipArray* array, size_t x, size_t y, size_t z) {
    Operand all = {};
    all.type = 2;
    all.array.array = array, all.array.x = x, all.array.y = y, all.array.z = z;
    return all;
}

static void rows() {
    const int n = 1000;
    int *a = device_alloc<int>(n), *b = device_alloc<int>(n), *pinned;
    HIP_CHECK(hipHostMalloc(reinterpret_cast<void**>(&pinned), n * 4));
    std::vector<int> from(n), back(n, -1);
    for (int i = 0; i < n; ++i) from[i] = 3 * i, pinned[i] = -i;
    hipStream_t stream;
    HIP_CHECK(hipStreamCreate(&stream));
    // Data go down in two parts, over, and back: batches of one stream come one after the other.
    void* down[] = {a, a + 400, b};
    void* sources[] = {from.data(), from.data() + 400, pinned};
    size_t sizes[] = {1600, 2400, 2000}, failed = 77;
    HIP_CHECK(hipMemcpyBatchAsync(down, sources, sizes, 3, nullptr, nullptr, 0, &failed, stream));
    void* over[] = {b + 500};
    void* over_from[] = {a + 500};
    size_t half = 2000;
    HIP_CHECK(hipMemcpyBatchAsync(over, over_from, &half, 1, nullptr, nullptr, 0, nullptr, stream));
    void* up[] = {back.data()};
    void* up_from[] = {b};
    size_t whole = n * 4;
    HIP_CHECK(hipMemcpyBatchAsync(up, up_from, &whole, 1, nullptr, nullptr, 0, &failed, stream));
    HIP_CHECK(hipStreamSynchronize(stream));
    for (int i = 0; i < n; ++i) REQUIRE(back[i] == (i < 500 ? -i : 3 * i));

    // A source that is read during the call may change afterwards, pinned or not. The second attribute belongs to the other two copies.
    CopyAttributes attributes[2] = {};
    attributes[0].order = in_turn, attributes[1].order = during_call;
    size_t firsts[] = {0, 1};
    void* pinned_twice[] = {from.data(), pinned, pinned + 500};
    HIP_CHECK(hipMemcpyBatchAsync(down, pinned_twice, sizes, 3, attributes, firsts, 2, &failed, stream));
    for (int i = 0; i < n; ++i) pinned[i] = 99;
    HIP_CHECK(hipStreamSynchronize(stream));
    to_host(back.data(), a, n);
    for (int i = 0; i < n; ++i) REQUIRE(back[i] == (i < 400 ? 3 * i : -(i - 400)));
    to_host(back.data(), b, 500);
    for (int i = 0; i < 500; ++i) REQUIRE(back[i] == -(i + 500));

    // A batch with an invalid copy does nothing.
    HIP_CHECK(hipMemset(a, 0, n * 4));
    size_t beyond[] = {1600, n * 4, 4};
    EXPECT(hipErrorInvalidValue, hipMemcpyBatchAsync(down, sources, beyond, 3, nullptr, nullptr, 0, &failed, stream));
    REQUIRE(failed == 1);
    void* missing[] = {a, a + 400, nullptr};
    EXPECT(hipErrorInvalidValue, hipMemcpyBatchAsync(missing, sources, sizes, 3, nullptr, nullptr, 0, &failed, stream));
    REQUIRE(failed == 2);
    HIP_CHECK(hipStreamSynchronize(stream));
    to_host(back.data(), a, n);
    for (int i = 0; i < n; ++i) REQUIRE(back[i] == 0);
    EXPECT(hipErrorInvalidValue, hipMemcpyBatchAsync(nullptr, sources, sizes, 3, nullptr, nullptr, 0, &failed, stream));
    EXPECT(hipErrorInvalidValue, hipMemcpyBatchAsync(down, nullptr, sizes, 3, nullptr, nullptr, 0, &failed, stream));
    EXPECT(hipErrorInvalidValue, hipMemcpyBatchAsync(down, sources, nullptr, 3, nullptr, nullptr, 0, &failed, stream));
    EXPECT(hipErrorInvalidValue, hipMemcpyBatchAsync(down, sources, sizes, 0, nullptr, nullptr, 0, &failed, stream));
    EXPECT(hipErrorInvalidValue, hipMemcpyBatchAsync(down, sources, sizes, 3, attributes, firsts, 0, &failed, stream));
    EXPECT(hipErrorInvalidValue, hipMemcpyBatchAsync(down, sources, sizes, 3, nullptr, firsts, 1, &failed, stream));
    EXPECT(hipErrorInvalidValue, hipMemcpyBatchAsync(down, sources, sizes, 3, attributes, nullptr, 1, &failed, stream));
    size_t backwards[] = {0, 0};
    EXPECT(hipErrorInvalidValue, hipMemcpyBatchAsync(down, sources, sizes, 3, attributes, backwards, 2, &failed, stream));
    attributes[0].order = 0;
    EXPECT(hipErrorInvalidValue, hipMemcpyBatchAsync(down, sources, sizes, 3, attributes, firsts, 2, &failed, stream));
    HIP_CHECK(hipStreamDestroy(stream));
    EXPECT(hipErrorContextIsDestroyed, hipMemcpyBatchAsync(down, sources, sizes, 3, nullptr, nullptr, 0, &failed, stream));
    HIP_CHECK(hipHostFree(pinned));
    HIP_CHECK(hipFree(a));
    HIP_CHECK(hipFree(b));
}

static void planes() {
    // A box of 3 by 2 by 2 elements at 2, 1, 1 of 6 by 5 by 4 goes through an array into the middle of rows of 8 and layers of 7.
    const int w = 6, h = 5, d = 4;
    std::vector<short> from(w * h * d), back(8 * 7 * d, -1);
    for (size_t i = 0; i < from.size(); ++i) from[i] = short(i + 1);
    hipArray* array;
    hipChannelFormatDesc channel = hipCreateChannelDesc<short>();
    HIP_CHECK(hipMalloc3DArray(&array, &channel, make_hipExtent(w, h, d), hipArrayDefault));
    hipStream_t stream;
    HIP_CHECK(hipStreamCreate(&stream));
    Operation down = {memory(from.data()), place(array, 0, 0, 0), make_hipExtent(w, h, d), in_turn, 0};
    size_t failed = 77;
    HIP_CHECK(hipMemcpy3DBatchAsync(1, &down, &failed, 0, stream));
    Operation up[] = {
        {place(array, 2, 1, 1), memory(back.data() + 1, 8, 7), make_hipExtent(3, 2, 2), in_turn, 0},
        // Bytes are copied between plain memory ranges.
        {memory(from.data(), w * 2, h), memory(back.data() + 8 * 7 * 3, 8 * 2, 7), make_hipExtent(w * 2, h, 1), in_turn, 0},
    };
    HIP_CHECK(hipMemcpy3DBatchAsync(2, up, &failed, 0, stream));
    HIP_CHECK(hipStreamSynchronize(stream));
    for (int z = 0; z < d; ++z)
        for (int y = 0; y < 7; ++y)
            for (int x = 0; x < 8; ++x) {
                int want = -1;
                if (z < 2 && y < 2 && x >= 1 && x < 4) want = from[((z + 1) * h + y + 1) * w + x + 1];
                if (z == 3 && y < h && x < w) want = from[y * w + x];
                REQUIRE(back[(z * 7 + y) * 8 + x] == want);
            }
    EXPECT(hipErrorInvalidValue, hipMemcpy3DBatchAsync(0, up, &failed, 0, stream));
    EXPECT(hipErrorInvalidValue, hipMemcpy3DBatchAsync(2, nullptr, &failed, 0, stream));
    EXPECT(hipErrorInvalidValue, hipMemcpy3DBatchAsync(2, up, &failed, 1, stream));
    up[1].from.type = 7;
    EXPECT(hipErrorInvalidValue, hipMemcpy3DBatchAsync(2, up, &failed, 0, stream));
    REQUIRE(failed == 1);
    up[0].from = place(array, 4, 0, 0);
    EXPECT(hipErrorInvalidValue, hipMemcpy3DBatchAsync(2, up, &failed, 0, stream));
    REQUIRE(failed == 0);

    // The only device is both source and destination.
    int* x = device_alloc<int>(12 * 3);
    int *y = device_alloc<int>(12 * 3), host[36], got[36];
    for (int i = 0; i < 36; ++i) host[i] = 5 * i;
    to_device(x, host, 36);
    HIP_CHECK(hipMemset(y, 0, 36 * 4));
    PeerParameters peers = {};
    peers.from = make_hipPitchedPtr(x, 48, 12, 3), peers.to = make_hipPitchedPtr(y, 48, 12, 3);
    peers.to_at = make_hipPos(8, 1, 0);
    peers.extent = make_hipExtent(16, 2, 1);
    HIP_CHECK(hipMemcpy3DPeer(&peers));
    auto check = [&](int first) {
        to_host(got, y, 36);
        for (int i = 0; i < 36; ++i) {
            bool within = i / 12 >= 1 && i % 12 >= 2 && i % 12 < 6;
            REQUIRE(got[i] == (within ? host[first + (i / 12 - 1) * 12 + i % 12 - 2] : 0));
        }
    };
    check(0);
    peers.from_at = make_hipPos(4, 0, 0);
    HIP_CHECK(hipMemcpy3DPeerAsync(&peers, stream));
    HIP_CHECK(hipStreamSynchronize(stream));
    check(1);
    peers.from_device = 1;
    EXPECT(hipErrorInvalidDevice, hipMemcpy3DPeer(&peers));
    EXPECT(hipErrorInvalidDevice, hipMemcpy3DPeerAsync(&peers, stream));
    EXPECT(hipErrorInvalidValue, hipMemcpy3DPeer(nullptr));
    EXPECT(hipErrorInvalidValue, hipMemcpy3DPeerAsync(nullptr, stream));
    HIP_CHECK(hipStreamDestroy(stream));
    HIP_CHECK(hipFreeArray(array));
    HIP_CHECK(hipFree(x));
    HIP_CHECK(hipFree(y));
}

static void addresses() {
    char* x = device_alloc<char>(5000);
    void *device = nullptr, *host = &device, *start = nullptr, *pinned;
    uint32_t size = 0;
    int type = -1, ordinal = -1;
    hipPointer_attribute wanted[] = {HIP_POINTER_ATTRIBUTE_DEVICE_POINTER, HIP_POINTER_ATTRIBUTE_HOST_POINTER,
                                     HIP_POINTER_ATTRIBUTE_RANGE_START_ADDR, HIP_POINTER_ATTRIBUTE_RANGE_SIZE,
                                     HIP_POINTER_ATTRIBUTE_MEMORY_TYPE, HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL};
    void* places[] = {&device, &host, &start, &size, &type, &ordinal};
    HIP_CHECK(hipDrvPointerGetAttributes(6, wanted, places, x + 100));
    REQUIRE(device == x + 100 && host == nullptr && start == x && size == 5000 && type == hipMemoryTypeDevice && ordinal == 0);
    HIP_CHECK(hipHostMalloc(&pinned, 300));
    HIP_CHECK(hipDrvPointerGetAttributes(6, wanted, places, pinned));
    REQUIRE(host == pinned && size == 300 && type == hipMemoryTypeHost);
    // Memory that HIP does not know has no attributes, which is no error.
    int local;
    HIP_CHECK(hipDrvPointerGetAttributes(4, wanted, places, &local));
    REQUIRE(device == nullptr && host == nullptr && start == nullptr && size == 0);
    EXPECT(hipErrorInvalidValue, hipDrvPointerGetAttributes(0, wanted, places, x));
    EXPECT(hipErrorInvalidValue, hipDrvPointerGetAttributes(6, nullptr, places, x));
    EXPECT(hipErrorInvalidValue, hipDrvPointerGetAttributes(6, wanted, nullptr, x));
    EXPECT(hipErrorInvalidValue, hipDrvPointerGetAttributes(6, wanted, places, nullptr));
    HIP_CHECK(hipHostFree(pinned));
    HIP_CHECK(hipFree(x));
}

static void nodes() {
    std::vector<int> from(8 * 5 * 2);
    int* room = device_alloc<int>(16 * 6 * 3);
    for (size_t i = 0; i < from.size(); ++i) from[i] = int(i) + 1;
    HIP_MEMCPY3D copy = {}, told = {};
    copy.srcMemoryType = hipMemoryTypeHost, copy.srcHost = from.data(), copy.srcPitch = 32, copy.srcHeight = 5;
    copy.dstMemoryType = hipMemoryTypeDevice, copy.dstDevice = room, copy.dstPitch = 64, copy.dstHeight = 6;
    copy.dstXInBytes = 16, copy.dstY = 1, copy.dstZ = 1;
    copy.WidthInBytes = 32, copy.Height = 5, copy.Depth = 2;
    hipGraph_t graph;
    hipGraphNode_t node, again;
    hipGraphExec_t exec;
    HIP_CHECK(hipGraphCreate(&graph, 0));
    HIP_CHECK(hipDrvGraphAddMemcpyNode(&node, graph, nullptr, 0, &copy, nullptr));
    HIP_CHECK(hipDrvGraphMemcpyNodeGetParams(node, &told));
    REQUIRE(told.srcMemoryType == hipMemoryTypeHost && told.srcHost == from.data() && told.srcPitch == 32 && told.srcHeight == 5);
    REQUIRE(told.dstMemoryType == hipMemoryTypeDevice && told.dstPitch == 64 && told.dstHeight == 6);
    REQUIRE(told.WidthInBytes == 32 && told.Height == 5 && told.Depth == 2);
    EXPECT(hipErrorInvalidValue, hipDrvGraphMemcpyNodeGetParams(node, nullptr));
    HIP_CHECK(hipGraphAddEmptyNode(&again, graph, nullptr, 0));
    EXPECT(hipErrorInvalidValue, hipDrvGraphMemcpyNodeGetParams(again, &told));
    HIP_CHECK(hipGraphDestroy(graph));
    // The queried parameters make the same copy.
    HIP_CHECK(hipMemset(room, 0, 16 * 6 * 3 * 4));
    HIP_CHECK(hipGraphCreate(&graph, 0));
    HIP_CHECK(hipDrvGraphAddMemcpyNode(&again, graph, nullptr, 0, &told, nullptr));
    HIP_CHECK(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
    HIP_CHECK(hipGraphLaunch(exec, nullptr));
    HIP_CHECK(hipDeviceSynchronize());
    std::vector<int> into(16 * 6 * 3);
    to_host(into.data(), room, into.size());
    for (int z = 0; z < 3; ++z)
        for (int y = 0; y < 6; ++y)
            for (int x = 0; x < 16; ++x) {
                bool within = z >= 1 && y >= 1 && x >= 4 && x < 12;
                REQUIRE(into[(z * 6 + y) * 16 + x] == (within ? from[((z - 1) * 5 + y - 1) * 8 + x - 4] : 0));
            }
    HIP_CHECK(hipGraphExecDestroy(exec));
    HIP_CHECK(hipGraphDestroy(graph));
    HIP_CHECK(hipFree(room));
}

static void units() {
    hipStream_t some, all;
    unsigned mask[] = {0x0000ff0f}, got[4] = {7, 7, 7, 7};
    HIP_CHECK(hipExtStreamCreateWithCUMask(&some, 1, mask));
    HIP_CHECK(hipStreamCreate(&all));
    HIP_CHECK(hipExtStreamGetCUMask(some, 4, got));
    REQUIRE(got[0] == 0xff0f && got[1] == 0 && got[2] == 0 && got[3] == 0);
    HIP_CHECK(hipExtStreamGetCUMask(all, 2, got));
    REQUIRE(got[0] == 0xffffffff && got[1] == 0x0fffffff);
    HIP_CHECK(hipExtStreamGetCUMask(nullptr, 2, got));
    REQUIRE(got[0] == 0xffffffff && got[1] == 0x0fffffff);
    EXPECT(hipErrorInvalidValue, hipExtStreamGetCUMask(some, 1, got));
    EXPECT(hipErrorInvalidValue, hipExtStreamGetCUMask(some, 2, nullptr));
    EXPECT(hipErrorInvalidValue, hipExtStreamCreateWithCUMask(&all, 0, mask));
    EXPECT(hipErrorInvalidHandle, hipExtStreamCreateWithCUMask(nullptr, 1, mask));
    EXPECT(hipErrorInvalidValue, hipExtStreamCreateWithCUMask(&all, 1, nullptr));

    // One kernel is launched per device; there is one device.
    int *x = device_alloc<int>(128), by = 4, host[128];
    HIP_CHECK(hipMemset(x, 0, 128 * 4));
    void* arguments[] = {&x, &by};
    hipLaunchParams launch = {};
    launch.func = reinterpret_cast<void*>(add);
    launch.gridDim = dim3(2), launch.blockDim = dim3(64);
    launch.args = arguments, launch.stream = some;
    HIP_CHECK(hipExtLaunchMultiKernelMultiDevice(&launch, 1, 0));
    HIP_CHECK(hipStreamSynchronize(some));
    to_host(host, x, 128);
    for (int i = 0; i < 128; ++i) REQUIRE(host[i] == 4);
    EXPECT(hipErrorInvalidValue, hipExtLaunchMultiKernelMultiDevice(nullptr, 1, 0));
    EXPECT(hipErrorInvalidValue, hipExtLaunchMultiKernelMultiDevice(&launch, 0, 0));
    EXPECT(hipErrorInvalidValue, hipExtLaunchMultiKernelMultiDevice(&launch, 2, 0));
    launch.stream = nullptr;
    EXPECT(hipErrorInvalidHandle, hipExtLaunchMultiKernelMultiDevice(&launch, 1, 0));
    // Numbers that tell streams apart, and the streams' devices.
    unsigned long long first = 7, second = 7;
    hipDevice_t device = 7;
    HIP_CHECK(hipStreamGetId(some, &first));
    HIP_CHECK(hipStreamGetId(all, &second));
    HIP_CHECK(hipStreamGetDevice(some, &device));
    REQUIRE(first != second && device == 0);
    EXPECT(hipErrorInvalidValue, hipStreamGetId(some, nullptr));
    EXPECT(hipErrorInvalidValue, hipStreamGetDevice(some, nullptr));
    HIP_CHECK(hipStreamDestroy(some));
    EXPECT(hipErrorContextIsDestroyed, hipExtStreamGetCUMask(some, 2, got));
    EXPECT(hipErrorContextIsDestroyed, hipStreamGetId(some, &first));
    EXPECT(hipErrorContextIsDestroyed, hipStreamGetDevice(some, &device));
}

int main() {
    rows();
    planes();
    addresses();
    nodes();
    units();
    std::printf("batches: ok\n");
}
