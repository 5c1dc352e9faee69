// Barriers that not all come to. All kernels take (in, out, n).

// Whole waves leave before the barrier.
TEST wave_leaves_wrong(const float* in, float* out, int n) {
    __shared__ float s[1024];
    if (ME >= 64) return;
    s[ME] = in[ME];
    __syncthreads();
    out[ME] = s[63 - ME];
}
TEST wave_leaves_right(const float* in, float* out, int n) {
    __shared__ float s[1024];
    if (ME < 64) s[ME] = in[ME];
    __syncthreads();
    if (ME < 64) out[ME] = s[63 - ME];
}

// Some lanes of a wave are not there, for good: the others do not miss them.
TEST lanes_have_left_right(const float* in, float* out, int n) {
    __shared__ float s[1024];
    if (ME >= n) return;
    s[ME] = in[ME];
    __syncthreads();
    out[ME] = s[n - 1 - ME];
}

// A barrier in both branches: lanes of a wave come to different ones.
TEST branches_wrong(const float* in, float* out, int n) {
    __shared__ float s[1024];
    if (in[ME] > 0) {
        s[ME] = 1;
        __syncthreads();
        out[ME] = s[SIZE - 1 - ME];
    } else {
        s[ME] = 2;
        __syncthreads();
        out[ME] = s[SIZE - 1 - ME] * 3;
    }
}
TEST branches_right(const float* in, float* out, int n) {
    __shared__ float s[1024];
    if (in[ME] > 0) {
        s[ME] = 1;
    } else {
        s[ME] = 2;
    }
    __syncthreads();
    out[ME] = s[SIZE - 1 - ME];
}

// A barrier that half of the lanes come to, and a later one for all.
TEST half_wrong(const float* in, float* out, int n) {
    __shared__ float s[1024];
    s[ME] = in[ME];
    if (ME % 2 == 0) {
        __syncthreads();
        s[ME] += 1;
    }
    __syncthreads();
    out[ME] = s[SIZE - 1 - ME];
}

TEST half_right(const float* in, float* out, int n) {
    __shared__ float s[1024];
    s[ME] = in[ME];
    __syncthreads();
    if (ME % 2 == 0) s[ME] += 1;
    __syncthreads();
    out[ME] = s[SIZE - 1 - ME];
}

// Waves go round as often as their number says.
TEST rounds_wrong(const float* in, float* out, int n) {
    __shared__ float s[1024];
    float sum = 0;
    for (int i = 0; i <= ME / 64; i++) {
        s[ME] = in[ME] + i;
        __syncthreads();
        sum += s[ME];
    }
    out[ME] = sum;
}
TEST rounds_right(const float* in, float* out, int n) {
    __shared__ float s[1024];
    float sum = 0;
    for (int i = 0; i <= SIZE / 64; i++) {
        s[ME] = in[ME] + i;
        __syncthreads();
        sum += s[ME];
    }
    out[ME] = sum;
}

// Wave 0 waits at one barrier, the others at another.
TEST elsewhere_wrong(const float* in, float* out, int n) {
    __shared__ float s[1024];
    if (ME < 64) {
        s[ME] = in[ME];
        __syncthreads();
        out[ME] = s[ME] + 1;
    } else {
        s[ME] = in[ME] * 2;
        __syncthreads();
        out[ME] = s[ME] * 5;
    }
}
TEST elsewhere_right(const float* in, float* out, int n) {
    __shared__ float s[1024];
    s[ME] = ME < 64 ? in[ME] : in[ME] * 2;
    __syncthreads();
    out[ME] = ME < 64 ? s[SIZE - 1 - ME] + 1 : s[SIZE - 1 - ME] * 5;
}
