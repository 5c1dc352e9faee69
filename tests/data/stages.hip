// The chunk pipeline in three launches, as somebody may write it: sizes in a structure by value, tensors handed from stage to stage.
// Tests read its debug information alone; nothing launches it.
#define GLOBAL extern "C" __attribute__((global))

struct Sizes {
    int B, T, H, HV, K, V, C;
    alignas(16) unsigned short flags[2];
};
typedef unsigned short bf16;

GLOBAL void stage_outputs(Sizes s, const float* q, const float* k, const float* G, const bf16* U, const float* h, float* o, float scale) {
    o[0] = q[0] * k[0] * G[0] * U[0] * h[0] * scale * s.B;
}
GLOBAL void stage_prepare(Sizes s, const float* k, const float* v, const float* g, const float* beta, float* G, bf16* U, float* W) {
    G[0] = g[0];
    U[0] = v[0] * beta[0];
    W[0] = k[0] * s.T;
}
GLOBAL void stage_carry(Sizes s, const float* k, const float* G, const float* W, bf16* U, const float* init, float* h, float* fin) {
    U[0] = W[0] * k[0];
    h[0] = init[0];
    fin[0] = G[0] * s.K;
}
