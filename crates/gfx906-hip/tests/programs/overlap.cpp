// Streams that run while the host goes on. Optional argument 1: `exit` (the program ends while a kernel waits for it) or `fork`.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <string>
#include <thread>

#include "check.h"

// Waits until the host or another kernel writes.
__global__ void wait_for(volatile int* flag) {
    while (*flag == 0) {}
}
__global__ void raise(volatile int* flag) {
    if (threadIdx.x == 0) flag[blockIdx.x * 0] = 1;
}
__global__ void add(int* x, int y) { atomicAdd(x, y); }
__global__ void append(int* list, int* count, int what) { list[(*count)++] = what; }

struct Meeting {
    std::atomic<int> arrived{0}, may_go{0};
};

void meet(hipStream_t, hipError_t status, void* data) {
    REQUIRE(status == hipSuccess);
    auto* meeting = static_cast<Meeting*>(data);
    meeting->arrived = 1;
    while (meeting->may_go == 0) std::this_thread::yield();
}
void meet_plainly(void* data) { meet(nullptr, hipSuccess, data); }

// A host function that a stream calls may not wait for streams: the wait is refused with a message, and does not hang.
void impatient(void* data) { *static_cast<hipError_t*>(data) = hipDeviceSynchronize(); }

int* shared(int value) {
    int* p = nullptr;
    HIP_CHECK(hipHostMalloc(&p, 4096));
    *p = value;
    return p;
}
void set(int* flag) { *const_cast<volatile int*>(flag) = 1; }

int main(int count, char** arguments) {
    std::string how = count > 1 ? arguments[1] : "";
    int* x = device_alloc<int>(1024);
    int* flag = shared(0);
    if (how == "exit") {
        wait_for<<<1, 64>>>(flag);
        EXPECT(hipErrorNotReady, hipStreamQuery(nullptr));
        std::printf("overlap: ok\n");
        return 0;
    }
    if (how == "fork") {
        add<<<1, 64>>>(x, 1);
        HIP_CHECK(hipDeviceSynchronize());
        pid_t child = fork();
        if (child == 0) {
            add<<<1, 64>>>(x, 1);
            _exit(hipGetLastError() == hipErrorNotInitialized && hipDeviceSynchronize() == hipErrorNotInitialized ? 0 : 1);
        }
        int status = 1;
        REQUIRE(waitpid(child, &status, 0) == child && status == 0);
        add<<<1, 64>>>(x, 1);
        HIP_CHECK(hipDeviceSynchronize());
        std::printf("overlap: ok\n");
        return 0;
    }

    hipStream_t a, b, apart;
    HIP_CHECK(hipStreamCreate(&a));
    HIP_CHECK(hipStreamCreate(&b));
    HIP_CHECK(hipStreamCreateWithFlags(&apart, hipStreamNonBlocking));
    hipEvent_t first, second;
    HIP_CHECK(hipEventCreate(&first));
    HIP_CHECK(hipEventCreate(&second));
    float ms = -1;

    // A callback waits for the thread that added it.
    Meeting meeting;
    HIP_CHECK(hipStreamAddCallback(a, meet, &meeting, 0));
    while (meeting.arrived == 0) std::this_thread::yield();
    EXPECT(hipErrorNotReady, hipStreamQuery(a));
    REQUIRE(hipGetLastError() == hipSuccess);
    HIP_CHECK(hipStreamQuery(apart));
    meeting.may_go = 1;
    HIP_CHECK(hipStreamSynchronize(a));
    HIP_CHECK(hipStreamQuery(a));
    Meeting plain;
    HIP_CHECK(hipLaunchHostFunc(apart, meet_plainly, &plain));
    while (plain.arrived == 0) std::this_thread::yield();
    plain.may_go = 1;
    hipError_t refused = hipSuccess;
    HIP_CHECK(hipLaunchHostFunc(apart, impatient, &refused));
    HIP_CHECK(hipDeviceSynchronize());
    REQUIRE(refused != hipSuccess);

    // Copies within the device do not wait, not even for the null stream's work.
    Meeting copies;
    HIP_CHECK(hipStreamAddCallback(nullptr, meet, &copies, 0));
    HIP_CHECK(hipMemcpy(x + 512, x, 1024, hipMemcpyDeviceToDevice));
    HIP_CHECK(hipMemcpyDtoD(x + 512, x, 1024));
    HIP_CHECK(hipMemcpy2D(x + 512, 64, x, 64, 64, 4, hipMemcpyDeviceToDevice));
    EXPECT(hipErrorNotReady, hipStreamQuery(nullptr));
    copies.may_go = 1;
    HIP_CHECK(hipDeviceSynchronize());

    // A kernel waits for a write of the host after its launch; events and other streams go on meanwhile.
    HIP_CHECK(hipMemset(x, 0, 4096));
    HIP_CHECK(hipDeviceSynchronize());
    HIP_CHECK(hipEventQuery(first));
    HIP_CHECK(hipEventRecord(first, a));
    wait_for<<<3, 128, 0, a>>>(flag);
    HIP_CHECK(hipGetLastError());
    HIP_CHECK(hipEventRecord(second, a));
    EXPECT(hipErrorNotReady, hipStreamQuery(a));
    HIP_CHECK(hipEventSynchronize(first));
    HIP_CHECK(hipEventQuery(first));
    EXPECT(hipErrorNotReady, hipEventQuery(second));
    EXPECT(hipErrorNotReady, hipEventElapsedTime(&ms, first, second));
    // The other blocking stream runs, and so does the non-blocking stream.
    add<<<1, 64, 0, b>>>(x, 1);
    HIP_CHECK(hipStreamSynchronize(b));
    add<<<1, 64, 0, apart>>>(x, 1);
    HIP_CHECK(hipStreamSynchronize(apart));
    HIP_CHECK(hipStreamSynchronize(hipStreamPerThread));
    // Work behind an event waits. Arguments and unpinned memory are read at the call.
    HIP_CHECK(hipStreamWaitEvent(b, second, 0));
    int step = 1000;
    std::vector<int> host(16, 7);
    add<<<1, 1, 0, b>>>(x, step);
    step = 5;
    HIP_CHECK(hipMemcpyAsync(x + 16, host.data(), 64, hipMemcpyHostToDevice, b));
    std::fill(host.begin(), host.end(), 8);
    HIP_CHECK(hipMemsetAsync(x + 32, 1, 64, b));
    EXPECT(hipErrorNotReady, hipStreamQuery(b));
    // The null stream waits for both, and a blocking stream waits for the null stream, but the non-blocking stream does not.
    add<<<1, 1>>>(x, 10000);
    hipStream_t c;
    HIP_CHECK(hipStreamCreate(&c));
    add<<<1, 1, 0, c>>>(x, 100000);
    EXPECT(hipErrorNotReady, hipStreamQuery(nullptr));
    EXPECT(hipErrorNotReady, hipStreamQuery(c));
    int now[48];
    HIP_CHECK(hipMemcpyAsync(now, x, 4, hipMemcpyDeviceToHost, apart));
    HIP_CHECK(hipStreamSynchronize(apart));
    REQUIRE(now[0] == 128);
    std::thread later([flag] {
        std::this_thread::sleep_for(std::chrono::milliseconds(30));
        set(flag);
    });
    // This waits for the null stream, which waits for the others.
    HIP_CHECK(hipMemcpy(now, x, sizeof now, hipMemcpyDeviceToHost));
    REQUIRE(now[0] == 11128 || now[0] == 111128);
    REQUIRE(now[16] == 7 && now[31] == 7 && now[32] == 0x01010101);
    HIP_CHECK(hipDeviceSynchronize());
    to_host(now, x, 1);
    REQUIRE(now[0] == 111128);
    HIP_CHECK(hipEventElapsedTime(&ms, first, second));
    REQUIRE(ms >= 20.0f);
    later.join();

    // A kernel of several blocks waits for such a kernel of another stream, and a stream is destroyed at work.
    *flag = 0;
    wait_for<<<8, 256, 0, a>>>(flag);
    add<<<1, 64, 0, a>>>(x, 1);
    HIP_CHECK(hipStreamDestroy(a));
    raise<<<8, 64, 0, b>>>(flag);
    HIP_CHECK(hipDeviceSynchronize());
    to_host(now, x, 1);
    REQUIRE(now[0] == 111192);

    // Words of memory that a stream waits for, and another writes.
    int able = 0;
    HIP_CHECK(hipDeviceGetAttribute(&able, hipDeviceAttributeCanUseStreamWaitValue, 0));
    REQUIRE(able == 1);
    uint64_t* words = nullptr;
    HIP_CHECK(hipHostMalloc(&words, 64));
    words[0] = words[1] = 0;
    HIP_CHECK(hipStreamWaitValue64(b, words, 5, hipStreamWaitValueGte));
    HIP_CHECK(hipStreamWaitValue32(b, words + 1, 0x30, hipStreamWaitValueEq, 0xf0));
    HIP_CHECK(hipEventRecord(first, b));
    HIP_CHECK(hipStreamWriteValue64(apart, words, 6, 0));
    HIP_CHECK(hipStreamSynchronize(apart));
    EXPECT(hipErrorNotReady, hipEventQuery(first));
    HIP_CHECK(hipStreamWriteValue32(apart, words + 1, 0x35, 0));
    HIP_CHECK(hipEventSynchronize(first));
    REQUIRE(words[0] == 6 && words[1] == 0x35);
    EXPECT(hipErrorInvalidValue, hipStreamWaitValue32(b, words, 0, 4, 0));
    EXPECT(hipErrorInvalidValue, hipStreamWriteValue32(b, nullptr, 0, 0));
    HIP_CHECK(hipHostFree(words));

    // Launches of one stream are in order, and so are launches of streams with events between them.
    int *list = device_alloc<int>(1000), *length = list + 999;
    HIP_CHECK(hipMemset(list, 0, 4000));
    hipStream_t turns[2] = {b, apart};
    for (int n = 0; n < 200; ++n) {
        append<<<1, 1, 0, turns[n % 2]>>>(list, length, n);
        HIP_CHECK(hipEventRecord(n % 2 ? first : second, turns[n % 2]));
        HIP_CHECK(hipStreamWaitEvent(turns[(n + 1) % 2], n % 2 ? first : second, 0));
    }
    HIP_CHECK(hipDeviceSynchronize());
    int order[200];
    to_host(order, list, 200);
    for (int n = 0; n < 200; ++n) REQUIRE(order[n] == n);

    // The thread's own stream.
    HIP_CHECK(hipMemsetAsync(x, 0, 4, hipStreamPerThread));
    std::thread own([x] {
        add<<<1, 64, 0, hipStreamPerThread>>>(x, 1);
        HIP_CHECK(hipStreamSynchronize(hipStreamPerThread));
    });
    own.join();
    HIP_CHECK(hipDeviceSynchronize());
    HIP_CHECK(hipFree(x));
    HIP_CHECK(hipHostFree(flag));
    std::printf("overlap: ok\n");
}
