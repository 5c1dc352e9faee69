// Accesses of the same bytes that nothing orders. All kernels take (in, out, n); LDS has room for 1024 elements.
#include <hip/hip_runtime.h>

#define TEST extern "C" __global__ void
#define ME ((int)threadIdx.x)
#define SIZE ((int)blockDim.x)

// A wave reads what its neighbour wrote.
TEST lds_reversed_wrong(const float* in, float* out, int n) {
    __shared__ float s[1024];
    s[ME] = in[ME];
    out[ME] = s[SIZE - 1 - ME];
}
TEST lds_reversed_right(const float* in, float* out, int n) {
    __shared__ float s[1024];
    s[ME] = in[ME];
    __syncthreads();
    out[ME] = s[SIZE - 1 - ME];
}

// A tree of sums without the barrier in its loop.
TEST lds_tree_wrong(const float* in, float* out, int n) {
    __shared__ float s[1024];
    s[ME] = in[ME];
    __syncthreads();
    for (int step = SIZE / 2; step > 0; step /= 2) {
        if (ME < step) s[ME] += s[ME + step];
    }
    __syncthreads();
    if (ME == 0) out[0] = s[0];
}
TEST lds_tree_right(const float* in, float* out, int n) {
    __shared__ float s[1024];
    s[ME] = in[ME];
    __syncthreads();
    for (int step = SIZE / 2; step > 0; step /= 2) {
        if (ME < step) s[ME] += s[ME + step];
        __syncthreads();
    }
    if (ME == 0) out[0] = s[0];
}

// The next tile is loaded while slow waves still read this one: the barrier at the end of the loop is missing.
TEST lds_tiles_wrong(const float* in, float* out, int n) {
    __shared__ float s[1024];
    float sum = 0;
    for (int tile = 0; tile < n; tile++) {
        s[ME] = in[tile * SIZE + ME];
        __syncthreads();
        for (int i = 0; i < SIZE; i += 16) sum += s[(ME + i) % SIZE];
    }
    out[ME] = sum;
}
TEST lds_tiles_right(const float* in, float* out, int n) {
    __shared__ float s[1024];
    float sum = 0;
    for (int tile = 0; tile < n; tile++) {
        s[ME] = in[tile * SIZE + ME];
        __syncthreads();
        for (int i = 0; i < SIZE; i += 16) sum += s[(ME + i) % SIZE];
        __syncthreads();
    }
    out[ME] = sum;
}
// Two tiles by turns need one barrier only.
TEST lds_two_tiles_right(const float* in, float* out, int n) {
    __shared__ float s[2][512];
    float sum = 0;
    for (int tile = 0; tile < n; tile++) {
        s[tile % 2][ME] = in[tile * SIZE + ME];
        __syncthreads();
        for (int i = 0; i < SIZE; i += 16) sum += s[tile % 2][(ME + i) % SIZE];
    }
    out[ME] = sum;
}

// Both waves write one element, and not the same value.
TEST lds_last_wins_wrong(const float* in, float* out, int n) {
    __shared__ float s[64];
    s[ME % 64] = in[ME];
    __syncthreads();
    out[ME] = s[ME % 64];
}
TEST lds_last_wins_right(const float* in, float* out, int n) {
    __shared__ float s[64];
    if (ME < 64) s[ME] = in[ME];
    __syncthreads();
    out[ME] = s[ME % 64];
}
// All write the same: a common way to tell all what all know.
TEST lds_same_value_right(const float* in, float* out, int n) {
    __shared__ float s[1];
    s[0] = in[n];
    __syncthreads();
    out[ME] = s[0];
}

// Bytes of one dword: each its own, or the same.
TEST lds_bytes_wrong(const float* in, float* out, int n) {
    __shared__ unsigned char s[256];
    s[ME / 2] = (unsigned char)ME;
    s[64 - ME / 2] = (unsigned char)ME;
    __syncthreads();
    if (ME < 64) out[ME] = s[ME];
}
TEST lds_bytes_right(const float* in, float* out, int n) {
    __shared__ unsigned char s[256];
    // Neighbours in a dword are of different waves.
    s[ME % 64 * 4 + ME / 64] = (unsigned char)ME;
    __syncthreads();
    out[ME] = s[(63 - ME % 64) * 4 + ME / 64];
}

// A counter of atomics.
TEST lds_counter_right(const float* in, float* out, int n) {
    __shared__ int count;
    if (ME == 0) count = 0;
    __syncthreads();
    if (in[ME] > 0) atomicAdd(&count, 1);
    __syncthreads();
    out[ME] = count;
}
// The last wave that arrives sums what all have written: an atomic orders them.
TEST lds_last_arrives_right(const float* in, float* out, int n) {
    __shared__ float s[16];
    __shared__ int arrived;
    if (ME == 0) arrived = 0;
    __syncthreads();
    if (ME % 64 == 0) {
        s[ME / 64] = in[ME];
        __threadfence_block();
        if (atomicAdd(&arrived, 1) == SIZE / 64 - 1) {
            __threadfence_block();
            float sum = 0;
            for (int i = 0; i < SIZE / 64; i++) sum += s[i];
            out[0] = sum;
        }
    }
}

// Between waves through device memory.
TEST memory_reversed_wrong(const float* in, float* out, int n) {
    float* mine = out + blockIdx.x * 2 * SIZE;
    mine[ME] = in[ME];
    mine[SIZE + ME] = mine[SIZE - 1 - ME] + 1;
}
TEST memory_reversed_right(const float* in, float* out, int n) {
    float* mine = out + blockIdx.x * 2 * SIZE;
    mine[ME] = in[ME];
    __syncthreads();
    mine[SIZE + ME] = mine[SIZE - 1 - ME] + 1;
}

// Groups that write one element.
TEST groups_sum_wrong(const float* in, float* out, int n) {
    if (ME == 0) out[0] += in[blockIdx.x];
}
TEST groups_sum_right(const float* in, float* out, int n) {
    if (ME == 0) atomicAdd(out, in[blockIdx.x]);
}

// Overlapping tiles: the last column of one is the first of the next.
TEST groups_overlap_wrong(const float* in, float* out, int n) {
    for (int i = ME; i <= SIZE; i += SIZE) out[blockIdx.x * SIZE + i] = in[i] + blockIdx.x;
}
TEST groups_overlap_right(const float* in, float* out, int n) {
    out[blockIdx.x * SIZE + ME] = in[ME] + blockIdx.x;
}

// A group reads what the one before writes in the same launch.
TEST groups_chain_wrong(const float* in, float* out, int n) {
    float before = blockIdx.x == 0 ? 0 : out[(blockIdx.x - 1) * SIZE + ME];
    out[blockIdx.x * SIZE + ME] = before + in[ME];
}
TEST groups_chain_right(const float* in, float* out, int n) {
    float before = blockIdx.x == 0 ? 0 : in[(blockIdx.x - 1) * SIZE + ME];
    out[blockIdx.x * SIZE + ME] = before + in[ME];
}
// In place, with the neighbour's old value.
TEST groups_shift_wrong(const float* in, float* out, int n) {
    float right = out[(blockIdx.x + 1) * SIZE + ME];
    out[blockIdx.x * SIZE + ME] = right + in[ME];
}
TEST groups_shift_right(const float* in, float* out, int n) {
    out[blockIdx.x * SIZE + ME] = in[(blockIdx.x + 1) * SIZE + ME];
}

// All groups say the same.
TEST groups_flag_right(const float* in, float* out, int n) {
    if (in[blockIdx.x * SIZE + ME] > 0) out[0] = 1;
}

// The last group sums what all have written: fences and an atomic order them.
TEST groups_last_right(const float* in, float* out, int n) {
    __shared__ bool last;
    if (ME == 0) {
        out[64 + blockIdx.x] = in[blockIdx.x];
        __threadfence();
        last = atomicAdd((unsigned*)out + 1, 1u) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (last && ME == 0) {
        float sum = 0;
        for (unsigned i = 0; i < gridDim.x; i++) sum += out[64 + i];
        out[0] = sum;
    }
}
// The same without the atomic: whoever has the highest number takes itself for the last.
TEST groups_last_wrong(const float* in, float* out, int n) {
    if (ME == 0) out[64 + blockIdx.x] = in[blockIdx.x];
    if (blockIdx.x == gridDim.x - 1 && ME == 0) {
        float sum = 0;
        for (unsigned i = 0; i < gridDim.x; i++) sum += out[64 + i];
        out[0] = sum;
    }
}

// Each group waits for its predecessor's flag (groups begin in order): release and acquire.
TEST groups_flags_right(const float* in, float* out, int n) {
    unsigned* flags = (unsigned*)out;
    if (ME == 0) {
        float before = 0;
        if (blockIdx.x > 0) {
            while (__hip_atomic_load(flags + blockIdx.x - 1, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT) == 0) {}
            before = out[64 + blockIdx.x - 1];
        }
        out[64 + blockIdx.x] = before + in[blockIdx.x];
        __hip_atomic_store(flags + blockIdx.x, 1u, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
    }
}

// A flag in LDS, stored with release and loaded with acquire: compilers make plain accesses of both.
static __device__ inline unsigned flag_of(unsigned* flag) {
    return __hip_atomic_load(flag, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_WORKGROUP);
}
TEST lds_flag_wrong(const float* in, float* out, int n) {
    __shared__ float tile[64];
    __shared__ unsigned flag;
    if (ME == 0) flag = 0;
    __syncthreads();
    if (ME < 64) {
        tile[ME] = in[ME];
        __hip_atomic_store(&flag, 1u, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_WORKGROUP);
    } else {
        out[ME] = tile[ME - 64] + (float)flag_of(&flag);
    }
}
TEST lds_flag_right(const float* in, float* out, int n) {
    __shared__ float tile[64];
    __shared__ unsigned flag;
    if (ME == 0) flag = 0;
    __syncthreads();
    if (ME < 64) {
        tile[ME] = in[ME];
        __hip_atomic_store(&flag, 1u, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_WORKGROUP);
    } else {
        while (flag_of(&flag) == 0) {}
        out[ME] = tile[ME - 64];
    }
}

// A lock that a store lets go: the exchange whose result is unused becomes one.
TEST groups_lock_right(const float* in, float* out, int n) {
    unsigned* lock = (unsigned*)out;
    for (int lane = 0; lane < 64; lane++) {
        if (lane != ME % 64) continue;
        while (atomicCAS(lock, 0u, 1u) != 0) {}
        __threadfence();
        *(volatile float*)(out + 1) = *(volatile float*)(out + 1) + in[ME];
        __threadfence();
        atomicExch(lock, 0u);
    }
}
