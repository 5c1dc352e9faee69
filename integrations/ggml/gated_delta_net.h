// ggml's operator GATED_DELTA_NET on an MI50 (gfx906), by the kernels of deltanet-check. README.md explains how an engine calls it.
#pragma once
#include <cstdint>

#include <hip/hip_runtime_api.h>

namespace deltanet {

// Distances between neighbouring heads, tokens and sequences of a tensor, in elements. Its innermost axis is contiguous.
struct Strides {
    int64_t head, token, sequence;
};

// One call of the operator. All tensors are f32 in device memory, and axes are in ggml's order, innermost first.
struct GatedDeltaNet {
    int64_t S;                // channels of a head: 1 to 256
    int64_t Hk;               // heads of q and k; value head h reads head h % Hk
    int64_t H;                // heads of v
    int64_t T;                // tokens of a sequence
    int64_t N;                // sequences
    int64_t snapshots;        // states to leave: those after the last `snapshots` tokens, or after all T tokens if those are fewer
    bool gate_per_key;        // true: a gate for each key channel; false: one for each head
    const float *q, *k;       // [S, Hk, T, N], with the strides `keys`
    const float* v;           // [S, H, T, N], with the strides `values`
    const float* g;           // log gates [1 or S, H, T, N], contiguous
    const float* beta;        // write strengths [1, H, T, N], contiguous
    const float* state;       // state before the first token [S, S, H, N], contiguous, key channels innermost
    float* dst;               // output [S, H, T, N], and behind it room for `snapshots` states
    float* states;            // state after the last token, in the layout of `state`: behind the output in dst, or anywhere else
    int64_t snapshot_stride;  // elements from a state to the state one token earlier; not read if there is only one
    Strides keys, values;
};

// Starts the kernel of a call on a stream of the current device. Returns false, and has started nothing, if these kernels do not take the
// call or the device: the engine then runs its own kernel. A HIP error is printed to stderr and cleared.
bool start(const GatedDeltaNet& call, hipStream_t stream);

}  // namespace deltanet
