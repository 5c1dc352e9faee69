// Values that nobody wrote. All kernels take (in, out, n); nobody has written the last quarter of `out`.
#define UNWRITTEN 3072

// Only the first n elements of the tile are loaded, all are used.
TEST short_tile_wrong(const float* in, float* out, int n) {
    __shared__ float s[1024];
    if (ME < n) s[ME] = in[ME];
    __syncthreads();
    out[ME] = s[SIZE - 1 - ME];
}
TEST short_tile_right(const float* in, float* out, int n) {
    __shared__ float s[1024];
    s[ME] = ME < n ? in[ME] : 0;
    __syncthreads();
    out[ME] = s[SIZE - 1 - ME];
}
// What is not used may be anything.
TEST short_tile_unused_right(const float* in, float* out, int n) {
    __shared__ float s[1024];
    if (ME < n) s[ME] = in[ME];
    __syncthreads();
    float x = s[ME], y = in[ME];
    out[ME] = ME < n ? x : y;
}

// An index out of LDS that nobody wrote.
TEST index_wrong(const float* in, float* out, int n) {
    __shared__ int at[1024];
    if (ME < n) at[ME] = ME;
    __syncthreads();
    out[at[SIZE - 1 - ME] & 1023] = 1;
}

TEST index_right(const float* in, float* out, int n) {
    __shared__ int at[1024];
    at[ME] = ME < n ? ME : n;
    __syncthreads();
    out[at[SIZE - 1 - ME] & 1023] = 1;
}

// A decision by it.
TEST branch_wrong(const float* in, float* out, int n) {
    __shared__ float s[1024];
    if (ME < n) s[ME] = in[ME];
    __syncthreads();
    if (s[SIZE - 1 - ME] > 0) out[ME] = in[ME];
}

TEST branch_right(const float* in, float* out, int n) {
    __shared__ float s[1024];
    s[ME] = ME < n ? in[ME] : 1;
    __syncthreads();
    if (s[SIZE - 1 - ME] > 0) out[ME] = in[ME];
}

// An accumulator in memory that nobody has cleared.
TEST accumulate_wrong(const float* in, float* out, int n) { out[UNWRITTEN + ME] += in[ME]; }
TEST accumulate_right(const float* in, float* out, int n) {
    out[UNWRITTEN + ME] = in[ME];
    out[UNWRITTEN + ME] += in[ME];
}
TEST accumulate_at_once_wrong(const float* in, float* out, int n) { atomicAdd((int*)out + UNWRITTEN + ME % 32, n); }
TEST accumulate_at_once_right(const float* in, float* out, int n) {
    int* sums = (int*)out + UNWRITTEN;
    if (ME < 32) sums[ME] = 0;
    __syncthreads();
    atomicAdd(sums + ME % 32, n);
}

// Every other element of a local array.
TEST local_array_wrong(const float* in, float* out, int n) {
    volatile float a[16];
    for (int i = 0; i < 16; i += 2) a[i] = in[i];
    out[ME] = a[n];
}
TEST local_array_right(const float* in, float* out, int n) {
    volatile float a[16];
    for (int i = 0; i < 16; i += 2) a[i] = in[i];
    out[ME] = a[n & ~1];
}

// Bytes that nobody wrote between bytes that somebody did.
TEST bytes_wrong(const float* in, float* out, int n) {
    __shared__ unsigned char s[4096];
    s[2 * ME] = ME;
    __syncthreads();
    out[ME] = s[2 * ME] + s[2 * ME + 1];
}
TEST bytes_right(const float* in, float* out, int n) {
    __shared__ unsigned char s[4096];
    s[2 * ME] = ME;
    __syncthreads();
    out[ME] = s[2 * ME] + (*(unsigned short*)&s[2 * ME] & 0xff);
}

// A lane that is off has written nothing, and somebody asks it.
#define ASKED(mask)                                                                           \
    float x;                                                                                  \
    asm volatile("s_mov_b64 s[10:11], exec\n"                                                 \
                 "s_mov_b64 exec, " mask "\n"                                                 \
                 "v_mov_b32 v40, 1.0\n"                                                       \
                 "s_mov_b64 exec, s[10:11]\n"                                                 \
                 "s_nop 4\n"                                                                  \
                 "v_mov_b32 %0, v40\n"                                                        \
                 : "=v"(x)::"v40", "s10", "s11");                                             \
    out[ME] = x;
TEST shuffle_wrong(const float* in, float* out, int n) { ASKED("0xff") }
TEST shuffle_right(const float* in, float* out, int n) { ASKED("-1") }
