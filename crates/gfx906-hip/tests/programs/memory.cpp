// Managed, pinned and registered memory, rows and planes, fills, queries about pointers.
#include <cstring>

#include "check.h"

__global__ void twice(int* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= 2;
}

__global__ void bytes(char* x, int n) {
    if (threadIdx.x < n) x[threadIdx.x] += 1;
}

// Memory that host and kernels share has one address.
void shared_memory() {
    constexpr int N = 1000;
    int *managed, *pinned, *mapped;
    HIP_CHECK(hipMallocManaged(&managed, N * sizeof(int)));
    HIP_CHECK(hipHostMalloc(&pinned, N * sizeof(int)));
    REQUIRE(managed[N - 1] == 0 && reinterpret_cast<size_t>(pinned) % 4096 == 0);
    for (int i = 0; i < N; ++i) managed[i] = pinned[i] = i;
    HIP_CHECK(hipHostGetDevicePointer(reinterpret_cast<void**>(&mapped), pinned, 0));
    HIP_CHECK(hipMemPrefetchAsync(managed, N * sizeof(int), 0, 0));
    HIP_CHECK(hipMemAdvise(managed, N * sizeof(int), hipMemAdviseSetReadMostly, 0));
    twice<<<4, 256>>>(managed, N);
    twice<<<4, 256>>>(mapped, N);
    HIP_CHECK(hipDeviceSynchronize());
    for (int i = 0; i < N; ++i) REQUIRE(managed[i] == 2 * i && pinned[i] == 2 * i);
    hipPointerAttribute_t a;
    HIP_CHECK(hipPointerGetAttributes(&a, managed + 3));
    REQUIRE(a.isManaged && a.devicePointer == managed + 3 && a.hostPointer == managed + 3);
    HIP_CHECK(hipPointerGetAttributes(&a, pinned));
    REQUIRE(!a.isManaged && a.memoryType == hipMemoryTypeHost);
    EXPECT(hipErrorInvalidValue, hipHostFree(managed));
    HIP_CHECK(hipFree(managed));
    HIP_CHECK(hipHostFree(pinned));
    EXPECT(hipErrorInvalidValue, hipHostFree(pinned));

    std::vector<int> own(N, 21);
    EXPECT(hipErrorHostMemoryNotRegistered, hipHostUnregister(own.data()));
    HIP_CHECK(hipHostRegister(own.data(), N * sizeof(int), hipHostRegisterDefault));
    EXPECT(hipErrorHostMemoryAlreadyRegistered, hipHostRegister(own.data(), 4, hipHostRegisterDefault));
    HIP_CHECK(hipHostGetDevicePointer(reinterpret_cast<void**>(&mapped), own.data(), 0));
    twice<<<4, 256>>>(mapped, N);
    HIP_CHECK(hipDeviceSynchronize());
    for (int x : own) REQUIRE(x == 42);
    EXPECT(hipErrorInvalidValue, hipFree(own.data()));
    HIP_CHECK(hipHostUnregister(own.data()));

    char text[] = "0abcdefgh9";
    HIP_CHECK(hipHostRegister(text + 1, 8, hipHostRegisterMapped));
    bytes<<<1, 64>>>(text + 1, 8);
    HIP_CHECK(hipDeviceSynchronize());
    REQUIRE(std::strcmp(text, "0bcdefghi9") == 0);
    HIP_CHECK(hipHostUnregister(text + 1));
}

void rows() {
    constexpr size_t WIDTH = 100, HEIGHT = 7;
    char in[HEIGHT][WIDTH], out[HEIGHT][WIDTH] = {}, *device;
    for (size_t r = 0; r < HEIGHT; ++r)
        for (size_t c = 0; c < WIDTH; ++c) in[r][c] = char(31 * r + c);
    size_t pitch = 0;
    HIP_CHECK(hipMallocPitch(reinterpret_cast<void**>(&device), &pitch, WIDTH, HEIGHT));
    REQUIRE(pitch >= WIDTH);
    HIP_CHECK(hipMemset2D(device, pitch, 9, WIDTH, HEIGHT));
    HIP_CHECK(hipMemcpy2D(device, pitch, in, WIDTH, WIDTH - 1, HEIGHT, hipMemcpyHostToDevice));
    HIP_CHECK(hipMemcpy2D(out, WIDTH, device, pitch, WIDTH, HEIGHT, hipMemcpyDeviceToHost));
    for (size_t r = 0; r < HEIGHT; ++r)
        for (size_t c = 0; c < WIDTH; ++c) REQUIRE(out[r][c] == (c + 1 == WIDTH ? 9 : in[r][c]));
    EXPECT(hipErrorInvalidPitchValue, hipMemcpy2D(out, WIDTH - 1, device, pitch, WIDTH, HEIGHT, hipMemcpyDeviceToHost));
    hip_Memcpy2D part = {};
    part.srcMemoryType = hipMemoryTypeDevice;
    part.srcDevice = device;
    part.srcPitch = pitch;
    part.srcXInBytes = 10;
    part.srcY = 2;
    part.dstMemoryType = hipMemoryTypeHost;
    part.dstHost = out;
    part.dstPitch = WIDTH;
    part.WidthInBytes = 5;
    part.Height = 3;
    HIP_CHECK(hipMemcpyParam2D(&part));
    for (size_t r = 0; r < 3; ++r) REQUIRE(std::memcmp(out[r], in[r + 2] + 10, 5) == 0);
    std::memset(out, 0, sizeof out);
    HIP_CHECK(hipDrvMemcpy2DUnaligned(&part));
    for (size_t r = 0; r < 3; ++r) REQUIRE(std::memcmp(out[r], in[r + 2] + 10, 5) == 0);
    HIP_CHECK(hipFree(device));

    hipPitchedPtr cube;
    HIP_CHECK(hipMalloc3D(&cube, make_hipExtent(40, 3, 2)));
    HIP_CHECK(hipMemset3D(cube, 5, make_hipExtent(40, 3, 2)));
    char planes[2][3][40];
    hipMemcpy3DParms copy = {};
    copy.srcPtr = cube;
    copy.dstPtr = make_hipPitchedPtr(planes, 40, 40, 3);
    copy.extent = make_hipExtent(40, 3, 2);
    copy.kind = hipMemcpyDeviceToHost;
    HIP_CHECK(hipMemcpy3D(&copy));
    for (auto& plane : planes)
        for (auto& row : plane)
            for (char c : row) REQUIRE(c == 5);
    HIP_CHECK(hipFree(cube.ptr));
}

void fills_and_copies() {
    constexpr int N = 300000;
    std::vector<int> host(N);
    int *a = device_alloc<int>(N), *b = device_alloc<int>(N);
    HIP_CHECK(hipMemset(a, 0x5a, N * sizeof(int)));
    HIP_CHECK(hipMemsetD32(reinterpret_cast<hipDeviceptr_t>(a), -7, N / 2));
    HIP_CHECK(hipMemsetD16(reinterpret_cast<hipDeviceptr_t>(a + N - 1), 0x1234, 1));
    HIP_CHECK(hipMemsetD8(reinterpret_cast<hipDeviceptr_t>(a), 1, 1));
    HIP_CHECK(hipMemcpy(b, a, N * sizeof(int), hipMemcpyDeviceToDevice));
    HIP_CHECK(hipMemcpy(host.data(), b, N * sizeof(int), hipMemcpyDefault));
    REQUIRE(host[0] == int(0xffffff01) && host[1] == -7 && host[N / 2 - 1] == -7 && host[N / 2] == 0x5a5a5a5a);
    REQUIRE(host[N - 1] == 0x5a5a1234);
    HIP_CHECK(hipMemcpyDtoD(reinterpret_cast<hipDeviceptr_t>(b), reinterpret_cast<hipDeviceptr_t>(a + 1), 4));
    HIP_CHECK(hipMemcpyDtoH(host.data(), reinterpret_cast<hipDeviceptr_t>(b), 8));
    REQUIRE(host[0] == -7);
    // An odd address, an odd size.
    char* odd = reinterpret_cast<char*>(a) + 3;
    HIP_CHECK(hipMemcpy(odd, "hello", 5, hipMemcpyHostToDevice));
    char back[6] = {};
    HIP_CHECK(hipMemcpy(back, odd, 5, hipMemcpyDeviceToHost));
    REQUIRE(std::strcmp(back, "hello") == 0);

    void* base;
    size_t size, free_before, total, free_after;
    EXPECT(hipErrorNotFound, hipMemGetAddressRange(reinterpret_cast<hipDeviceptr_t*>(&base), &size, nullptr));
    EXPECT(hipErrorNotFound, hipMemGetAddressRange(reinterpret_cast<hipDeviceptr_t*>(&base), &size, reinterpret_cast<hipDeviceptr_t>(&size)));
    HIP_CHECK(hipMemGetAddressRange(reinterpret_cast<hipDeviceptr_t*>(&base), &size, reinterpret_cast<hipDeviceptr_t>(a + 9)));
    REQUIRE(base == a && size == N * sizeof(int));
    HIP_CHECK(hipMemGetInfo(&free_before, &total));
    HIP_CHECK(hipFree(a));
    HIP_CHECK(hipMemGetInfo(&free_after, &total));
    REQUIRE(free_after <= total && free_before <= total);
    HIP_CHECK(hipFree(b));

    // Host memory to host memory.
    char from[] = "abc", to[4];
    HIP_CHECK(hipMemcpy(to, from, 4, hipMemcpyHostToHost));
    REQUIRE(std::strcmp(to, "abc") == 0);
}

int main() {
    shared_memory();
    rows();
    fills_and_copies();
    std::printf("memory: ok\n");
}
