// Wrong chunk operators after the inverse.
#pragma once
#include "../gdn/bounds.hip"
#include "../../gdr/chunk_delta_h.hip"
#include "../../gdr/chunk_o.hip"
#include "../../gdr/wy.hip"
#include "kkt.hip"

GDR_RECOMPUTE_W_U_KERNEL(planted_gdr_w_u_other_heads, GdrChunkOtherHeads)
GDR_CHUNK_DELTA_H_KERNEL(planted_gdr_chunk_delta_h_other_heads, GdrChunkOtherHeads)
GDR_CHUNK_O_KERNEL(planted_gdr_chunk_o_other_heads, GdrChunkOtherHeads)

// u without beta
struct GdrValueWithoutBeta : GdrChunkRule {
    static __device__ float value_factor(float beta) { return 1.0f; }
};
GDR_RECOMPUTE_W_U_KERNEL(planted_gdr_w_u_no_beta, GdrValueWithoutBeta)

// w without its decay
struct GdrKeyWithoutDecay : GdrChunkRule {
    static __device__ float key_factor(float beta, float G) { return beta; }
};
GDR_RECOMPUTE_W_U_KERNEL(planted_gdr_w_u_no_decay, GdrKeyWithoutDecay)

// w with its decay upside down
struct GdrKeyGrows : GdrChunkRule {
    static __device__ float key_factor(float beta, float G) { return beta * expf(-G); }
};
GDR_RECOMPUTE_W_U_KERNEL(planted_gdr_w_u_gate_sign, GdrKeyGrows)

// no - w h: v_new is u
struct GdrNotCorrected : GdrChunkRule {
    static __device__ float corrected(float u, float wh) { return u; }
};
GDR_CHUNK_DELTA_H_KERNEL(planted_gdr_chunk_delta_h_no_wh, GdrNotCorrected)

// + w h
struct GdrCorrectedTheOtherWay : GdrChunkRule {
    static __device__ float corrected(float u, float wh) { return u + wh; }
};
GDR_CHUNK_DELTA_H_KERNEL(planted_gdr_chunk_delta_h_plus_wh, GdrCorrectedTheOtherWay)

// h holds the states at the chunks' ends
struct GdrStateAtEnd : GdrChunkRule {
    static constexpr bool state_at_end = true;
};
GDR_CHUNK_DELTA_H_KERNEL(planted_gdr_chunk_delta_h_at_end, GdrStateAtEnd)

// the state does not decay, only what is written to it
struct GdrNothingForgotten : GdrChunkRule {
    static __device__ float forgotten(float G_last) { return 1.0f; }
};
GDR_CHUNK_DELTA_H_KERNEL(planted_gdr_chunk_delta_h_no_decay, GdrNothingForgotten)

// what is written does not decay to the chunk's end
struct GdrWrittenUndecayed : GdrChunkRule {
    static __device__ float to_end(float G_last, float G) { return 1.0f; }
};
GDR_CHUNK_DELTA_H_KERNEL(planted_gdr_chunk_delta_h_write_undecayed, GdrWrittenUndecayed)

// a short chunk takes G_last from the padding, which is 0
struct GdrPaddedLast : GdrChunkRule {
    static __device__ float last_gate(float G_last, int tokens, int C) { return tokens == C ? G_last : 0.0f; }
};
GDR_CHUNK_DELTA_H_KERNEL(planted_gdr_chunk_delta_h_padded_last, GdrPaddedLast)

// the state dropped at chunk boundaries
struct GdrDropped : GdrChunkRule {
    static __device__ bool forgets_before(int chunk) { return chunk > 0; }
};
GDR_CHUNK_DELTA_H_KERNEL(planted_gdr_chunk_delta_h_dropped, GdrDropped)

// the initial state ignored or transposed, the final one transposed or missing
struct GdrChunkInitialIgnored : GdrChunkRule {
    static __device__ bool takes_initial() { return false; }
};
GDR_CHUNK_DELTA_H_KERNEL(planted_gdr_chunk_delta_h_initial_ignored, GdrChunkInitialIgnored)
struct GdrChunkInitialTransposed : GdrChunkRule {
    static __device__ int initial_layout() { return STATE_VALUE_MAJOR; }
};
GDR_CHUNK_DELTA_H_KERNEL(planted_gdr_chunk_delta_h_initial_transposed, GdrChunkInitialTransposed)
struct GdrChunkFinalTransposed : GdrChunkRule {
    static __device__ int final_layout() { return STATE_VALUE_MAJOR; }
};
GDR_CHUNK_DELTA_H_KERNEL(planted_gdr_chunk_delta_h_final_transposed, GdrChunkFinalTransposed)
struct GdrChunkFinalMissing : GdrChunkRule {
    static constexpr bool writes_final = false;
};
GDR_CHUNK_DELTA_H_KERNEL(planted_gdr_chunk_delta_h_final_missing, GdrChunkFinalMissing)

// q h without its decay
struct GdrQueryUndecayed : GdrChunkRule {
    static __device__ float from_start(float G) { return 1.0f; }
};
GDR_CHUNK_O_KERNEL(planted_gdr_chunk_o_no_decay, GdrQueryUndecayed)

// e^(G_j - G_i) among the chunk's own tokens
struct GdrOutputSign : GdrChunkRule {
    static __device__ float safe_exp(float x) { return expf(-x); }
};
GDR_CHUNK_O_KERNEL(planted_gdr_chunk_o_gate_sign, GdrOutputSign)

// not scaled
struct GdrChunkNoScale : GdrChunkRule {
    static __device__ float scale(float scale) { return 1.0f; }
};
GDR_CHUNK_O_KERNEL(planted_gdr_chunk_o_no_scale, GdrChunkNoScale)

// a token does not see itself
struct GdrBlindToItself : GdrChunkRule {
    static __device__ bool seen(int i, int j) { return j < i; }
};
GDR_CHUNK_O_KERNEL(planted_gdr_chunk_o_no_diagonal, GdrBlindToItself)

// a token sees those after it
struct GdrSeesAll : GdrChunkRule {
    static __device__ bool seen(int i, int j) { return true; }
    static __device__ float safe_exp(float x) { return expf(x); }
};
GDR_CHUNK_O_KERNEL(planted_gdr_chunk_o_not_causal, GdrSeesAll)

// the state before the chunk before
struct GdrStateBefore : GdrChunkRule {
    static __device__ int chunk_of_h(int chunk) { return chunk > 0 ? chunk - 1 : 0; }
};
GDR_CHUNK_O_KERNEL(planted_gdr_chunk_o_state_before, GdrStateBefore)

// only column 0 written
struct GdrFirstColumn : GdrChunkRule {
    static __device__ bool writes(int col) { return col == 0; }
};
GDR_CHUNK_O_KERNEL(planted_gdr_chunk_o_first_column, GdrFirstColumn)
