// The second launch of half_chunk.hip: the states of a head's columns from the first chunk to the last. A work-group has sixteen columns. Lanes have two
// columns by turns, so that the lanes of a column are two apart, and a rotation of sixteen lanes by two goes round all of them.
//
// A sum over the parts of a column goes from lane to lane: in each step a lane adds its part for another token, and hands the sum on. After eight
// steps the lane of part p has the sums for the tokens p and p + 8. Pairs that all lanes of a column need go round in the same way.
//
// LDS has k, q and both matrices of a chunk. Pairs of tokens come from memory to each lane: in LDS they would make it the longest pipe. The next chunk is
// fetched to registers while the state takes on this one's keys.
#pragma once
#include "half_chunk.hip"
#include <stddef.h>

// Three waves a SIMD. For more, the compiler would keep fewer loads on their way.
#ifdef __AMDGCN__
#define HALF_THREE_WAVES __attribute__((amdgpu_waves_per_eu(3, 3)))
#else
#define HALF_THREE_WAVES
#endif

#define HALF_NEAR 8  // pieces that are on their way to a lane from LDS
#define HALF_FAR 6   // pieces that are on their way from memory

struct HalfScanCall {
    const HalfKeys* keys;
    const HalfHead* heads;
    const float *v, *initial;
    float *o, *final;
    int B, T, H, HV, V, head_map, state_layout;
};

// A chunk in LDS: the beginning of HalfKeys, then the rows of HalfHead. A lane reads every eighth piece of sixteen bytes.
struct HalfScanLds {
    HalfFour k[32 * HALF_PARTS], q[32 * HALF_PARTS], rows[HALF_PARTS * HALF_PARTS];
};
#define HALF_OF_Q 32    // pieces of a lane before those of q
#define HALF_OF_ROWS 64  // before those of both matrices

// A work-item's share of the next chunk, on its way from memory to LDS.
struct HalfStage {
    HalfFour k[2], q[2];
    HalfTwo rows;
};

template <class Rule>
struct HalfScanWave {
    const HalfScanCall& x;
    HalfScanLds& lds;
    const HalfKeys* keys;
    const HalfHead* head;
    const float* v;
    float* o;
    float h[HALF_ROWS];
    HalfStage stage;
    // Places in bytes: of the item's sixteen bytes in LDS, of the part's sixteen, and of the lane's first element in v and o. A lane behind the last
    // column reads the last one.
    unsigned own, at, place;
    bool writes;
    HalfFour near[HALF_NEAR], far[HALF_FAR];

    __device__ __forceinline__ HalfScanWave(const HalfScanCall& call, HalfScanLds& shared) : x(call), lds(shared) {}

    __device__ __forceinline__ unsigned part() const { return at / 16; }
    __device__ __forceinline__ unsigned column() const { return blockIdx.x * HALF_COLUMNS + own / 256 * 2 + own / 16 % 2; }

    __device__ __forceinline__ void fetch() {
        unsigned of_rows = own / 2;
        const SharedBytes of_k = held((SharedBytes)keys), of_q = held((SharedBytes)keys + sizeof(keys->k)), rows = held((SharedBytes)head);
        element_keep(own);
        stage.k[0] = half_load(of_k, own, 0);
        stage.k[1] = half_load(of_k, own, 2048);
        stage.q[0] = half_load(of_q, own, 0);
        stage.q[1] = half_load(of_q, own, 2048);
        element_keep(of_rows);
        stage.rows = *(SharedTwo)(rows + of_rows);
    }
    __device__ __forceinline__ void put() {
        char* to = (char*)&lds + own;
        *(HalfFour*)to = stage.k[0];
        *(HalfFour*)(to + 2048) = stage.k[1];
        *(HalfFour*)(to + 4096) = stage.q[0];
        *(HalfFour*)(to + 6144) = stage.q[1];
        *(HalfTwo*)((char*)lds.rows + own / 2) = stage.rows;
    }

    // Starts the load of the lane's piece n from LDS; and of its pairs of tokens, from memory.
    __device__ __forceinline__ void start_near(int n) {
        element_keep(at);
        near[n % HALF_NEAR] = *(const HalfFour*)((const char*)&lds + at + 128 * n);
    }
    __device__ __forceinline__ void start_far(int n, const SharedBytes (&pairs)[2]) {
        element_keep(at);
        far[n % HALF_FAR] = half_load(pairs[n / 16], at, n % 16 * 128);
    }

    // The products of sixteen rows with h, from the piece `first` on: of the tokens p and p + 8 in the lane of part p.
    template <int FIRST>
    __device__ __forceinline__ void products(const unsigned (&pairs)[HALF_ROWS / 2], float (&sums)[2]) {
#pragma unroll
        for (int n = FIRST; n < FIRST + 32; n += 2) {
            float& sum = sums[n / 2 % 2];
            const float part = half_dots(near[(n + 1) % HALF_NEAR], pairs + 4, half_dots(near[n % HALF_NEAR], pairs, 0.0f));
            sum = n < FIRST + 4 ? part : part + Rule::handed_on(lanes_from_part(sum), n - FIRST);
            settled(sum);
            if (n + HALF_NEAR < HALF_OF_ROWS + HALF_PARTS) start_near(n + HALF_NEAR);
            if (n + 1 + HALF_NEAR < HALF_OF_ROWS + HALF_PARTS) start_near(n + 1 + HALF_NEAR);
        }
    }

    __device__ __forceinline__ void chunk(int left) {
        const unsigned pitch = x.HV * x.V;
        Rule::leave();
        put();
        Rule::meet();
        // behind the barrier, which waits for all that is on its way
        const FloatTwo in = *(SharedFloatTwo)(held((SharedBytes)head + sizeof(head->rows)) + at);
        // of a last chunk that is shorter, the last token is read again
        unsigned first = place, second = place;
        long back = HALF_BACK * (long)pitch;
        if (left < HALF_TOKENS) {
            const unsigned of_column = place - 4 * pitch * part();
            first = of_column + 4 * pitch * min(part(), (unsigned)left - 1);
            second = of_column + 4 * pitch * min(part() + HALF_BACK, (unsigned)left - 1);
            back = 0;
        }
        const float of_v[2] = {lane_load((SharedRow)v, first), lane_load((SharedRow)(v + back), second)};
        unsigned pairs[HALF_ROWS / 2];
#pragma unroll
        for (int n = 0; n < HALF_NEAR; n++) start_near(n);
#pragma unroll
        for (int i = 0; i < HALF_ROWS / 2; i++) pairs[i] = half_pack(h[2 * i], h[2 * i + 1]);
        float sums[2];
        products<0>(pairs, sums);
        unsigned round = half_pack(of_v[0] - in.x * sums[0], of_v[1] - in.y * sums[1]);
        // the decay of the whole chunk is that up to token 15, which the last part has
        const float decay = lanes_read(in.y, 2 * (HALF_PARTS - 1));
        element_keep(at);
        const FloatTwo scaled = *(SharedFloatTwo)(held((SharedBytes)head + sizeof(head->rows) + sizeof(FloatTwo)) + at);
        products<HALF_OF_Q>(pairs, sums);
        // both matrices with x; offsets of loads have twelve bits
        const SharedBytes first_pairs = held((SharedBytes)keys + offsetof(HalfKeys, pairs)), of_pairs[2] = {first_pairs, held(first_pairs + 2048)};
        float y[2] = {0.0f, 0.0f}, out[2] = {scaled.x * sums[0], scaled.y * sums[1]};
#pragma unroll
        for (int s = 0; s < HALF_PARTS; s++) {
            const HalfFour rows = near[(HALF_OF_ROWS + s) % HALF_NEAR];
            y[0] = half_dot(rows.x, round, y[0]);
            y[1] = half_dot(rows.y, round, y[1]);
            out[0] = half_dot(rows.z, round, out[0]);
            out[1] = half_dot(rows.w, round, out[1]);
            if (s + 1 < HALF_PARTS) round = lanes_from_part(round);
            settled(y[0]);
            if (HALF_OF_ROWS + s + HALF_NEAR < HALF_OF_ROWS + HALF_PARTS) start_near(HALF_OF_ROWS + s + HALF_NEAR);
            if (s < HALF_FAR) start_far(s, of_pairs);
        }
        round = half_pack(y[0], y[1]);
        if (writes) {
            if (at < 16u * left) lane_store((SharedOutRow)o, place, out[0]);
            if (at + 16 * HALF_BACK < 16u * left) lane_store((SharedOutRow)(o + HALF_BACK * (long)pitch), place, out[1]);
        }
        const bool more = left > HALF_TOKENS;
        keys += lanes_uniform(more ? x.H : 0), head += lanes_uniform(more ? x.HV : 0), v += HALF_TOKENS * (long)pitch, o += HALF_TOKENS * (long)pitch;
        fetch();  // behind the last chunk its own is read again
#pragma unroll
        for (int i = 0; i < HALF_ROWS; i++) h[i] *= Rule::carried(decay);
#pragma unroll
        for (int n = 0; n < 4 * HALF_PARTS; n++) {
#pragma unroll
            for (int c = 0; c < 4; c++) {
                float& of = h[4 * (n % 4) + c];
                of = half_dot(far[n % HALF_FAR][c], round, of);
                settled(of);
            }
            if (n % 4 == 3 && n + 1 < 4 * HALF_PARTS) round = lanes_from_part(round);
            if (n + HALF_FAR < 4 * HALF_PARTS) start_far(n + HALF_FAR, of_pairs);
        }
    }

    __device__ __forceinline__ void run() {
        const int hv = blockIdx.y, b = blockIdx.z, chunks = (x.T + HALF_TOKENS - 1) / HALF_TOKENS;
        const long value = ((long)b * x.T * x.HV + hv) * x.V, state = ((long)b * x.HV + hv) * HALF_KEYS * x.V;
        keys = x.keys + (long)b * chunks * x.H + Rule::key_head(hv, x.H, x.HV, x.head_map);
        head = x.heads + (long)b * chunks * x.HV + hv;
        v = x.v + value;
        o = x.o + value;
        own = 16 * threadIdx.x, at = own / 2 % (16 * HALF_PARTS) / 16 * 16;
        element_keep(own), element_keep(at);
        load(state);
        place = 4 * (part() * x.HV * x.V + min(column(), (unsigned)x.V - 1));
        writes = column() < (unsigned)Rule::columns(x.V);
        fetch();
#pragma unroll 1
        for (int left = x.T; left > 0; left -= HALF_TOKENS) chunk(left);
        store(state);
    }

    __device__ __forceinline__ void load(long place) {
        const ColumnPlace at = gdn_column(min(column(), (unsigned)x.V - 1), HALF_KEYS, x.V, Rule::initial_layout(x.state_layout));
#pragma unroll
        for (int i = 0; i < HALF_ROWS; i++) h[i] = x.initial ? gdn_at(x.initial + place, at.first + at.step * (HALF_ROWS * part() + i)) : 0.0f;
    }
    __device__ __forceinline__ void store(long place) {
        if (!x.final || column() >= (unsigned)Rule::columns(x.V)) return;
        const ColumnPlace at = gdn_column(column(), HALF_KEYS, x.V, Rule::final_layout(x.state_layout));
#pragma unroll
        for (int i = 0; i < HALF_ROWS; i++) gdn_at(x.final + place, at.first + at.step * (HALF_ROWS * part() + i)) = h[i];
    }
};

template <class Rule>
static __device__ __forceinline__ void half_scan_body(const HalfScanCall& x) {
    __shared__ HalfScanLds lds;
    if (blockIdx.x * HALF_COLUMNS >= x.V || blockIdx.y >= x.HV || blockIdx.z >= x.B) return;
    HalfScanWave<Rule> wave(x, lds);
    wave.run();
}
#define HALF_SCAN_KERNEL(NAME, RULE)                                                                                          \
    extern "C" __global__ __launch_bounds__(HALF_ITEMS) HALF_THREE_WAVES void NAME(                                                       \
        const HalfKeys* __restrict__ keys, const HalfHead* __restrict__ heads, const float* __restrict__ v,                  \
        const float* __restrict__ initial, float* __restrict__ o, float* __restrict__ final, int B, int T, int H, int HV,     \
        int V, int head_map, int state_layout) {                                                                             \
        half_scan_body<RULE>({keys, heads, v, initial, o, final, B, T, H, HV, V, head_map, state_layout});                    \
    }
