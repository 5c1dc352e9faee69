// Graphs: from nodes and from captures, updated, cloned; and calls that a capture forbids.
#include <functional>
#include <thread>

#include "check.h"

__device__ int variable[4];

__global__ void add(int* x, int y) { x[threadIdx.x] += y; }
__global__ void times(int* x, int y) { x[threadIdx.x] *= y; }
__global__ void beyond(int* x) { x[1 << 20] = 1; }

constexpr int N = 64;
int calls = 0;
void count(void* by) { calls += *static_cast<int*>(by); }
void gone(void* object) { *static_cast<int*>(object) = 1; }

int first(const int* x) {
    int host[N];
    to_host(host, x, N);
    for (int i = 0; i < N; ++i) REQUIRE(host[i] == host[0]);
    return host[0];
}

hipKernelNodeParams kernel(void* function, void** arguments) {
    hipKernelNodeParams p = {};
    p.func = function, p.gridDim = dim3(1), p.blockDim = dim3(N), p.kernelParams = arguments;
    return p;
}

void of_nodes() {
    int *x = device_alloc<int>(N), y = 5, z = 3, by = 10;
    hipGraph_t graph;
    hipGraphNode_t set, plus, mul, host, empty, out, record;
    hipEvent_t event;
    HIP_CHECK(hipEventCreate(&event));
    EXPECT(hipErrorInvalidValue, hipGraphCreate(&graph, 1));
    HIP_CHECK(hipGraphCreate(&graph, 0));
    hipMemsetParams fill = {};
    fill.dst = x, fill.elementSize = 4, fill.width = N, fill.height = 1, fill.value = 7;
    HIP_CHECK(hipGraphAddMemsetNode(&set, graph, nullptr, 0, &fill));
    void* arguments[] = {&x, &y};
    auto p = kernel(reinterpret_cast<void*>(add), arguments);
    HIP_CHECK(hipGraphAddKernelNode(&plus, graph, &set, 1, &p));
    void* more[] = {&x, &z};
    auto q = kernel(reinterpret_cast<void*>(times), more);
    HIP_CHECK(hipGraphAddKernelNode(&mul, graph, &plus, 1, &q));
    // The node keeps the arguments from its creation.
    y = 1000;
    hipHostNodeParams function = {count, &by};
    HIP_CHECK(hipGraphAddHostNode(&host, graph, &plus, 1, &function));
    HIP_CHECK(hipGraphAddEventRecordNode(&record, graph, &mul, 1, event));
    hipGraphNode_t both[] = {record, host};
    HIP_CHECK(hipGraphAddEmptyNode(&empty, graph, both, 2));
    int result[N];
    HIP_CHECK(hipGraphAddMemcpyNode1D(&out, graph, &empty, 1, result, x, sizeof result, hipMemcpyDeviceToHost));
    EXPECT(hipErrorInvalidValue, hipGraphAddEmptyNode(&empty, graph, nullptr, 1));
    EXPECT(hipErrorInvalidValue, hipGraphAddKernelNode(&empty, graph, nullptr, 0, nullptr));
    EXPECT(hipErrorInvalidValue, hipGraphAddEmptyNode(nullptr, graph, nullptr, 0));

    size_t n = 0;
    HIP_CHECK(hipGraphGetNodes(graph, nullptr, &n));
    REQUIRE(n == 7);
    HIP_CHECK(hipGraphGetEdges(graph, nullptr, nullptr, &n));
    REQUIRE(n == 7);
    hipGraphNode_t roots[3] = {graph ? set : nullptr, set, set};
    n = 3;
    HIP_CHECK(hipGraphGetRootNodes(graph, roots, &n));
    REQUIRE(n == 1 && roots[0] == set && roots[1] == nullptr);
    HIP_CHECK(hipGraphNodeGetDependentNodes(plus, nullptr, &n));
    REQUIRE(n == 2);
    n = 2;
    HIP_CHECK(hipGraphNodeGetDependencies(empty, roots, &n));
    REQUIRE(n == 2 && (roots[0] == record || roots[1] == record));
    hipGraphNodeType type;
    HIP_CHECK(hipGraphNodeGetType(host, &type));
    REQUIRE(type == hipGraphNodeTypeHost);
    hipKernelNodeParams asked;
    HIP_CHECK(hipGraphKernelNodeGetParams(plus, &asked));
    REQUIRE(asked.func == p.func && asked.blockDim.x == N && *static_cast<int*>(asked.kernelParams[1]) == 5);
    hipMemsetParams filled;
    HIP_CHECK(hipGraphMemsetNodeGetParams(set, &filled));
    REQUIRE(filled.dst == x && filled.value == 7 && filled.width == N && filled.elementSize == 4);

    hipGraphExec_t exec;
    HIP_CHECK(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
    hipStream_t stream;
    HIP_CHECK(hipStreamCreate(&stream));
    for (int round = 0; round < 3; ++round) {
        HIP_CHECK(hipGraphLaunch(exec, stream));
        HIP_CHECK(hipStreamSynchronize(stream));
        REQUIRE(first(x) == 36 && result[N - 1] == 36 && calls == 10 * (round + 1));
        HIP_CHECK(hipEventQuery(event));
    }
    // A node of the executable graph changes; the graph does not.
    int w = -7;
    void* others[] = {&x, &w};
    p = kernel(reinterpret_cast<void*>(add), others);
    HIP_CHECK(hipGraphExecKernelNodeSetParams(exec, plus, &p));
    by = 1;
    HIP_CHECK(hipGraphLaunch(exec, stream));
    HIP_CHECK(hipStreamSynchronize(stream));
    REQUIRE(first(x) == 0 && calls == 31);
    fill.value = 8;
    HIP_CHECK(hipGraphExecMemsetNodeSetParams(exec, set, &fill));
    HIP_CHECK(hipGraphExecMemcpyNodeSetParams1D(exec, out, result, x + 1, 4, hipMemcpyDeviceToHost));
    EXPECT(hipErrorInvalidValue, hipGraphExecHostNodeSetParams(exec, plus, &function));
    result[1] = -1;
    HIP_CHECK(hipGraphLaunch(exec, stream));
    HIP_CHECK(hipStreamSynchronize(stream));
    REQUIRE(first(x) == 3 && result[0] == 3 && result[1] == -1);
    HIP_CHECK(hipGraphExecDestroy(exec));
    HIP_CHECK(hipGraphInstantiateWithFlags(&exec, graph, 0));

    // A clone is launched alone, and as a child of another graph.
    hipGraph_t clone, outer, inner;
    hipGraphNode_t node, child, last;
    HIP_CHECK(hipGraphClone(&clone, graph));
    HIP_CHECK(hipGraphNodeFindInClone(&node, mul, clone));
    EXPECT(hipErrorInvalidValue, hipGraphNodeFindInClone(&node, mul, graph));
    HIP_CHECK(hipGraphDestroyNode(node));
    HIP_CHECK(hipGraphCreate(&outer, 0));
    HIP_CHECK(hipGraphAddChildGraphNode(&child, outer, nullptr, 0, clone));
    HIP_CHECK(hipGraphChildGraphNodeGetGraph(child, &inner));
    REQUIRE(inner != clone);
    HIP_CHECK(hipGraphDestroy(clone));
    EXPECT(hipErrorIllegalState, hipGraphDestroy(clone));
    z = 100;
    HIP_CHECK(hipGraphAddKernelNode(&last, outer, &child, 1, &q));
    hipGraphExec_t nested;
    HIP_CHECK(hipGraphInstantiate(&nested, outer, nullptr, nullptr, 0));
    HIP_CHECK(hipGraphDestroy(outer));
    HIP_CHECK(hipGraphLaunch(exec, hipStreamPerThread));
    HIP_CHECK(hipStreamSynchronize(hipStreamPerThread));
    REQUIRE(first(x) == 36);
    HIP_CHECK(hipGraphLaunch(nested, stream));
    HIP_CHECK(hipStreamSynchronize(stream));
    REQUIRE(first(x) == 1200);

    // A graph with a cycle cannot be launched.
    HIP_CHECK(hipGraphAddDependencies(graph, &out, &set, 1));
    EXPECT(hipErrorInvalidValue, hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
    HIP_CHECK(hipGraphRemoveDependencies(graph, &out, &set, 1));
    EXPECT(hipErrorInvalidValue, hipGraphRemoveDependencies(graph, &out, &set, 1));

    // Variables, planes, an object of the program's.
    hipGraphNode_t to, from, planes;
    int values[4] = {1, 2, 3, 4}, back[4] = {};
    HIP_CHECK(hipGraphCreate(&outer, 0));
    // The name of a variable is no memory, and memory of the host takes no part in copies within the device.
    EXPECT(hipErrorInvalidValue,
           hipGraphAddMemcpyNodeToSymbol(&to, outer, nullptr, 0, HIP_SYMBOL(variable), HIP_SYMBOL(variable), 8, 0, hipMemcpyDeviceToDevice));
    EXPECT(hipErrorInvalidValue,
           hipGraphAddMemcpyNodeFromSymbol(&to, outer, nullptr, 0, HIP_SYMBOL(variable), HIP_SYMBOL(variable), 8, 0, hipMemcpyDeviceToDevice));
    EXPECT(hipErrorInvalidValue,
           hipGraphAddMemcpyNodeToSymbol(&to, outer, nullptr, 0, HIP_SYMBOL(variable), values, 8, 8, hipMemcpyDeviceToDevice));
    EXPECT(hipErrorInvalidMemcpyDirection,
           hipGraphAddMemcpyNodeFromSymbol(&to, outer, nullptr, 0, back, HIP_SYMBOL(variable), 8, 0, hipMemcpyDeviceToDevice));
    HIP_CHECK(hipGraphAddMemcpyNodeToSymbol(&to, outer, nullptr, 0, HIP_SYMBOL(variable), values, 8, 8, hipMemcpyHostToDevice));
    HIP_CHECK(hipGraphAddMemcpyNodeFromSymbol(&from, outer, &to, 1, back, HIP_SYMBOL(variable), 16, 0, hipMemcpyDeviceToHost));
    hipMemcpy3DParms cube = {};
    cube.srcPtr = make_hipPitchedPtr(values, 8, 8, 2);
    cube.dstPtr = make_hipPitchedPtr(x, 16, 16, 2);
    cube.extent = make_hipExtent(8, 2, 1);
    cube.kind = hipMemcpyHostToDevice;
    HIP_CHECK(hipGraphAddMemcpyNode(&planes, outer, nullptr, 0, &cube));
    int destroyed = 0;
    hipUserObject_t object;
    HIP_CHECK(hipUserObjectCreate(&object, &destroyed, gone, 1, hipUserObjectNoDestructorSync));
    HIP_CHECK(hipGraphRetainUserObject(outer, object, 1, hipGraphUserObjectMove));
    HIP_CHECK(hipGraphInstantiate(&exec, outer, nullptr, nullptr, 0));
    HIP_CHECK(hipGraphDestroy(outer));
    REQUIRE(destroyed == 0);
    // Host memory is read when the graph runs.
    values[1] = 22;
    HIP_CHECK(hipGraphLaunch(exec, stream));
    HIP_CHECK(hipStreamSynchronize(stream));
    int rows[6];
    to_host(rows, x, 6);
    REQUIRE(back[2] == 1 && back[3] == 22 && rows[0] == 1 && rows[1] == 22 && rows[4] == 3 && rows[5] == 4);
    HIP_CHECK(hipGraphExecDestroy(exec));
    REQUIRE(destroyed == 1);
    HIP_CHECK(hipGraphDestroy(graph));
    HIP_CHECK(hipStreamDestroy(stream));
    HIP_CHECK(hipFree(x));
}

// This is the way of programs that evaluate a graph repeatedly: captured, instantiated once, updated from then on.
void captured_again() {
    hipStream_t stream;
    HIP_CHECK(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    int* x = device_alloc<int>(N);
    HIP_CHECK(hipMemset(x, 0, N * 4));
    hipGraphExec_t exec = nullptr;
    int want = 0;
    for (int round = 0; round < 5; ++round) {
        hipGraph_t graph;
        HIP_CHECK(hipStreamBeginCapture(stream, hipStreamCaptureModeRelaxed));
        add<<<1, N, 0, stream>>>(x, round);
        times<<<1, N, 0, stream>>>(x, 2);
        HIP_CHECK(hipStreamEndCapture(stream, &graph));
        want = (want + round) * 2;
        if (exec == nullptr) HIP_CHECK(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
        hipGraphNode_t node;
        hipGraphExecUpdateResult result;
        HIP_CHECK(hipGraphExecUpdate(exec, graph, &node, &result));
        REQUIRE(result == hipGraphExecUpdateSuccess && node == nullptr);
        HIP_CHECK(hipGraphDestroy(graph));
        HIP_CHECK(hipGraphLaunch(exec, stream));
        HIP_CHECK(hipStreamSynchronize(stream));
        REQUIRE(first(x) == want);
    }
    // A graph of another topology does not fit.
    hipGraph_t graph;
    HIP_CHECK(hipStreamBeginCapture(stream, hipStreamCaptureModeRelaxed));
    add<<<1, N, 0, stream>>>(x, 1);
    HIP_CHECK(hipMemsetAsync(x, 0, N * 4, stream));
    HIP_CHECK(hipStreamEndCapture(stream, &graph));
    hipGraphNode_t node;
    hipGraphExecUpdateResult result;
    EXPECT(hipErrorGraphExecUpdateFailure, hipGraphExecUpdate(exec, graph, &node, &result));
    REQUIRE(result == hipGraphExecUpdateErrorNodeTypeChanged && node != nullptr);
    (void)hipGetLastError();
    HIP_CHECK(hipGraphDestroy(graph));
    HIP_CHECK(hipGraphExecDestroy(exec));
    HIP_CHECK(hipStreamDestroy(stream));
    HIP_CHECK(hipFree(x));
}

void forks_and_joins() {
    hipStream_t a, b;
    hipEvent_t fork, join;
    HIP_CHECK(hipStreamCreate(&a));
    HIP_CHECK(hipStreamCreateWithFlags(&b, hipStreamNonBlocking));
    HIP_CHECK(hipEventCreate(&fork));
    HIP_CHECK(hipEventCreate(&join));
    int *x = device_alloc<int>(N), *y = device_alloc<int>(N), by = 1;
    std::vector<int> host(N, 9), out(N);
    hipGraph_t graph, seen;
    hipStreamCaptureStatus status;
    unsigned long long id = 0, again = 0;
    size_t n = 0;
    const hipGraphNode_t* nodes;
    HIP_CHECK(hipStreamBeginCapture(a, hipStreamCaptureModeGlobal));
    HIP_CHECK(hipMemsetAsync(x, 0, N * 4, a));
    HIP_CHECK(hipEventRecord(fork, a));
    HIP_CHECK(hipStreamIsCapturing(b, &status));
    REQUIRE(status == hipStreamCaptureStatusNone);
    HIP_CHECK(hipStreamWaitEvent(b, fork, 0));
    HIP_CHECK(hipStreamGetCaptureInfo(b, &status, &id));
    HIP_CHECK(hipStreamGetCaptureInfo_v2(a, &status, &again, &seen, &nodes, &n));
    REQUIRE(status == hipStreamCaptureStatusActive && id == again && n == 1 && seen != nullptr && nodes[0] != nullptr);
    add<<<1, N, 0, a>>>(x, 1);
    HIP_CHECK(hipMemcpyAsync(y, host.data(), N * 4, hipMemcpyHostToDevice, b));
    add<<<1, N, 0, b>>>(y, 2);
    HIP_CHECK(hipLaunchHostFunc(b, count, &by));
    HIP_CHECK(hipEventRecord(join, b));
    HIP_CHECK(hipStreamWaitEvent(a, join, 0));
    add<<<1, N, 0, a>>>(y, 3);
    HIP_CHECK(hipMemcpyAsync(out.data(), y, N * 4, hipMemcpyDeviceToHost, a));
    EXPECT(hipErrorStreamCaptureUnmatched, hipStreamEndCapture(b, &seen));
    HIP_CHECK(hipStreamEndCapture(a, &graph));
    REQUIRE(graph == seen || graph != nullptr);
    HIP_CHECK(hipGraphGetNodes(graph, nullptr, &n));
    REQUIRE(n == 7);
    HIP_CHECK(hipGraphGetEdges(graph, nullptr, nullptr, &n));
    REQUIRE(n == 7);
    // Nothing has run so far.
    calls = 0;
    HIP_CHECK(hipDeviceSynchronize());
    hipGraphExec_t exec;
    HIP_CHECK(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
    for (int round = 1; round < 4; ++round) {
        host.assign(N, 9 * round);
        HIP_CHECK(hipGraphLaunch(exec, a));
        HIP_CHECK(hipStreamSynchronize(a));
        REQUIRE(first(x) == 1 && first(y) == 9 * round + 5 && out[N - 1] == 9 * round + 5 && calls == round);
    }
    HIP_CHECK(hipGraphDestroy(graph));
    // A launch while another stream is being captured, and the launch of a graph that becomes part of one.
    HIP_CHECK(hipStreamBeginCapture(b, hipStreamCaptureModeThreadLocal));
    HIP_CHECK(hipGraphLaunch(exec, b));
    add<<<1, N, 0, b>>>(y, 100);
    add<<<1, N, 0, a>>>(x, 1);
    HIP_CHECK(hipStreamEndCapture(b, &graph));
    HIP_CHECK(hipStreamSynchronize(a));
    REQUIRE(first(x) == 2);
    hipGraphExec_t outer;
    HIP_CHECK(hipGraphInstantiate(&outer, graph, nullptr, nullptr, 0));
    HIP_CHECK(hipGraphLaunch(outer, a));
    HIP_CHECK(hipStreamSynchronize(a));
    REQUIRE(first(x) == 1 && first(y) == 132);

    // Work that does not come back.
    HIP_CHECK(hipStreamBeginCapture(a, hipStreamCaptureModeGlobal));
    HIP_CHECK(hipEventRecord(fork, a));
    HIP_CHECK(hipStreamWaitEvent(b, fork, 0));
    add<<<1, N, 0, b>>>(y, 2);
    EXPECT(hipErrorStreamCaptureUnjoined, hipStreamEndCapture(a, &graph));
    REQUIRE(graph == nullptr);
    // Both are unchanged.
    HIP_CHECK(hipStreamSynchronize(a));
    HIP_CHECK(hipStreamSynchronize(b));
    HIP_CHECK(hipFree(x));
    HIP_CHECK(hipFree(y));
}

void forbidden() {
    hipStream_t a, b;
    hipGraph_t graph;
    hipEvent_t event, outside;
    hipStreamCaptureStatus status;
    HIP_CHECK(hipStreamCreate(&a));
    HIP_CHECK(hipStreamCreateWithFlags(&b, hipStreamNonBlocking));
    HIP_CHECK(hipEventCreate(&event));
    HIP_CHECK(hipEventCreate(&outside));
    HIP_CHECK(hipEventRecord(outside, b));
    int* x = device_alloc<int>(N);
    void* p = nullptr;
    EXPECT(hipErrorStreamCaptureUnsupported, hipStreamBeginCapture(nullptr, hipStreamCaptureModeGlobal));
    EXPECT(hipErrorInvalidValue, hipStreamBeginCapture(a, hipStreamCaptureMode(7)));
    EXPECT(hipErrorIllegalState, hipStreamEndCapture(a, &graph));
    EXPECT(hipErrorInvalidValue, hipStreamEndCapture(a, nullptr));

    struct Case {
        const char* what;
        hipError_t error;
        std::function<hipError_t()> call;
    } cases[] = {
        {"malloc", hipErrorStreamCaptureUnsupported, [&] { return hipMalloc(&p, 4); }},
        {"free", hipErrorStreamCaptureUnsupported, [&] { return hipFree(x); }},
        {"device", hipErrorStreamCaptureUnsupported, [&] { return hipDeviceSynchronize(); }},
        {"stream", hipErrorStreamCaptureUnsupported, [&] { return hipStreamSynchronize(a); }},
        {"query", hipErrorStreamCaptureUnsupported, [&] { return hipStreamQuery(a); }},
        {"copy", hipErrorStreamCaptureImplicit, [&] { return hipMemcpy(x, x, 4, hipMemcpyDeviceToDevice); }},
        {"null", hipErrorStreamCaptureImplicit, [&] { return hipMemsetAsync(x, 0, 4, nullptr); }},
        {"event of no capture", hipErrorStreamCaptureIsolation, [&] { return hipStreamWaitEvent(a, outside, 0); }},
    };
    for (auto& c : cases) {
        HIP_CHECK(hipStreamBeginCapture(a, hipStreamCaptureModeGlobal));
        EXPECT(hipErrorIllegalState, hipStreamBeginCapture(a, hipStreamCaptureModeGlobal));
        HIP_CHECK(hipMemsetAsync(x, 0, 4, a));
        hipError_t got = c.call();
        if (got != c.error) {
            std::printf("%s: %s\n", c.what, hipGetErrorName(got));
            std::exit(1);
        }
        HIP_CHECK(hipStreamIsCapturing(a, &status));
        REQUIRE(status == hipStreamCaptureStatusInvalidated);
        EXPECT(hipErrorStreamCaptureInvalidated, hipMemsetAsync(x, 0, 4, a));
        EXPECT(hipErrorStreamCaptureInvalidated, hipStreamEndCapture(a, &graph));
        REQUIRE(graph == nullptr);
        HIP_CHECK(hipStreamIsCapturing(a, &status));
        REQUIRE(status == hipStreamCaptureStatusNone);
    }
    (void)hipGetLastError();

    // Events of a capture have no time. Another thread cannot end the capture, nor allocate during a global one.
    HIP_CHECK(hipStreamBeginCapture(a, hipStreamCaptureModeThreadLocal));
    HIP_CHECK(hipEventRecord(event, a));
    EXPECT(hipErrorCapturedEvent, hipEventQuery(event));
    EXPECT(hipErrorStreamCaptureInvalidated, hipStreamEndCapture(a, &graph));
    HIP_CHECK(hipStreamBeginCapture(a, hipStreamCaptureModeThreadLocal));
    HIP_CHECK(hipEventRecord(event, a));
    EXPECT(hipErrorCapturedEvent, hipEventSynchronize(event));
    EXPECT(hipErrorStreamCaptureInvalidated, hipStreamEndCapture(a, &graph));
    HIP_CHECK(hipStreamBeginCapture(a, hipStreamCaptureModeThreadLocal));
    std::thread([&] {
        EXPECT(hipErrorStreamCaptureWrongThread, hipStreamEndCapture(a, &graph));
        HIP_CHECK(hipMalloc(&p, 4));
        HIP_CHECK(hipFree(p));
    }).join();
    // The thread may lift the mode's restriction for itself.
    hipStreamCaptureMode mode = hipStreamCaptureModeRelaxed;
    HIP_CHECK(hipThreadExchangeStreamCaptureMode(&mode));
    REQUIRE(mode == hipStreamCaptureModeGlobal);
    HIP_CHECK(hipMalloc(&p, 4));
    HIP_CHECK(hipThreadExchangeStreamCaptureMode(&mode));
    REQUIRE(mode == hipStreamCaptureModeRelaxed);
    HIP_CHECK(hipStreamEndCapture(a, &graph));
    HIP_CHECK(hipGraphDestroy(graph));
    HIP_CHECK(hipStreamBeginCapture(a, hipStreamCaptureModeGlobal));
    std::thread([&] { EXPECT(hipErrorStreamCaptureUnsupported, hipMalloc(&p, 4)); }).join();
    EXPECT(hipErrorStreamCaptureInvalidated, hipStreamEndCapture(a, &graph));
    HIP_CHECK(hipStreamBeginCapture(a, hipStreamCaptureModeRelaxed));
    std::thread([&] { HIP_CHECK(hipMalloc(&p, 4)); }).join();
    add<<<1, N, 0, a>>>(x, 1);
    std::thread([&] { HIP_CHECK(hipStreamEndCapture(a, &graph)); }).join();
    HIP_CHECK(hipGraphDestroy(graph));

    // A graph's kernel that fails reports the error later, and the error stays.
    hipGraphExec_t exec;
    HIP_CHECK(hipStreamBeginCapture(a, hipStreamCaptureModeRelaxed));
    beyond<<<1, N, 0, a>>>(x);
    HIP_CHECK(hipStreamEndCapture(a, &graph));
    HIP_CHECK(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
    HIP_CHECK(hipGraphLaunch(exec, a));
    EXPECT(hipErrorLaunchFailure, hipStreamSynchronize(a));
    EXPECT(hipErrorLaunchFailure, hipGraphLaunch(exec, a));
    HIP_CHECK(hipDeviceReset());
    REQUIRE(hipGetLastError() == hipSuccess);
}

int main() {
    of_nodes();
    captured_again();
    forks_and_joins();
    forbidden();
    std::printf("graphs: ok\n");
}
