// More kernels with mistakes that values need not show, and right twins of them, as those of kernels/sanitizer.hip: mistakes.toml says how each is
// launched and what the sanitizer must find. All take (in, out, n); `in` rises from -31.5, `out` is zero.
#include <hip/hip_runtime.h>

#define TEST extern "C" __global__ void
#define ME ((int)threadIdx.x)
#define SIZE ((int)blockDim.x)

static __device__ unsigned loaded(const unsigned* at) {
    return __hip_atomic_load(at, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
static __device__ void stored(unsigned* at, unsigned value) {
    __hip_atomic_store(at, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

// Groups update one element. Each access by itself is coherent, and the update is not.
TEST volatile_sum_wrong(const float* in, float* out, int n) {
    volatile float* sum = out;
    if (ME == 0) *sum = *sum + in[blockIdx.x];
}
// One group updates an element that all read.
TEST volatile_sum_right(const float* in, float* out, int n) {
    volatile float* sum = out;
    if (ME == 0 && blockIdx.x == 2) *sum = *sum + in[blockIdx.x];
    if (ME == 0) out[64 + blockIdx.x] = *sum;
}
// A histogram by atomic loads and stores.
TEST histogram_wrong(const float* in, float* out, int n) {
    unsigned* bin = (unsigned*)out + (ME & 15);
    stored(bin, loaded(bin) + 1);
}
TEST histogram_right(const float* in, float* out, int n) { atomicAdd((unsigned*)out + (ME & 15), 1u); }
// The update under a lock.
TEST lock_right(const float* in, float* out, int n) {
    unsigned* lock = (unsigned*)out + 1;
    volatile float* sum = out;
    if (ME != 0) return;
    while (atomicCAS(lock, 0u, 1u) != 0) {}
    __threadfence();
    *sum = *sum + in[blockIdx.x];
    __threadfence();
    stored(lock, 0);
}
// Groups take turns: each waits for its number (groups begin in order).
TEST turn_flags_right(const float* in, float* out, int n) {
    unsigned* turn = (unsigned*)out;
    volatile float* sum = out + 1;
    if (ME != 0) return;
    while (loaded(turn) != blockIdx.x) {}
    *sum = *sum + in[blockIdx.x];
    stored(turn, loaded(turn) + 1);
}
// The same number in one register.
TEST own_turn_flags_right(const float* in, float* out, int n) {
    unsigned* turn = (unsigned*)out;
    if (ME != 0) return;
    unsigned now;
    do now = loaded(turn);
    while (now != blockIdx.x);
    stored(turn, now + 1);
}
// A look-back: a group's flag says first its own sum, then that of all before it.
TEST look_back_flags_right(const float* in, float* out, int n) {
    unsigned* flags = (unsigned*)out;
    if (ME != 0) return;
    unsigned own = blockIdx.x + 1, all = own;
    stored(flags + blockIdx.x, 1u << 30 | own);
    for (int before = (int)blockIdx.x - 1; before >= 0; before--) {
        unsigned flag;
        do flag = loaded(flags + before);
        while (flag == 0);
        all += flag & 0xffff;
        if (flag >> 31) break;
    }
    stored(flags + blockIdx.x, 1u << 31 | all);
}

// In place, with more waves than rows: all waves compute the same, and the bound of the buffer keeps one store.
typedef int resource __attribute__((ext_vector_type(4)));
#define IN_PLACE(bytes)                                                                                          \
    resource to = {(int)(size_t)out, (int)((size_t)out >> 32) & 0xffff, bytes, 0x00027000};                      \
    int row = ME % 64 * 4, mine = ME * 4;                                                                        \
    float x;                                                                                                     \
    asm volatile("buffer_load_dword %0, %1, %2, 0 offen\ns_waitcnt vmcnt(0)" : "=&v"(x) : "v"(row), "s"(to));    \
    x = x * 2 + 1;
TEST rows_in_place_wrong(const float* in, float* out, int n) {
    IN_PLACE(4096)
    asm volatile("buffer_store_dword %0, %1, %2, 0 offen" ::"v"(x), "v"(mine), "s"(to));
}
TEST rows_in_place_right(const float* in, float* out, int n) {
    IN_PLACE(256)
    asm volatile("buffer_store_dword %0, %1, %2, 0 offen" ::"v"(x), "v"(mine), "s"(to));
}
// The same where the value decides what else is stored.
TEST rows_decide_wrong(const float* in, float* out, int n) {
    IN_PLACE(256)
    asm volatile("buffer_store_dword %0, %1, %2, 0 offen" ::"v"(x), "v"(mine), "s"(to));
    if (x > 2) out[1024 + ME] = 1;
}
TEST rows_decide_right(const float* in, float* out, int n) {
    IN_PLACE(256)
    asm volatile("buffer_store_dword %0, %1, %2, 0 offen" ::"v"(x), "v"(mine), "s"(to));
    if (in[ME] > 2) out[1024 + ME] = 1;
}

// Pairs of dwords at odd addresses of device memory, and at multiples of 4.
TEST odd_doubles_wrong(const float* in, float* out, int n) {
    const char* odd = (const char*)in + 1;
    double pair;
    asm volatile("global_load_dwordx2 %0, %1, off\ns_waitcnt vmcnt(0)" : "=&v"(pair) : "v"(odd + 8 * ME));
    if (pair > 1e300) out[ME] = 1;
}
TEST odd_doubles_right(const float* in, float* out, int n) {
    double pair;
    asm volatile("global_load_dwordx2 %0, %1, off\ns_waitcnt vmcnt(0)" : "=&v"(pair) : "v"(in + 1 + 2 * ME));
    if (pair > 1e300) out[ME] = 1;
}

// A shuffle from lanes that do not take part.
TEST inactive_shuffle_wrong(const float* in, float* out, int n) {
    float x = in[ME];
    if (ME % 64 >= 32) out[ME] = __shfl(x, ME % 64 - 32);
}
TEST inactive_shuffle_right(const float* in, float* out, int n) {
    float x = in[ME], y = __shfl(x, ME % 64 & 31);
    if (ME % 64 >= 32) out[ME] = y;
}
// A sum in a wave of which some lanes have no work-item: absent lanes must not count.
TEST partial_wave_wrong(const float* in, float* out, int n) {
    float x = in[ME];
    for (int step = 32; step > 0; step /= 2) x = fmaxf(x, __shfl_down(x, step));
    if (ME % 64 == 0) out[ME] = x;
}
TEST partial_wave_right(const float* in, float* out, int n) {
    float x = in[ME];
    for (int step = 32; step > 0; step /= 2) {
        float y = __shfl_down(x, step);
        if (ME % 64 + step < 64 && ME + step < SIZE) x = fmaxf(x, y);
    }
    if (ME % 64 == 0) out[ME] = x;
}
// Whole waves: by shuffles, by an atomic that the compiler turns into a reduction, and through LDS.
TEST whole_wave_right(const float* in, float* out, int n) {
    __shared__ float sums[16];
    float x = in[ME];
    for (int step = 32; step > 0; step /= 2) x += __shfl_xor(x, step);
    if (ME % 64 == 0) sums[ME / 64] = x;
    __syncthreads();
    if (ME < SIZE / 64) out[ME] = sums[ME];
    if (in[ME] > 0) atomicAdd((unsigned*)out + 100, (unsigned)in[ME]);
}
// A lane is read whose value the branch has not computed.
TEST outdated_lane_wrong(const float* in, float* out, int n) {
    if (ME % 64 > 0) {
        int y = (int)in[ME] * 3;
        out[ME] = __builtin_amdgcn_readlane(y, 0);
    }
}
TEST outdated_lane_right(const float* in, float* out, int n) {
    int y = (int)in[ME] * 3;
    out[512 + ME] = y;
    if (ME % 64 > 0) out[ME] = __builtin_amdgcn_readlane(y, 0);
}

// The last group, found by the atomic of one thread, takes what all have written. LDS tells its other waves.
TEST last_of_one_wave_wrong(const float* in, float* out, int n) {
    out[64 + blockIdx.x * SIZE + ME] = in[blockIdx.x * SIZE + ME];
    __threadfence();
    __syncthreads();
    bool first = ME < 64;
    bool last = false;
    if (first) last = atomicAdd((unsigned*)out, 1u) == 64 * gridDim.x - 1;
    if (first ? __any(last) : blockIdx.x == gridDim.x - 1) {
        float sum = 0;
        for (unsigned i = 0; i < gridDim.x; i++) sum += out[64 + i * SIZE + ME];
        out[64 + gridDim.x * SIZE + ME] = sum;
    }
}
TEST last_of_one_wave_right(const float* in, float* out, int n) {
    __shared__ bool last;
    out[64 + blockIdx.x * SIZE + ME] = in[blockIdx.x * SIZE + ME];
    __threadfence();
    __syncthreads();
    if (ME == 0) last = atomicAdd((unsigned*)out, 1u) == gridDim.x - 1;
    __syncthreads();
    if (last) {
        float sum = 0;
        for (unsigned i = 0; i < gridDim.x; i++) sum += out[64 + i * SIZE + ME];
        out[64 + gridDim.x * SIZE + ME] = sum;
    }
}
