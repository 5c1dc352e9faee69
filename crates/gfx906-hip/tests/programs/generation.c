/* A program of HIP 5, 6 or 7 (-DHIP=5), with declarations of its own: what the library of that name must be to it. It is linked with a
   stub that has the library's name and its symbols' versions. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#if HIP == 5
enum { HOST = 0, DEVICE = 1, MANAGED = 1, ARRAY = 2, UNIFIED = 3 };
#else
enum { UNREGISTERED = 0, HOST = 1, DEVICE = 2, MANAGED = 3, ARRAY = 10, UNIFIED = 11 };
#endif

/* hipDeviceProp_t */
#if HIP == 5
typedef struct {
    char name[256];
    size_t total, lds;
    int registers, lanes, block, block_sides[3], grid_sides[3];
    char between[88];
    char arch[256];
    char rest[140];
} properties;
_Static_assert(sizeof(properties) == 792 && offsetof(properties, arch) == 396, "HIP 5's structure");
#else
typedef struct {
    char name[256], uuid[16], luid[8];
    unsigned luid_mask;
    size_t total, lds;
    int registers, lanes;
    char between[848];
    char arch[256];
    char rest[56];
} properties;
_Static_assert(sizeof(properties) == 1472 && offsetof(properties, arch) == 1160, "HIP 6's structure");
#define hipGetDeviceProperties hipGetDevicePropertiesR0600
#endif

/* hipPointerAttribute_t: the first was `memoryType`, and is `type` */
typedef struct {
    int type, device;
    void *device_pointer, *host_pointer;
    int managed;
    unsigned flags;
} attributes;

/* hip_Memcpy2D */
typedef struct {
    size_t x, y;
    int type;
    const void* host;
    void *device, *array;
    size_t pitch;
} side;
typedef struct {
    side from, to;
    size_t width, height;
} copy;

/* HIP_MEMCPY3D */
#if HIP == 5
typedef unsigned number;
#else
typedef size_t number;
#endif
typedef struct {
    number at[3], level;
    int kind;
    const void* host;
    void *device, *array;
    number pitch, height;
} side_3d;
typedef struct {
    side_3d from, to;
    number size[3];
} copy_3d;

int hipRuntimeGetVersion(int*);
int hipDriverGetVersion(int*);
int hipGetDeviceProperties(properties*, int);
int hipMalloc(void**, size_t);
int hipFree(void*);
int hipHostMalloc(void**, size_t, unsigned);
int hipHostFree(void*);
int hipMallocManaged(void**, size_t, unsigned);
int hipMemcpy(void*, const void*, size_t, int);
int hipMemcpyParam2D(const copy*);
int hipDrvMemcpy3D(const copy_3d*);
int hipPointerGetAttributes(attributes*, const void*);
int hipPointerGetAttribute(void*, int, void*);
#if HIP >= 6
int hipGetProcAddress(const char*, void**, int, unsigned long, int*);
#endif
#if HIP >= 6
int hipExtGetLastError(void);
int hipGetLastError(void);
int hipDrvGetErrorName(int, const char**);
int hipDeviceSetLimit(int, size_t);
int hipDeviceGetLimit(size_t*, int);
#endif
#if HIP >= 7
int hipMemsetD2D32(void*, size_t, unsigned, size_t, size_t);
int hipGetDriverEntryPoint(const char*, void**, unsigned long long, int*);
#endif

static int failed;
static void expect(int holds, const char* what) {
    if (!holds) {
        printf("HIP %d: not so: %s\n", HIP, what);
        failed = 1;
    }
}
#define EXPECT(condition) expect(condition, #condition)

static int type_of(void* pointer) {
    attributes known;
    int narrow = -1;
    memset(&known, 0x55, sizeof known);
    EXPECT(hipPointerGetAttributes(&known, pointer) == 0);
    EXPECT(hipPointerGetAttribute(&narrow, 2, pointer) == 0 && narrow == known.type);
    return known.type;
}

int main(void) {
    int runtime = 0, driver = 0;
    EXPECT(hipRuntimeGetVersion(&runtime) == 0 && runtime / 10000000 == HIP);
    EXPECT(hipDriverGetVersion(&driver) == 0 && driver == runtime);

    properties p;
    memset(&p, 0x55, sizeof p);
    EXPECT(hipGetDeviceProperties(&p, 0) == 0);
    EXPECT(p.lanes == 64 && p.lds == 65536 && p.total > 1000000000 && !strncmp(p.arch, "gfx906", 6));

    char *device = 0, *host = 0, *managed = 0, plain[64] = "plain";
    EXPECT(hipMalloc((void**)&device, 4096) == 0 && type_of(device) == DEVICE);
    EXPECT(hipHostMalloc((void**)&host, 4096, 0) == 0 && type_of(host) == HOST);
    EXPECT(hipMallocManaged((void**)&managed, 4096, 1) == 0 && type_of(managed) == MANAGED);

    attributes known;
    int found = hipPointerGetAttributes(&known, plain);
#if HIP == 5
    EXPECT(found == 1); /* hipErrorInvalidValue */
#else
    EXPECT(found == 0 && known.type == UNREGISTERED);
    EXPECT(hipPointerGetAttributes(&known, 0) == 1);
#endif

    /* Rows of 4 bytes, 16 apart, to the device and back, by the numbers of the memory types. */
    char rows[64], back[64] = {0};
    for (int n = 0; n < 64; n++) rows[n] = (char)(n + 1);
    copy there = {{0, 0, HOST, rows, 0, 0, 16}, {0, 0, DEVICE, 0, device, 0, 32}, 4, 4};
    copy again = {{0, 0, UNIFIED, 0, device, 0, 32}, {0, 0, HOST, back, 0, 0, 16}, 4, 4};
    EXPECT(hipMemcpyParam2D(&there) == 0 && hipMemcpyParam2D(&again) == 0);
    EXPECT(back[0] == 1 && back[3] == 4 && back[4] == 0 && back[16] == 17 && back[51] == 52);

    /* A box of 8 bytes, 2 rows and 2 planes out of planes of 4 rows of 16 bytes, whose structure has numbers of 32 bits in HIP 5 alone. */
    char box[128], boxed[32] = {0};
    for (int n = 0; n < 128; n++) box[n] = (char)n;
    copy_3d up = {{{4, 1, 0}, 0, HOST, box, 0, 0, 16, 4}, {{0, 0, 0}, 0, DEVICE, 0, device, 0, 8, 2}, {8, 2, 2}};
    copy_3d down = {{{0, 0, 0}, 0, DEVICE, 0, device, 0, 8, 2}, {{0, 0, 0}, 0, HOST, boxed, 0, 0, 8, 2}, {8, 2, 2}};
    EXPECT(hipDrvMemcpy3D(&up) == 0 && hipDrvMemcpy3D(&down) == 0);
    for (int n = 0; n < 32; n++) EXPECT(boxed[n] == 64 * (n / 16) + 16 * (1 + n / 8 % 2) + 4 + n % 8);

#if HIP >= 6
    int (*by_name)(properties*, int) = 0, status = -1;
    memset(&p, 0x55, sizeof p);
    EXPECT(hipGetProcAddress("hipGetDeviceProperties", (void**)&by_name, 100 * HIP, 0, &status) == 0 && status == 0);
    EXPECT(by_name == hipGetDeviceProperties && by_name(&p, 0) == 0 && p.lanes == 64);
    EXPECT(hipGetProcAddress("hipMalloc", (void**)&by_name, runtime, 0, 0) == 0 && (void*)by_name == (void*)hipMalloc);
    EXPECT(hipGetProcAddress("hipNothing", (void**)&by_name, runtime, 0, &status) == 1 && status == 1 && !by_name);
    EXPECT(hipGetProcAddress("hipGetProcAddress", (void**)&by_name, 600, 0, &status) == 1 && status == 2 && !by_name);
    EXPECT(hipGetProcAddress(0, (void**)&by_name, runtime, 0, 0) == 1 && hipGetProcAddress("hipFree", 0, runtime, 0, 0) == 1);
#endif
#if HIP >= 6
    /* The latest call's code, and the last error. */
    const char* name = 0;
    size_t stack = 0;
    EXPECT(hipFree(plain) == 1 && hipExtGetLastError() == 1 && hipExtGetLastError() == 0);
    EXPECT(hipDrvGetErrorName(1, &name) == 0 && !strcmp(name, "hipErrorInvalidValue"));
    EXPECT(hipExtGetLastError() == 0 && hipGetLastError() == 1);
    EXPECT(hipDrvGetErrorName(12345, &name) == 1 && !name);
    EXPECT(hipDeviceSetLimit(0, 4096) == 0 && hipDeviceGetLimit(&stack, 0) == 0 && stack == 4096);
    EXPECT(hipDeviceSetLimit(0, 1 << 20) == 1 && hipDeviceSetLimit(1, 1) == 215 && hipDeviceSetLimit(77, 1) == 1);
#endif
#if HIP >= 7
    /* Two elements in each of three rows. */
    unsigned words[24];
    EXPECT(hipMemcpy(device, rows, 64, 4) == 0 && hipMemsetD2D32(device + 4, 16, 0xabcd1234u, 2, 3) == 0);
    EXPECT(hipMemcpy(words, device, 64, 4) == 0);
    for (int n = 0; n < 16; n++) {
        unsigned old;
        memcpy(&old, rows + 4 * n, 4);
        EXPECT(words[n] == (n < 12 && (n % 4 == 1 || n % 4 == 2) ? 0xabcd1234u : old));
    }
    EXPECT(hipMemsetD2D32(device, 4, 0, 2, 2) == 1);
    EXPECT(hipGetDriverEntryPoint("hipChooseDevice", (void**)&by_name, 0, &status) == 0 && status == 0 && by_name);
#endif
    EXPECT(hipFree(device) == 0 && hipHostFree(host) == 0 && hipFree(managed) == 0);
    printf("HIP %d meets %d\n", HIP, runtime);
    return failed;
}
