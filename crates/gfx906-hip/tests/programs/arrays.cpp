// Arrays of one, two and three dimensions, and the copies that reach them.
#include <cstring>

#include "check.h"

void plane() {
    constexpr size_t W = 37, H = 5;
    hipChannelFormatDesc format = hipCreateChannelDesc(32, 0, 0, 0, hipChannelFormatKindFloat), found;
    hipArray* array;
    HIP_CHECK(hipMallocArray(&array, &format, W, H, hipArrayDefault));
    HIP_CHECK(hipGetChannelDesc(&found, array));
    REQUIRE(found.x == 32 && found.y == 0 && found.f == hipChannelFormatKindFloat);
    float in[H][W], out[H][W] = {}, *device = device_alloc<float>(W * H);
    for (size_t n = 0; n < W * H; ++n) in[0][n] = float(n);
    HIP_CHECK(hipMemcpy2DToArray(array, 0, 0, in, W * 4, W * 4, H, hipMemcpyHostToDevice));
    HIP_CHECK(hipMemcpy2DFromArray(out, W * 4, array, 0, 0, W * 4, H, hipMemcpyDeviceToHost));
    REQUIRE(std::memcmp(in, out, sizeof in) == 0);
    // A part of the array is copied to the device and back.
    HIP_CHECK(hipMemset(device, 0, sizeof in));
    HIP_CHECK(hipMemcpy2DFromArray(device, W * 4, array, 3 * 4, 1, 10 * 4, 2, hipMemcpyDeviceToDevice));
    to_host(out[0], device, W * H);
    REQUIRE(out[0][0] == in[1][3] && out[1][9] == in[2][12] && out[0][10] == 0);
    EXPECT(hipErrorInvalidValue, hipMemcpy2DToArray(array, 4, 0, in, W * 4, W * 4, H, hipMemcpyHostToDevice));
    EXPECT(hipErrorInvalidValue, hipMemcpy2DToArray(array, 0, 1, in, W * 4, W * 4, H, hipMemcpyHostToDevice));
    // Consecutive bytes are copied across the ends of rows.
    float line[2 * W];
    HIP_CHECK(hipMemcpyFromArray(line, array, 8, 1, (2 * W - 2) * 4, hipMemcpyDeviceToHost));
    REQUIRE(std::memcmp(line, in[1] + 2, (2 * W - 2) * 4) == 0);

    hip_Memcpy2D part = {};
    part.srcMemoryType = hipMemoryTypeArray;
    part.srcArray = array;
    part.srcXInBytes = 8;
    part.srcY = 3;
    part.dstMemoryType = hipMemoryTypeHost;
    part.dstHost = out;
    part.dstPitch = W * 4;
    part.WidthInBytes = 20;
    part.Height = 2;
    HIP_CHECK(hipMemcpyParam2D(&part));
    REQUIRE(std::memcmp(out[0], in[3] + 2, 20) == 0 && std::memcmp(out[1], in[4] + 2, 20) == 0);
    HIP_CHECK(hipFreeArray(array));
    EXPECT(hipErrorContextIsDestroyed, hipFreeArray(array));
    HIP_CHECK(hipFree(device));
}

void cube() {
    constexpr size_t W = 9, H = 4, D = 3;
    hipChannelFormatDesc format = hipCreateChannelDesc(16, 16, 0, 0, hipChannelFormatKindSigned);
    hipArray* array;
    HIP_CHECK(hipMalloc3DArray(&array, &format, make_hipExtent(W, H, D), hipArrayDefault));
    int in[D][H][W], out[D][H][W] = {};
    for (size_t n = 0; n < W * H * D; ++n) in[0][0][n] = int(n * 77);
    hipMemcpy3DParms copy = {};
    copy.srcPtr = make_hipPitchedPtr(in, W * 4, W, H);
    copy.dstArray = array;
    copy.extent = make_hipExtent(W, H, D);
    copy.kind = hipMemcpyHostToDevice;
    HIP_CHECK(hipMemcpy3D(&copy));
    // The middle of the array: two elements of two rows of two planes.
    hipMemcpy3DParms back = {};
    back.srcArray = array;
    back.srcPos = make_hipPos(3, 1, 1);
    back.dstPtr = make_hipPitchedPtr(out, W * 4, W, H);
    back.extent = make_hipExtent(2, 2, 2);
    back.kind = hipMemcpyDeviceToHost;
    HIP_CHECK(hipMemcpy3D(&back));
    for (int z = 0; z < 2; ++z)
        for (int y = 0; y < 2; ++y)
            for (int x = 0; x < 3; ++x) REQUIRE(out[z][y][x] == (x < 2 ? in[z + 1][y + 1][x + 3] : 0));
    back.extent = make_hipExtent(2, 2, 3);
    EXPECT(hipErrorInvalidValue, hipMemcpy3D(&back));
    HIP_CHECK(hipFreeArray(array));
}

void row() {
    HIP_ARRAY_DESCRIPTOR wanted = {};
    wanted.Width = 50;
    wanted.Format = HIP_AD_FORMAT_UNSIGNED_INT8;
    wanted.NumChannels = 4;
    hipArray* array;
    HIP_CHECK(hipArrayCreate(&array, &wanted));
    char in[200], out[200] = {};
    for (int n = 0; n < 200; ++n) in[n] = char(n);
    HIP_CHECK(hipMemcpyHtoA(array, 0, in, 200));
    HIP_CHECK(hipMemcpyAtoH(out, array, 20, 180));
    REQUIRE(std::memcmp(out, in + 20, 180) == 0 && out[180] == 0);
    EXPECT(hipErrorInvalidValue, hipMemcpyAtoH(out, array, 20, 181));
    HIP_CHECK(hipArrayDestroy(array));
}

int main() {
    plane();
    cube();
    row();
    std::printf("arrays: ok\n");
}
