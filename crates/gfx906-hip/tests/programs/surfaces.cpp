// Surfaces: stores of kernels reach the array, loads return its elements, and beyond the array loads return 0.
#include <cstring>

#include "check.h"

static hipSurfaceObject_t surface(hipArray* array) {
    hipResourceDesc resource = {};
    resource.resType = hipResourceTypeArray;
    resource.res.array.array = array;
    hipSurfaceObject_t made = nullptr;
    HIP_CHECK(hipCreateSurfaceObject(&made, &resource));
    return made;
}

// Each lane stores its right neighbour's element plus one. Beyond the edge the element is 0.
template <typename V>
__global__ void shift1(hipSurfaceObject_t to, hipSurfaceObject_t from, int width) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    V value;
    surf1Dread(&value, from, (x + 1) * int(sizeof(V)));
    surf1Dwrite(value + V(1), to, x * int(sizeof(V)));
}
template <typename V>
__global__ void shift2(hipSurfaceObject_t to, hipSurfaceObject_t from) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    V value;
    surf2Dread(&value, from, (x + 1) * int(sizeof(V)), y - 1);
    surf2Dwrite(value, to, x * int(sizeof(V)), y);
}
__global__ void shift3(hipSurfaceObject_t to, hipSurfaceObject_t from) {
    int x = threadIdx.x, y = blockIdx.y, z = blockIdx.z;
    float2 value;
    surf3Dread(&value, from, x * 8, y, z + 1);
    surf3Dwrite(value, to, x * 8, y, z);
}

static void rows() {
    constexpr int W = 70;
    hipChannelFormatDesc format = hipCreateChannelDesc<float>();
    hipArray *from, *to;
    HIP_CHECK(hipMallocArray(&from, &format, W, 0, hipArraySurfaceLoadStore));
    HIP_CHECK(hipMallocArray(&to, &format, W, 0, hipArraySurfaceLoadStore));
    float in[W], out[W];
    fill_random(in, W, -5, 5);
    HIP_CHECK(hipMemcpy2DToArray(from, 0, 0, in, sizeof in, sizeof in, 1, hipMemcpyHostToDevice));
    hipSurfaceObject_t source = surface(from), destination = surface(to);
    // There are more lanes than elements; the lanes outside store nothing.
    shift1<float><<<2, 64>>>(destination, source, W);
    HIP_CHECK(hipDeviceSynchronize());
    HIP_CHECK(hipMemcpy2DFromArray(out, sizeof out, to, 0, 0, sizeof out, 1, hipMemcpyDeviceToHost));
    for (int x = 0; x < W; ++x) REQUIRE(out[x] == (x + 1 < W ? in[x + 1] : 0.0f) + 1.0f);
    HIP_CHECK(hipDestroySurfaceObject(source));
    EXPECT(hipErrorInvalidValue, hipDestroySurfaceObject(source));
    HIP_CHECK(hipDestroySurfaceObject(destination));
    HIP_CHECK(hipFreeArray(from));
    HIP_CHECK(hipFreeArray(to));
}

template <typename V, typename T>
static void planes() {
    constexpr int W = 40, H = 9, C = sizeof(V) / sizeof(T);
    hipChannelFormatDesc format = hipCreateChannelDesc<V>();
    hipArray *from, *to;
    HIP_CHECK(hipMallocArray(&from, &format, W, H, hipArraySurfaceLoadStore));
    HIP_CHECK(hipMallocArray(&to, &format, W, H, hipArraySurfaceLoadStore));
    T in[H][W][C], out[H][W][C];
    // HIP 5's header converts every component to a float, so the numbers here survive a conversion to float and back.
    for (int n = 0; n < W * H * C; ++n) {
        float x = float(n * 7);
        std::memcpy(&in[0][0][n], &x, sizeof x);
    }
    HIP_CHECK(hipMemcpy2DToArray(from, 0, 0, in, sizeof in[0], sizeof in[0], H, hipMemcpyHostToDevice));
    hipSurfaceObject_t source = surface(from), destination = surface(to);
    shift2<V><<<dim3(1, H + 3), 64>>>(destination, source);
    HIP_CHECK(hipDeviceSynchronize());
    HIP_CHECK(hipMemcpy2DFromArray(out, sizeof out[0], to, 0, 0, sizeof out[0], H, hipMemcpyDeviceToHost));
    const T zero[C] = {};
    for (int y = 0; y < H; ++y)
        for (int x = 0; x < W; ++x) {
            bool inside = x + 1 < W && y > 0;
            REQUIRE(std::memcmp(out[y][x], inside ? in[y - 1][x + 1] : zero, sizeof zero) == 0);
        }
    HIP_CHECK(hipDestroySurfaceObject(source));
    HIP_CHECK(hipDestroySurfaceObject(destination));
    HIP_CHECK(hipFreeArray(from));
    HIP_CHECK(hipFreeArray(to));
}

static void cubes() {
    constexpr int W = 20, H = 3, D = 4;
    hipChannelFormatDesc format = hipCreateChannelDesc<float2>();
    float2 in[D][H][W], out[D][H][W];
    fill_random(&in[0][0][0].x, 2 * W * H * D, -1, 1);
    hipArray* array[2];
    for (hipArray*& one : array) HIP_CHECK(hipMalloc3DArray(&one, &format, make_hipExtent(W, H, D), hipArraySurfaceLoadStore));
    hipMemcpy3DParms copy = {};
    copy.srcPtr = make_hipPitchedPtr(in, W * sizeof(float2), W, H);
    copy.dstArray = array[0];
    copy.extent = make_hipExtent(W, H, D);
    copy.kind = hipMemcpyHostToDevice;
    HIP_CHECK(hipMemcpy3D(&copy));
    hipSurfaceObject_t source = surface(array[0]), destination = surface(array[1]);
    shift3<<<dim3(1, H, D), 64>>>(destination, source);
    HIP_CHECK(hipDeviceSynchronize());
    hipMemcpy3DParms back = {};
    back.srcArray = array[1];
    back.dstPtr = make_hipPitchedPtr(out, W * sizeof(float2), W, H);
    back.extent = copy.extent;
    back.kind = hipMemcpyDeviceToHost;
    HIP_CHECK(hipMemcpy3D(&back));
    for (int z = 0; z < D; ++z)
        for (int n = 0; n < W * H; ++n) {
            float2 want = z + 1 < D ? in[z + 1][0][n] : make_float2(0, 0);
            REQUIRE(out[z][0][n].x == want.x && out[z][0][n].y == want.y);
        }
    HIP_CHECK(hipDestroySurfaceObject(source));
    HIP_CHECK(hipDestroySurfaceObject(destination));
    for (hipArray* one : array) HIP_CHECK(hipFreeArray(one));
}

int main() {
    rows();
    planes<float, float>();
    planes<float2, float>();
    planes<float4, float>();
    planes<int, int>();
    planes<uint4, unsigned>();
    cubes();
    std::printf("surfaces: ok\n");
}
