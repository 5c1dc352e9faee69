// Wrong recurrences of the GDR operators.
#pragma once
#include "../gdn/bounds.hip"
#include "../../gdr/recurrent.hip"

// As published: a wave holds the key channels of ONE value column, and whoever wrote it forgot the loop over the columns; its reductions
// begin at a distance of 64, where a lane of a wave of 64 meets itself, so that every sum is doubled. Without that loop the work-items
// of a group do the same work; the first wave's is stored.
extern "C" __global__ __launch_bounds__(256) void planted_gdr_recurrent_published(
    const Bf16* q, const Bf16* k, const Bf16* v, const Bf16* beta, const float* g, const float* gk, const float* gv, const float* h0,
    Bf16* o, float* ht, const int* cu_seqlens, int N, int T, int H, int HV, int K, int V, float scale, int beta_channels) {
    const int hv = blockIdx.x, n = blockIdx.y, h = hv / (HV / H), lane = threadIdx.x % GDR_WAVE, col = 0;
    if (hv >= HV || n >= N || threadIdx.x >= GDR_WAVE) return;
    const int first = cu_seqlens ? cu_seqlens[n] : n * T, end = cu_seqlens ? cu_seqlens[n + 1] : first + T;
    const long states = ((long)n * HV + hv) * K * V;
    float state[GDN_MAX_K / GDR_WAVE];
    for (int r = 0; r < GDN_MAX_K / GDR_WAVE; r++) {
        const int j = lane + GDR_WAVE * r;
        state[r] = h0 && j < K ? h0[states + (long)j * V + col] : 0.0f;
    }
    for (int token = first; token < end; token++) {
        const long key = ((long)token * H + h) * K, scalar = (long)token * HV + hv;
        float read = 0.0f, out = 0.0f;
        for (int r = 0; r < GDN_MAX_K / GDR_WAVE; r++) {
            const int j = lane + GDR_WAVE * r;
            if (j >= K) continue;
            float log = g ? g[scalar] : 0.0f;
            if (gk) log += gk[scalar * K + j];
            if (gv) log += gv[scalar * V + col];
            state[r] *= expf(log);
            read += state[r] * gdr_float(k[key + j]);
        }
        for (int distance = 64; distance > 0; distance /= 2) read += __shfl_xor(read, distance);
        const float d = gdr_float(beta[scalar * beta_channels]) * (gdr_float(v[scalar * V + col]) - read);
        for (int r = 0; r < GDN_MAX_K / GDR_WAVE; r++) {
            const int j = lane + GDR_WAVE * r;
            if (j >= K) continue;
            state[r] += gdr_float(k[key + j]) * d;
            out += state[r] * gdr_float(q[key + j]) * scale;
        }
        for (int distance = 64; distance > 0; distance /= 2) out += __shfl_xor(out, distance);
        if (lane == 0) o[scalar * V + col] = gdr_bf16(out);
    }
    if (!ht) return;
    for (int r = 0; r < GDN_MAX_K / GDR_WAVE; r++) {
        const int j = lane + GDR_WAVE * r;
        if (j < K) ht[states + (long)j * V + col] = state[r];
    }
}

// The same, with zeros in all that it does not compute: what its own test saw, whose outputs began as zeros. Column 0 is right in places
// only, and a tolerance that 0 passes passes this.
extern "C" __global__ __launch_bounds__(256) void planted_gdr_recurrent_null(
    const Bf16* q, const Bf16* k, const Bf16* v, const Bf16* beta, const float* g, const float* gk, const float* gv, const float* h0,
    Bf16* o, float* ht, const int* cu_seqlens, int N, int T, int H, int HV, int K, int V, float scale, int beta_channels) {
    const int hv = blockIdx.x, n = blockIdx.y, col = threadIdx.x;
    if (hv >= HV || n >= N || col >= V) return;
    const int first = cu_seqlens ? cu_seqlens[n] : n * T, end = cu_seqlens ? cu_seqlens[n + 1] : first + T;
    for (int token = first; token < end; token++) o[((long)token * HV + hv) * V + col] = {0};
    if (!ht) return;
    for (int j = 0; j < K; j++) ht[(((long)n * HV + hv) * K + j) * V + col] = 0.0f;
}

// sums over the key channels doubled, by an exchange at a distance of 64 in a wave of 64: a lane meets itself
struct GdrDoubledSums : GdrRecurrentRule {
    static __device__ float sum(float sum) { return sum + __shfl_xor(sum, 64); }
};
GDR_FUSED_RECURRENT_KERNEL(planted_gdr_recurrent_doubled_sums, GdrDoubledSums)
GDR_SIGMOID_GATING_KERNEL(planted_gdr_sigmoid_gating_doubled_sums, GdrDoubledSums)

// the error taken from the state before the decay
struct GdrUndecayed : GdrRecurrentRule {
    static constexpr bool undecayed = true;
};
GDR_FUSED_RECURRENT_KERNEL(planted_gdr_recurrent_undecayed_error, GdrUndecayed)

// beta on v only
struct GdrBetaOnValue : GdrRecurrentRule {
    static __device__ float written(float beta, float v, float read) { return beta * v - read; }
};
GDR_FUSED_RECURRENT_KERNEL(planted_gdr_recurrent_beta_on_v, GdrBetaOnValue)

// the first value channel's beta for all
struct GdrBetaOfFirst : GdrRecurrentRule {
    static __device__ long beta_channel(int col) { return 0; }
};
GDR_FUSED_RECURRENT_KERNEL(planted_gdr_recurrent_beta_of_first_channel, GdrBetaOfFirst)

// q not scaled
struct GdrNoScale : GdrRecurrentRule {
    static __device__ float scale(float scale) { return 1.0f; }
};
GDR_FUSED_RECURRENT_KERNEL(planted_gdr_recurrent_no_scale, GdrNoScale)
GDR_SIGMOID_GATING_KERNEL(planted_gdr_sigmoid_gating_no_scale, GdrNoScale)

// the other head map
struct GdrOtherHeads : GdrRecurrentRule {
    static __device__ int head(int hv, int H, int HV) { return hv % H; }
};
GDR_FUSED_RECURRENT_KERNEL(planted_gdr_recurrent_other_heads, GdrOtherHeads)
GDR_SIGMOID_GATING_KERNEL(planted_gdr_sigmoid_gating_other_heads, GdrOtherHeads)

// the sign of the gates flipped: the state grows
struct GdrGateSign : GdrRecurrentRule {
    static __device__ float decay(float g) { return expf(-g); }
};
GDR_FUSED_RECURRENT_KERNEL(planted_gdr_recurrent_gate_sign, GdrGateSign)

// gates of key channels, or of value channels, not applied
struct GdrNoKeyGates : GdrRecurrentRule {
    static constexpr bool takes_gk = false;
};
GDR_FUSED_RECURRENT_KERNEL(planted_gdr_recurrent_no_gk, GdrNoKeyGates)
struct GdrNoValueGates : GdrRecurrentRule {
    static constexpr bool takes_gv = false;
};
GDR_FUSED_RECURRENT_KERNEL(planted_gdr_recurrent_no_gv, GdrNoValueGates)

// gates by the place in the sequence, as if it were the only one
struct GdrGateOfFirstSequence : GdrRecurrentRule {
    static __device__ int gate_token(int token, int first) { return token - first; }
};
GDR_FUSED_RECURRENT_KERNEL(planted_gdr_recurrent_gate_token, GdrGateOfFirstSequence)

// sequences taken for equally long
struct GdrEqualLengths : GdrRecurrentRule {
    static __device__ int first(const int* cu_seqlens, int n, int T) { return cu_seqlens ? cu_seqlens[gridDim.y] * n / (int)gridDim.y : n * T; }
    static __device__ int end(const int* cu_seqlens, int n, int T) { return first(cu_seqlens, n + 1, T); }
};
GDR_FUSED_RECURRENT_KERNEL(planted_gdr_recurrent_equal_lengths, GdrEqualLengths)
GDR_SIGMOID_GATING_KERNEL(planted_gdr_sigmoid_gating_equal_lengths, GdrEqualLengths)

// the initial state ignored, or read in the other layout; the final one written in it, or not at all
struct GdrInitialIgnored : GdrRecurrentRule {
    static __device__ bool takes_initial() { return false; }
};
GDR_FUSED_RECURRENT_KERNEL(planted_gdr_recurrent_initial_ignored, GdrInitialIgnored)
struct GdrInitialTransposed : GdrRecurrentRule {
    static __device__ int initial_layout() { return STATE_VALUE_MAJOR; }
};
GDR_FUSED_RECURRENT_KERNEL(planted_gdr_recurrent_initial_transposed, GdrInitialTransposed)
struct GdrFinalTransposed : GdrRecurrentRule {
    static __device__ int final_layout() { return STATE_VALUE_MAJOR; }
};
GDR_FUSED_RECURRENT_KERNEL(planted_gdr_recurrent_final_transposed, GdrFinalTransposed)
GDR_SIGMOID_GATING_KERNEL(planted_gdr_sigmoid_gating_final_transposed, GdrFinalTransposed)
struct GdrFinalMissing : GdrRecurrentRule {
    static __device__ int written_slot(int slot) { return -1; }
};
GDR_FUSED_RECURRENT_KERNEL(planted_gdr_recurrent_final_missing, GdrFinalMissing)
GDR_SIGMOID_GATING_KERNEL(planted_gdr_sigmoid_gating_final_missing, GdrFinalMissing)

// outputs cut to bf16, not rounded
struct GdrTruncated : GdrRecurrentRule {
    static __device__ Bf16 rounded(float x) { return {(unsigned short)(__float_as_uint(x) >> 16)}; }
};
GDR_FUSED_RECURRENT_KERNEL(planted_gdr_recurrent_truncated, GdrTruncated)
GDR_SIGMOID_GATING_KERNEL(planted_gdr_sigmoid_gating_truncated, GdrTruncated)
