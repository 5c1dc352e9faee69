// What a chunk of the document's pipeline is made of (its section 6), as parts of kernels: gates, the matrix A, and the columns of
// V_new and K_cumdecay. These are solutions of (I - A) X = B with V and K, by beta (and e^g), as B: attn_solved times them, with no
// attn_solved. So nothing between the inputs and the results of a chunk is in memory.
// A wave is GROUP lanes, that solve for as many columns of X: on a GPU whose waves have 32, two waves.
#pragma once
#include "solve.hip"
#include "tile.hip"

#define CHUNK_MAX SOLVE_ROWS  // tokens; the domain of these kernels
#define TURN 16               // tokens at a time on the way between memory and columns
#define TURN_PITCH (TURN + 4)

enum { OF_KEYS = 0, OF_VALUES = 1 };

// Points where the wrong variants in planted/ differ.
struct DocumentRule : TileRule, SolveRule {
    static __device__ float strength(float beta) { return 1.0f / (1.0f + expf(-beta)); }
    static __device__ bool counts(int j, int token) { return j <= token; }  // token j's gate for the sum up to a token
    static __device__ float between(double g_i, double g_j) { return expf((float)(g_j - g_i)); }
    static __device__ float row_strength(const float* beta, int i, int j) { return beta[j]; }
    static __device__ bool below(int i, int j) { return j < i; }
    static __device__ float key_factor(float beta, double g) { return beta * expf((float)g); }
    static __device__ void wait() { __syncthreads(); }  // between who writes LDS and who reads it
    static __device__ int tokens(int C) { return C; }
    static __device__ int channels(int S) { return S; }
    // the layer
    static __device__ int key_head(int hv, int H, int HV) { return hv / (HV / H); }
    static __device__ int sequence(int b) { return b; }
    static __device__ int last(int C) { return C - 1; }
    static __device__ bool forgets_before(int chunk) { return false; }
    static __device__ float decayed(float state, float factor) { return state * factor; }
    static __device__ bool writes(int col, int S) { return col < S; }
    static __device__ int turns_end(int C) { return C; }
};

// A matrix of a chunk, rows read by whole waves: one bank a lane at any pitch.
template <int GROUPS>
struct __align__(16) ChunkLds {
    float A[CHUNK_MAX][CHUNK_MAX];
    float factor[2][CHUNK_MAX];  // of the right-hand sides: of K beta e^g, of V beta
    double g[CHUNK_MAX];         // running sums of gates: differences of them count, of which a float would leave few digits
    union {
        float step[CHUNK_MAX];  // gates, before they are summed
        TileLds<TILE, 1> tile;  // keys go in and out along tokens: no padding
        // Columns on their way: lane l reads 16 bytes at l TURN_PITCH. Of the pitch 16 eight lanes at a time would meet in two banks of
        // four, 4 times each; of 20 they have all 32.
        float turn[GROUPS][GROUP][TURN_PITCH];
        float solved[TURN][GROUPS * GROUP];
    };
};

// The chunk's gates: strengths of writing, sums of G, and what they make of a key.
template <class Rule, int GROUPS>
static __device__ __forceinline__ void chunk_gates(const float* G, const float* Beta, int C, ChunkLds<GROUPS>& lds) {
    const int t = own_item();
    if (t < CHUNK_MAX) {
        lds.step[t] = t < C ? G[t] : 0.0f;
        lds.factor[OF_VALUES][t] = t < C ? Rule::strength(Beta[t]) : 0.0f;
    }
    Rule::wait();
    if (t < CHUNK_MAX) {
        double sum = 0.0;
#pragma unroll 16
        for (int j = 0; j < CHUNK_MAX; j++) sum += Rule::counts(j, t) ? lds.step[j] : 0.0f;
        lds.g[t] = sum;
        lds.factor[OF_KEYS][t] = t < C ? Rule::key_factor(lds.factor[OF_VALUES][t], sum) : 0.0f;
    }
    Rule::wait();
}

// A_ij = -beta_j <k_i, k_j> e^(g_j - g_i) for j < i, else 0. A key's channel is a row of C tokens.
template <class Rule, int GROUPS>
static __device__ __forceinline__ void chunk_matrix(const float* K, int S, int C, ChunkLds<GROUPS>& lds) {
    float sum[4][4] = {};
    const Operand<false> keys = {K, C, C, Rule::channels(S)};
    tile_product<Rule>(sum, keys, keys, lds.tile);
    const unsigned item = own_item();
    if (item < TILE_ITEMS) {
        const int i0 = 4 * tile_y(item), j0 = 4 * tile_x(item);
        double G_j[4];
#pragma unroll
        for (int c = 0; c < 4; c++) G_j[c] = lds.g[j0 + c];
#pragma unroll
        for (int r = 0; r < 4; r++) {
            const int i = i0 + r;
            float row[4];
#pragma unroll
            for (int c = 0; c < 4; c++) {
                const int j = j0 + c;
                row[c] = Rule::below(i, j) ? -(sum[r][c] * Rule::row_strength(lds.factor[OF_VALUES], i, j)) * Rule::between(lds.g[i], G_j[c]) : 0.0f;
            }
            *(float4*)&lds.A[i][j0] = make_float4(row[0], row[1], row[2], row[3]);
        }
    }
    Rule::wait();
}

// The rows of A in LDS, a lane a coefficient; the next one is on its way while one is used.
struct LdsRows {
    const float (*A)[CHUNK_MAX];
    int row;
    unsigned lane;
    float ahead[CHUNK_MAX / WAVE];

    struct Row {
        float a[CHUNK_MAX / WAVE];
        __device__ __forceinline__ float coefficient(int j) const { return lanes_read(a[j / WAVE], j % WAVE); }
    };
    __device__ __forceinline__ LdsRows(const float (*A)[CHUNK_MAX], int row) : A(A), row(row), lane(own_item() % WAVE) {
        fetch();
    }
    __device__ __forceinline__ void fetch() {
#pragma unroll
        for (int w = 0; w < CHUNK_MAX / WAVE; w++) ahead[w] = A[row][lane + WAVE * w];
    }
    __device__ __forceinline__ Row take() {
        Row now;
#pragma unroll
        for (int w = 0; w < CHUNK_MAX / WAVE; w++) now.a[w] = ahead[w];
        row = row + 1 < CHUNK_MAX ? row + 1 : row;
        fetch();
        return now;
    }
};

// Sixteen tokens of 64 channels on their way between memory and LDS: number i of a lane is of the channel `own` + step(i). What 32 lanes
// write at a time is of two channels that are four apart, 80 numbers: all banks, each once (neighbouring channels would share four).
struct TurnPlace {
    unsigned lane;
    int token, own;
    __device__ __forceinline__ TurnPlace()
        : lane(own_item() % GROUP), token(lane % TURN), own(lane / TURN % 2 * 4 + lane / (2 * TURN)) {}
    static constexpr int step(int i) { return i % 2 * 2 + i / 2 * 8; }
};

// The group of 64 columns of a wave: channels from `first` on of a matrix S x C.
template <class Rule>
struct ChunkColumns {
    SolveBlock<Rule> block;

    // right-hand sides: matrix[channel][token] factor[token]. Neighbouring lanes read neighbouring tokens; through LDS a lane gets its
    // channel's. Past the end the last channel and token are read again: nobody looks at them. All waves come here: there are barriers.
    __device__ __forceinline__ void load(Known<CHUNK_MAX>, const float*, int, int, int, const float*, float (*)[TURN_PITCH], bool, TurnPlace) {}
    template <int FROM>
    __device__ inline void load(Known<FROM>, const float* matrix, int first, int S, int C, const float* factor,
                                float (*turn)[TURN_PITCH], bool active, TurnPlace at) {
        if (FROM >= Rule::turns_end(C)) return;
        float part[TURN];
        if (active) {
            const int column = FROM + at.token < C ? FROM + at.token : C - 1;
            const unsigned last = 4u * ((S - 1) * C + column), place = 4u * ((first + at.own) * C + column);
#pragma unroll
            for (int i = 0; i < TURN; i++) {
                unsigned bytes = place + 4u * TurnPlace::step(i) * C;
                if (bytes > last) bytes = last;
                part[i] = lane_load((SharedRow)matrix, bytes);
            }
        }
        Rule::wait();
        if (active) {
#pragma unroll
            for (int i = 0; i < TURN; i++) turn[at.own + TurnPlace::step(i)][at.token] = part[i];
        }
        Rule::wait();
        if (active) {
#pragma unroll
            for (int t = 0; t < TURN; t += 4) {
                const float4 v = *(const float4*)&turn[at.lane][t], f = *(const float4*)&factor[FROM + t];
                block.x[FROM + t] = v.x * f.x, block.x[FROM + t + 1] = v.y * f.y;
                block.x[FROM + t + 2] = v.z * f.z, block.x[FROM + t + 3] = v.w * f.w;
            }
        }
        load(Known<FROM + TURN>(), matrix, first, S, C, factor, turn, active, at);
    }

    __device__ __forceinline__ void solve(const float (*A)[CHUNK_MAX], int C) {
        LdsRows rows(A, 1);
        block.substitute(Known<1>(), rows, C);
    }

    // matrix[channel][token] = the columns, the way back
    __device__ __forceinline__ void store(Known<CHUNK_MAX>, float*, int, int, int, float (*)[TURN_PITCH], bool, TurnPlace) const {}
    template <int FROM>
    __device__ inline void store(Known<FROM>, float* matrix, int first, int S, int C, float (*turn)[TURN_PITCH],
                                 bool active, TurnPlace at) const {
        if (FROM >= Rule::turns_end(C)) return;
        Rule::wait();
        if (active) {
#pragma unroll
            for (int t = 0; t < TURN; t += 4) {
                const float* x = block.x + FROM + t;
                *(float4*)&turn[at.lane][t] = make_float4(x[0], x[1], x[2], x[3]);
            }
        }
        Rule::wait();
        if (active && FROM + at.token < Rule::tokens(C)) {
            const unsigned place = 4u * ((first + at.own) * C + FROM + at.token);
#pragma unroll
            for (int i = 0; i < TURN; i++) {
                const int channel = at.own + TurnPlace::step(i);
                unsigned bytes = place + 4u * TurnPlace::step(i) * C;
                if (Rule::writes(first + channel, S)) lane_store((SharedOutRow)matrix, bytes, turn[channel][at.token]);
            }
        }
        store(Known<FROM + TURN>(), matrix, first, S, C, turn, active, at);
    }
};
