// Accesses outside of what they may reach. All kernels take (in, out, n). The two buffers have 4096 elements each and 64 of a guard around
// them; behind the guard of `in` are 1024 elements of freed memory, behind their guard and its own is `out`.
#define ELEMENTS 4096
#define GUARD 64
#define FREED 1024

// One element past the end: `<=` for `<`.
TEST past_the_end_wrong(const float* in, float* out, int n) {
    for (int i = ME; i <= ELEMENTS; i += SIZE) out[i] = in[i % ELEMENTS];
}
TEST past_the_end_right(const float* in, float* out, int n) {
    for (int i = ME; i < ELEMENTS; i += SIZE) out[i] = in[i];
}

// The neighbour of the first element.
TEST before_the_start_wrong(const float* in, float* out, int n) { out[ME] = in[ME - 1] + in[ME]; }
TEST before_the_start_right(const float* in, float* out, int n) { out[ME] = (ME ? in[ME - 1] : 0) + in[ME]; }

// A window that reaches over the end by four elements, which one instruction loads.
TEST window_wrong(const float4* in, float* out, int n) {
    float4 x = in[ELEMENTS / 4 - SIZE + 1 + ME];
    out[ME] = x.x + x.y + x.z + x.w;
}
TEST window_right(const float4* in, float* out, int n) {
    float4 x = in[ELEMENTS / 4 - SIZE + ME];
    out[ME] = x.x + x.y + x.z + x.w;
}

// A wrong pitch: far behind the end, within the next buffer.
TEST far_wrong(const float* in, float* out, int n) {
    out[ME] = in[n * (ELEMENTS / 3 + 1) + 2 * GUARD + FREED + GUARD + ME];
}
TEST far_right(const float* in, float* out, int n) { out[ME] = in[n * (ELEMENTS / 4) + ME]; }

// What was freed before the launch.
TEST freed_wrong(const float* in, float* out, int n) { out[ME] = in[ELEMENTS + GUARD + n + ME]; }
TEST freed_right(const float* in, float* out, int n) { out[ME] = in[ELEMENTS - SIZE - n + ME]; }

// Pairs of LDS by hand that begin anywhere: compilers know better.
TEST odd_pairs_wrong(const float* in, float* out, int n) {
    __shared__ float s[1024];
    s[2 * ME] = in[ME];
    s[2 * ME + 1] = in[ME + 1];
    __syncthreads();
    double x;
    asm volatile("ds_read_b64 %0, %1\ns_waitcnt lgkmcnt(0)\n" : "=v"(x) : "v"((unsigned)(size_t)&s[2 * (ME % 32) + (n & 1)]) : "memory");
    ((double*)out)[ME] = x;
}
TEST odd_pairs_right(const float* in, float* out, int n) {
    __shared__ float s[1024];
    s[2 * ME] = in[ME];
    s[2 * ME + 1] = in[ME + 1];
    __syncthreads();
    double x;
    asm volatile("ds_read_b64 %0, %1\ns_waitcnt lgkmcnt(0)\n" : "=v"(x) : "v"((unsigned)(size_t)&s[2 * (ME % 32) + (n & 2)]) : "memory");
    ((double*)out)[ME] = x;
}

// A local array that is too short for its index.
TEST stack_wrong(const float* in, float* out, int n) {
    volatile float a[4] = {1, 2, 3, 4};
    out[ME] = a[4 * n];
}
TEST stack_right(const float* in, float* out, int n) {
    volatile float a[4] = {1, 2, 3, 4};
    out[ME] = a[n];
}

// An index that passes 2^31 wraps, and is within the buffer by chance.
TEST wrapped_wrong(const float* in, float* out, int n) { out[n * 1431655766 + ME] = in[ME]; }
TEST wrapped_right(const float* in, float* out, int n) { out[(long)n * 1431655766L % SIZE + ME] = in[ME]; }
