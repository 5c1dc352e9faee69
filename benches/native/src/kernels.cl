// The benchmarked kernels as OpenCL C: same grids, same work per work-item as kernels/*.hip.

kernel void gemm_nt_naive(global const float *A, global const float *B, global float *C, int M, int N, int K) {
    int column = get_global_id(0), row = get_global_id(1);
    if (row >= M || column >= N)
        return;
    float sum = 0.0f;
    for (int k = 0; k < K; ++k)
        sum = fma(A[row * K + k], B[column * K + k], sum);
    C[row * N + column] = sum;
}

#define TILE 16

kernel void gemm_nt_tiled(global const float *A, global const float *B, global float *C, int M, int N, int K) {
    local float a[TILE][TILE], b[TILE][TILE + 1];
    int x = get_local_id(0), y = get_local_id(1);
    int column = get_global_id(0), row = get_global_id(1);
    float sum = 0.0f;
    for (int start = 0; start < K; start += TILE) {
        int from = get_group_id(0) * TILE + y;
        a[y][x] = row < M && start + x < K ? A[row * K + start + x] : 0.0f;
        b[y][x] = from < N && start + x < K ? B[from * K + start + x] : 0.0f;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < TILE; ++k)
            sum = fma(a[y][k], b[x][k], sum);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (row < M && column < N)
        C[row * N + column] = sum;
}

kernel void sigmoid(global const float *in, global float *out, int n) {
    int i = get_global_id(0);
    if (i < n)
        out[i] = 1.0f / (1.0f + exp(-in[i]));
}
