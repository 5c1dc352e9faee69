// Textures over arrays, rows and linear memory: a formula on the host gives the expected value for every kind of coordinate.
#include <cstring>
#include <string>

#include "check.h"

// Parameters of a texture.
struct Look {
    hipTextureAddressMode mode;
    bool normalized;
    hipTextureReadMode read;
    hipTextureFilterMode filter;
    Look(hipTextureAddressMode mode, bool normalized, hipTextureReadMode read = hipReadModeElementType,
         hipTextureFilterMode filter = hipFilterModePoint)
        : mode(mode), normalized(normalized), read(read), filter(filter) {}
};

static const hipTextureAddressMode MODES[] = {hipAddressModeWrap, hipAddressModeClamp, hipAddressModeMirror, hipAddressModeBorder};

static hipTextureDesc description(const Look& look) {
    hipTextureDesc desc = {};
    for (auto& mode : desc.addressMode) mode = look.mode;
    desc.filterMode = look.filter;
    desc.readMode = look.read;
    desc.normalizedCoords = look.normalized;
    return desc;
}

static hipTextureObject_t make(const hipResourceDesc& resource, const Look& look) {
    hipTextureDesc desc = description(look);
    hipTextureObject_t made = nullptr;
    HIP_CHECK(hipCreateTextureObject(&made, &resource, &desc, nullptr));
    return made;
}

static hipResourceDesc over(hipArray* array) {
    hipResourceDesc resource = {};
    resource.resType = hipResourceTypeArray;
    resource.res.array.array = array;
    return resource;
}

// Returns the index of element k in a row of n, or -1 for the border. With coordinates that count elements, nothing repeats.
static int element(int k, int n, const Look& look) {
    bool inside = k >= 0 && k < n;
    int last = k < 0 ? 0 : n - 1;
    if (inside) return k;
    if (look.mode == hipAddressModeBorder) return -1;
    if (!look.normalized || look.mode == hipAddressModeClamp) return last;
    int images = int(std::floor(double(k) / n)), place = k - images * n;
    return look.mode == hipAddressModeWrap || images % 2 == 0 ? place : n - 1 - place;
}

// Kernels: each lane reads at one coordinate.
template <typename T>
__global__ void sample1(T* out, hipTextureObject_t t, const float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = tex1D<T>(t, x[i]);
}
template <typename T>
__global__ void sample2(T* out, hipTextureObject_t t, const float* x, const float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = tex2D<T>(t, x[i], y[i]);
}
template <typename T>
__global__ void sample3(T* out, hipTextureObject_t t, const float* x, const float* y, const float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = tex3D<T>(t, x[i], y[i], z[i]);
}
template <typename T>
__global__ void layered1(T* out, hipTextureObject_t t, const float* x, const int* layer, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = tex1DLayered<T>(t, x[i], layer[i]);
}
template <typename T>
__global__ void layered2(T* out, hipTextureObject_t t, const float* x, const float* y, const int* layer, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = tex2DLayered<T>(t, x[i], y[i], layer[i]);
}
template <typename T>
__global__ void fetch(T* out, hipTextureObject_t t, const int* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = tex1Dfetch<T>(t, x[i]);
}
__global__ void levels(float* out, hipTextureObject_t t, float x, float y) {
    out[0] = tex2DLod<float>(t, x, y, 0.0f);
    out[1] = tex2DGrad<float>(t, x, y, make_float2(1, 0), make_float2(0, 1));
}

// Copies a vector to device memory.
template <typename T>
struct Buffer {
    T* at;
    explicit Buffer(const std::vector<T>& values) : at(device_alloc<T>(values.size())) { to_device(at, values.data(), values.size()); }
    ~Buffer() { HIP_CHECK(hipFree(at)); }
};

// Returns the results of a launch with one lane per coordinate.
template <typename T, typename Launch>
static std::vector<T> results(size_t n, Launch launch) {
    std::vector<T> out(n);
    T* device = device_alloc<T>(n);
    launch(device, dim3((n + 63) / 64), dim3(64));
    HIP_CHECK(hipGetLastError());
    to_host(out.data(), device, n);
    HIP_CHECK(hipFree(device));
    return out;
}

// Returns coordinates around a row, several within each element.
struct Places {
    std::vector<float> at;
    std::vector<int> element;
    Places(int n, const Look& look) {
        for (int k = -2 * n - 1; k <= 3 * n; ++k)
            for (float part : {0.5f, 0.25f, 0.875f}) {
                at.push_back(look.normalized ? (k + part) / n : k + part);
                element.push_back(k);
            }
    }
};

template <typename T>
static T value(unsigned n) {
    return T(std::is_floating_point<T>::value ? float(int(n * 2654435761u)) / 65536.0f : float(0)) +
           (std::is_floating_point<T>::value ? T(0) : T(n * 2654435761u >> 7));
}

// A component of a vector type, or the value itself.
template <typename T, typename V>
static T component(const V& v, int n) {
    T all[sizeof(V) / sizeof(T)];
    std::memcpy(all, &v, sizeof v);
    return all[n];
}

// Returns a component as a fraction of the greatest value.
template <typename T>
static float fraction(T x) {
    float most = sizeof(T) == 1 ? (T(-1) < T(0) ? 127.0f : 255.0f) : (T(-1) < T(0) ? 32767.0f : 65535.0f);
    return std::fmax(float(x) / most, -1.0f);
}

// Tests an array of W elements in H rows (0: one-dimensional) of C components, in all modes.
template <typename T, typename V, typename F, int C>
static void elements(hipChannelFormatKind kind) {
    constexpr int W = 13, H = 7;
    int bits = 8 * sizeof(T);
    hipChannelFormatDesc format = hipCreateChannelDesc(bits, C > 1 ? bits : 0, C > 2 ? bits : 0, C > 2 ? bits : 0, kind);
    T in[H][W][C];
    for (int n = 0; n < W * H * C; ++n) in[0][0][n] = value<T>(n);
    hipArray* array;
    HIP_CHECK(hipMallocArray(&array, &format, W, H, hipArrayDefault));
    HIP_CHECK(hipMemcpy2DToArray(array, 0, 0, in, sizeof in[0], sizeof in[0], H, hipMemcpyHostToDevice));
    for (auto mode : MODES)
        for (bool normalized : {false, true}) {
            Look look{mode, normalized};
            Places px(W, look), py(H, look);
            std::vector<float> x, y;
            std::vector<int> ex, ey;
            for (size_t n = 0; n < 400; ++n) {
                size_t i = next_random() % px.at.size(), j = next_random() % py.at.size();
                x.push_back(px.at[i]), ex.push_back(element(px.element[i], W, look));
                y.push_back(py.at[j]), ey.push_back(element(py.element[j], H, look));
            }
            Buffer<float> dx(x), dy(y);
            hipTextureObject_t t = make(over(array), look);
            auto out = results<V>(x.size(), [&](V* to, dim3 grid, dim3 block) {
                sample2<V><<<grid, block>>>(to, t, dx.at, dy.at, int(x.size()));
            });
            for (size_t n = 0; n < x.size(); ++n)
                for (int c = 0; c < C; ++c) {
                    bool border = ex[n] < 0 || ey[n] < 0;
                    // Components that the array does not have are not read; the fourth component of the border is 0, too.
                    T want = border ? T(0) : in[ey[n]][ex[n]][c];
                    REQUIRE(component<T>(out[n], c) == want);
                }
            HIP_CHECK(hipDestroyTextureObject(t));
            if (kind == hipChannelFormatKindFloat || sizeof(T) == 4) continue;
            look.read = hipReadModeNormalizedFloat;
            t = make(over(array), look);
            auto fractions = results<F>(x.size(), [&](F* to, dim3 grid, dim3 block) {
                sample2<F><<<grid, block>>>(to, t, dx.at, dy.at, int(x.size()));
            });
            for (size_t n = 0; n < x.size(); ++n)
                for (int c = 0; c < C; ++c) {
                    bool border = ex[n] < 0 || ey[n] < 0;
                    float want = border ? 0.0f : fraction(in[ey[n]][ex[n]][c]);
                    REQUIRE(component<float>(fractions[n], c) == want);
                }
            HIP_CHECK(hipDestroyTextureObject(t));
        }
    HIP_CHECK(hipFreeArray(array));
}

// One dimension: an array, and linear memory, which is read by index only.
static void rows() {
    constexpr int W = 29;
    hipChannelFormatDesc format = hipCreateChannelDesc<float>();
    float in[W];
    for (int n = 0; n < W; ++n) in[n] = value<float>(n);
    hipArray* array;
    HIP_CHECK(hipMallocArray(&array, &format, W, 0, hipArrayDefault));
    HIP_CHECK(hipMemcpy2DToArray(array, 0, 0, in, sizeof in, sizeof in, 1, hipMemcpyHostToDevice));
    for (auto mode : MODES)
        for (bool normalized : {false, true}) {
            Look look{mode, normalized};
            Places p(W, look);
            Buffer<float> x(p.at);
            hipTextureObject_t t = make(over(array), look);
            auto out = results<float>(p.at.size(), [&](float* to, dim3 grid, dim3 block) {
                sample1<float><<<grid, block>>>(to, t, x.at, int(p.at.size()));
            });
            for (size_t n = 0; n < out.size(); ++n) {
                int at = element(p.element[n], W, look);
                REQUIRE(out[n] == (at < 0 ? 0.0f : in[at]));
            }
            HIP_CHECK(hipDestroyTextureObject(t));
        }
    HIP_CHECK(hipFreeArray(array));

    std::vector<short2> shorts(W);
    for (int n = 0; n < W; ++n) shorts[n] = make_short2(short(1000 * n), short(-7 * n));
    Buffer<short2> memory(shorts);
    hipResourceDesc resource = {};
    resource.resType = hipResourceTypeLinear;
    resource.res.linear.devPtr = memory.at;
    resource.res.linear.desc = hipCreateChannelDesc<short2>();
    resource.res.linear.sizeInBytes = W * sizeof(short2);
    std::vector<int> places = {0, 1, 5, W - 1, W, W + 1, 4 * W, -1, 1 << 30};
    Buffer<int> x(places);
    hipTextureObject_t t = make(resource, {hipAddressModeClamp, false});
    auto out = results<short2>(places.size(), [&](short2* to, dim3 grid, dim3 block) {
        fetch<short2><<<grid, block>>>(to, t, x.at, int(places.size()));
    });
    for (size_t n = 0; n < places.size(); ++n) {
        bool inside = places[n] >= 0 && places[n] < W;
        REQUIRE(out[n].x == (inside ? shorts[places[n]].x : 0) && out[n].y == (inside ? shorts[places[n]].y : 0));
    }
    HIP_CHECK(hipDestroyTextureObject(t));
}

// Pitched memory of the program, and unsupported levels of detail.
static void pitched() {
    constexpr int W = 50, H = 6;
    unsigned char* memory;
    size_t pitch;
    HIP_CHECK(hipMallocPitch((void**)&memory, &pitch, W, H));
    unsigned char in[H][W];
    for (int n = 0; n < W * H; ++n) in[0][n] = (unsigned char)(n * 37);
    HIP_CHECK(hipMemcpy2D(memory, pitch, in, W, W, H, hipMemcpyHostToDevice));
    hipResourceDesc resource = {};
    resource.resType = hipResourceTypePitch2D;
    resource.res.pitch2D.devPtr = memory;
    resource.res.pitch2D.desc = hipCreateChannelDesc<unsigned char>();
    resource.res.pitch2D.width = W;
    resource.res.pitch2D.height = H;
    resource.res.pitch2D.pitchInBytes = pitch;
    Look look{hipAddressModeClamp, false, hipReadModeNormalizedFloat};
    std::vector<float> x, y;
    for (int n = 0; n < W * H; ++n) x.push_back(n % W + 0.5f), y.push_back(n / W + 0.5f);
    Buffer<float> dx(x), dy(y);
    hipTextureObject_t t = make(resource, look);
    auto out = results<float>(x.size(), [&](float* to, dim3 grid, dim3 block) {
        sample2<float><<<grid, block>>>(to, t, dx.at, dy.at, W * H);
    });
    for (int n = 0; n < W * H; ++n) REQUIRE(out[n] == in[0][n] / 255.0f);
    auto both = results<float>(2, [&](float* to, dim3, dim3) { levels<<<1, 1>>>(to, t, 7.5f, 3.5f); });
    REQUIRE(both[0] == in[3][7] / 255.0f && both[1] == both[0]);
    HIP_CHECK(hipDestroyTextureObject(t));
    HIP_CHECK(hipFree(memory));
}

// Three dimensions, or layers. Layers are not filtered, and an index beyond them is clamped.
static void cubes() {
    constexpr int W = 6, H = 5, D = 4;
    hipChannelFormatDesc format = hipCreateChannelDesc<int>();
    int in[D][H][W];
    for (int n = 0; n < W * H * D; ++n) in[0][0][n] = 1000 + n;
    for (unsigned flags : {unsigned(hipArrayDefault), unsigned(hipArrayLayered)}) {
        hipArray* array;
        HIP_CHECK(hipMalloc3DArray(&array, &format, make_hipExtent(W, H, D), flags));
        hipMemcpy3DParms copy = {};
        copy.srcPtr = make_hipPitchedPtr(in, W * sizeof(int), W, H);
        copy.dstArray = array;
        copy.extent = make_hipExtent(W, H, D);
        copy.kind = hipMemcpyHostToDevice;
        HIP_CHECK(hipMemcpy3D(&copy));
        for (auto mode : MODES)
            for (bool normalized : {false, true}) {
                Look look{mode, normalized};
                Places px(W, look), py(H, look), pz(D, look);
                std::vector<float> x, y, z;
                std::vector<int> layer, want;
                for (int n = 0; n < 300; ++n) {
                    size_t i = next_random() % px.at.size(), j = next_random() % py.at.size(), k = next_random() % pz.at.size();
                    x.push_back(px.at[i]), y.push_back(py.at[j]), z.push_back(pz.at[k]);
                    layer.push_back(int(next_random() % (D + 4)) - 2);
                    int at[] = {element(px.element[i], W, look), element(py.element[j], H, look), element(pz.element[k], D, look)};
                    // A layer beyond the array is clamped to the nearest one.
                    if (flags) at[2] = layer.back() < 0 ? 0 : layer.back() >= D ? D - 1 : layer.back();
                    want.push_back(at[0] < 0 || at[1] < 0 || at[2] < 0 ? 0 : in[at[2]][at[1]][at[0]]);
                }
                Buffer<float> dx(x), dy(y), dz(z);
                Buffer<int> dl(layer);
                hipTextureObject_t t = make(over(array), look);
                auto out = results<int>(x.size(), [&](int* to, dim3 grid, dim3 block) {
                    if (flags) layered2<int><<<grid, block>>>(to, t, dx.at, dy.at, dl.at, int(x.size()));
                    else sample3<int><<<grid, block>>>(to, t, dx.at, dy.at, dz.at, int(x.size()));
                });
                REQUIRE(out == want);
                HIP_CHECK(hipDestroyTextureObject(t));
            }
        HIP_CHECK(hipFreeArray(array));
    }
    // Layers of one row.
    hipArray* array;
    HIP_CHECK(hipMalloc3DArray(&array, &format, make_hipExtent(W, 0, D), hipArrayLayered));
    hipMemcpy3DParms copy = {};
    copy.srcPtr = make_hipPitchedPtr(in, W * sizeof(int), W, 1);
    copy.dstArray = array;
    copy.extent = make_hipExtent(W, 1, D);
    copy.kind = hipMemcpyHostToDevice;
    HIP_CHECK(hipMemcpy3D(&copy));
    std::vector<float> x;
    std::vector<int> layer, want;
    for (int n = 0; n < W * D; ++n) x.push_back(n % W + 0.5f), layer.push_back(n / W), want.push_back(in[0][n / W][n % W]);
    Buffer<float> dx(x);
    Buffer<int> dl(layer);
    hipTextureObject_t t = make(over(array), {hipAddressModeClamp, false});
    auto out = results<int>(x.size(), [&](int* to, dim3 grid, dim3 block) {
        layered1<int><<<grid, block>>>(to, t, dx.at, dl.at, int(x.size()));
    });
    REQUIRE(out == want);
    HIP_CHECK(hipDestroyTextureObject(t));
    HIP_CHECK(hipFreeArray(array));
}

// Linear filtering with weights in 256ths, of floats and of fractions.
static void means() {
    constexpr int W = 5, H = 4, D = 3;
    hipChannelFormatDesc format = hipCreateChannelDesc<float>();
    float in[D][H][W];
    for (int n = 0; n < W * H * D; ++n) in[0][0][n] = value<float>(n);
    hipArray *plane, *cube;
    HIP_CHECK(hipMallocArray(&plane, &format, W, H, hipArrayDefault));
    HIP_CHECK(hipMemcpy2DToArray(plane, 0, 0, in, W * 4, W * 4, H, hipMemcpyHostToDevice));
    HIP_CHECK(hipMalloc3DArray(&cube, &format, make_hipExtent(W, H, D), hipArrayDefault));
    hipMemcpy3DParms copy = {};
    copy.srcPtr = make_hipPitchedPtr(in, W * 4, W, H);
    copy.dstArray = cube;
    copy.extent = make_hipExtent(W, H, D);
    copy.kind = hipMemcpyHostToDevice;
    HIP_CHECK(hipMemcpy3D(&copy));
    for (auto mode : MODES) {
        Look look{mode, false, hipReadModeElementType, hipFilterModeLinear};
        std::vector<float> at[3], want2, want3;
        for (int n = 0; n < 200; ++n) {
            int first[3], weight[3];
            for (int side = 0; side < 3; ++side) {
                first[side] = int(next_random() % 12) - 4, weight[side] = next_random() % 256;
                at[side].push_back(first[side] + 0.5f + weight[side] / 256.0f);
            }
            double sum2 = 0, sum3 = 0;
            for (int corner = 0; corner < 8; ++corner) {
                double part = 1;
                int place[3], sizes[] = {W, H, D};
                double parts[3];
                for (int side = 0; side < 3; ++side) {
                    int second = corner >> side & 1;
                    place[side] = element(first[side] + second, sizes[side], look);
                    parts[side] = (second ? weight[side] : 256 - weight[side]) / 256.0;
                    part *= parts[side];
                }
                bool flat = place[0] >= 0 && place[1] >= 0;
                if (corner < 4 && flat) sum2 += parts[0] * parts[1] * in[0][place[1]][place[0]];
                if (flat && place[2] >= 0) sum3 += part * in[place[2]][place[1]][place[0]];
            }
            want2.push_back(float(sum2)), want3.push_back(float(sum3));
        }
        Buffer<float> x(at[0]), y(at[1]), z(at[2]);
        hipTextureObject_t t2 = make(over(plane), look), t3 = make(over(cube), look);
        auto out2 = results<float>(200, [&](float* to, dim3 grid, dim3 block) { sample2<float><<<grid, block>>>(to, t2, x.at, y.at, 200); });
        auto out3 = results<float>(200, [&](float* to, dim3 grid, dim3 block) { sample3<float><<<grid, block>>>(to, t3, x.at, y.at, z.at, 200); });
        for (int n = 0; n < 200; ++n) {
            REQUIRE(std::fabs(out2[n] - want2[n]) <= 1e-6f * (1 + std::fabs(want2[n])));
            REQUIRE(std::fabs(out3[n] - want3[n]) <= 1e-6f * (1 + std::fabs(want3[n])));
        }
        HIP_CHECK(hipDestroyTextureObject(t2));
        HIP_CHECK(hipDestroyTextureObject(t3));
    }
    HIP_CHECK(hipFreeArray(plane));
    HIP_CHECK(hipFreeArray(cube));
}

// The driver API, views, and queries of textures.
static void objects() {
    hipChannelFormatDesc format = hipCreateChannelDesc<unsigned int>();
    unsigned in[4] = {0x01020304, 0xffeeddcc, 7, 0x80000000};
    hipArray* array;
    HIP_CHECK(hipMallocArray(&array, &format, 4, 0, hipArrayDefault));
    HIP_CHECK(hipMemcpy2DToArray(array, 0, 0, in, sizeof in, sizeof in, 1, hipMemcpyHostToDevice));
    HIP_RESOURCE_DESC resource = {};
    resource.resType = HIP_RESOURCE_TYPE_ARRAY;
    resource.res.array.hArray = array;
    HIP_TEXTURE_DESC desc = {};
    for (auto& mode : desc.addressMode) mode = HIP_TR_ADDRESS_MODE_CLAMP;
    desc.flags = 1;  // HIP_TRSF_READ_AS_INTEGER
    HIP_RESOURCE_VIEW_DESC view = {};
    view.format = HIP_RES_VIEW_FORMAT_UINT_4X8;
    view.width = 4;
    hipTextureObject_t t;
    HIP_CHECK(hipTexObjectCreate(&t, &resource, &desc, &view));
    std::vector<float> places = {0.5f, 1.5f, 2.5f, 3.5f};
    Buffer<float> x(places);
    auto out = results<uchar4>(4, [&](uchar4* to, dim3 grid, dim3 block) { sample1<uchar4><<<grid, block>>>(to, t, x.at, 4); });
    REQUIRE(std::memcmp(out.data(), in, sizeof in) == 0);
    hipResourceDesc told;
    hipTextureDesc how;
    hipResourceViewDesc seen;
    HIP_CHECK(hipGetTextureObjectResourceDesc(&told, t));
    HIP_CHECK(hipGetTextureObjectTextureDesc(&how, t));
    HIP_CHECK(hipGetTextureObjectResourceViewDesc(&seen, t));
    REQUIRE(told.resType == hipResourceTypeArray && told.res.array.array == array);
    REQUIRE(how.readMode == hipReadModeElementType && how.addressMode[2] == hipAddressModeClamp && !how.normalizedCoords);
    REQUIRE(seen.format == hipResViewFormatUnsignedChar4 && seen.width == 4);
    HIP_TEXTURE_DESC again;
    HIP_CHECK(hipTexObjectGetTextureDesc(&again, t));
    REQUIRE(std::memcmp(&again, &desc, sizeof desc) == 0);
    HIP_CHECK(hipTexObjectDestroy(t));
    EXPECT(hipErrorInvalidValue, hipTexObjectDestroy(t));
    EXPECT(hipErrorInvalidValue, hipGetTextureObjectTextureDesc(&how, t));
    HIP_CHECK(hipFreeArray(array));
}

// Invalid textures. (Each refusal logs a line.)
static void refused() {
    hipChannelFormatDesc format = hipCreateChannelDesc<int>();
    hipArray* array;
    HIP_CHECK(hipMallocArray(&array, &format, 8, 8, hipArrayDefault));
    hipResourceDesc resource = over(array);
    hipTextureDesc desc = description({hipAddressModeClamp, false});
    hipTextureObject_t t;
    EXPECT(hipErrorInvalidValue, hipCreateTextureObject(nullptr, &resource, &desc, nullptr));
    EXPECT(hipErrorInvalidValue, hipCreateTextureObject(&t, nullptr, &desc, nullptr));
    EXPECT(hipErrorInvalidValue, hipCreateTextureObject(&t, &resource, nullptr, nullptr));
    desc.filterMode = hipFilterModeLinear;
    EXPECT(hipErrorInvalidValue, hipCreateTextureObject(&t, &resource, &desc, nullptr));
    desc = description({hipTextureAddressMode(9), false});
    EXPECT(hipErrorInvalidValue, hipCreateTextureObject(&t, &resource, &desc, nullptr));
    desc = description({hipAddressModeClamp, false});
    desc.sRGB = 1;
    EXPECT(hipErrorNotSupported, hipCreateTextureObject(&t, &resource, &desc, nullptr));
    desc.sRGB = 0;
    hipResourceViewDesc view = {};
    view.format = hipResViewFormatFloat4;
    EXPECT(hipErrorInvalidValue, hipCreateTextureObject(&t, &resource, &desc, &view));
    resource.res.array.array = (hipArray*)0x10;
    EXPECT(hipErrorInvalidHandle, hipCreateTextureObject(&t, &resource, &desc, nullptr));
    resource.resType = hipResourceTypeMipmappedArray;
    EXPECT(hipErrorNotSupported, hipCreateTextureObject(&t, &resource, &desc, nullptr));
    float* memory = device_alloc<float>(64);
    resource.resType = hipResourceTypeLinear;
    resource.res.linear.devPtr = memory + 1;
    resource.res.linear.desc = hipCreateChannelDesc<float>();
    resource.res.linear.sizeInBytes = 16;
    EXPECT(hipErrorInvalidValue, hipCreateTextureObject(&t, &resource, &desc, nullptr));
    resource.res.linear.devPtr = memory;
    resource.res.linear.sizeInBytes = 65 * 4;
    EXPECT(hipErrorInvalidValue, hipCreateTextureObject(&t, &resource, &desc, nullptr));
    resource.resType = hipResourceTypePitch2D;
    resource.res.pitch2D.width = 4;
    resource.res.pitch2D.height = 2;
    resource.res.pitch2D.pitchInBytes = 16;
    EXPECT(hipErrorInvalidValue, hipCreateTextureObject(&t, &resource, &desc, nullptr));
    hipSurfaceObject_t s;
    EXPECT(hipErrorInvalidValue, hipCreateSurfaceObject(&s, &resource));
    HIP_CHECK(hipFree(memory));
    HIP_CHECK(hipFreeArray(array));
    // A flat array is no cube map.
    EXPECT(hipErrorInvalidValue, hipMallocArray(&array, &format, 8, 8, hipArrayCubemap));
}

int main(int argc, char** argv) {
    if (argc > 1 && std::string(argv[1]) == "refused") {
        refused();
        std::printf("textures: ok\n");
        return 0;
    }
    elements<char, char, float, 1>(hipChannelFormatKindSigned);
    elements<char, char2, float2, 2>(hipChannelFormatKindSigned);
    elements<char, char4, float4, 4>(hipChannelFormatKindSigned);
    elements<unsigned char, unsigned char, float, 1>(hipChannelFormatKindUnsigned);
    elements<unsigned char, uchar2, float2, 2>(hipChannelFormatKindUnsigned);
    elements<unsigned char, uchar4, float4, 4>(hipChannelFormatKindUnsigned);
    elements<short, short, float, 1>(hipChannelFormatKindSigned);
    elements<short, short2, float2, 2>(hipChannelFormatKindSigned);
    elements<short, short4, float4, 4>(hipChannelFormatKindSigned);
    elements<unsigned short, unsigned short, float, 1>(hipChannelFormatKindUnsigned);
    elements<unsigned short, ushort2, float2, 2>(hipChannelFormatKindUnsigned);
    elements<unsigned short, ushort4, float4, 4>(hipChannelFormatKindUnsigned);
    elements<int, int, float, 1>(hipChannelFormatKindSigned);
    elements<int, int2, float2, 2>(hipChannelFormatKindSigned);
    elements<int, int4, float4, 4>(hipChannelFormatKindSigned);
    elements<unsigned, unsigned, float, 1>(hipChannelFormatKindUnsigned);
    elements<unsigned, uint2, float2, 2>(hipChannelFormatKindUnsigned);
    elements<unsigned, uint4, float4, 4>(hipChannelFormatKindUnsigned);
    elements<float, float, float, 1>(hipChannelFormatKindFloat);
    elements<float, float2, float2, 2>(hipChannelFormatKindFloat);
    elements<float, float4, float4, 4>(hipChannelFormatKindFloat);
    rows();
    pitched();
    cubes();
    means();
    objects();
    std::printf("textures: ok\n");
}
