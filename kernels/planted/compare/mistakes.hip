// The recurrence by a wave a column, with one mistake of those that authors make in one line each.
#pragma once
#include "../../compare/wave_column.hip"

enum class Mistake {
    GateLogarithm, GateSquared, GateOfTokenBefore, GateOfTokenAfter, GateOfKeyHead, GateEverySecondToken, GateClamped, GateInverted,
    BetaSigmoid, BetaSquared, BetaOfTokenBefore, BetaOfKeyHead, BetaDoubled, BetaLastTokenForgotten, BetaRounded,
    KeyOfTokenBefore, KeyReversed, KeyLastChannelForgotten, KeyUpperHalfForgotten, KeyRounded, KeyHeadZero, KeyAbsolute,
    QueryOfTokenAfter, QueryHeadZero, QueryForKey, KeyForQuery, QueryScaledTwice,
    ValueOfTokenBefore, ValueOfKeyHead, ValueRectified, ValueAdded, ValueSign,
    PredictionUndecayed, PredictionMissing, PredictionSign, PredictionRounded, BetaOnPredictionOnly, BetaOnValueOnly,
    DecayNotKept, DecayAfterUpdate, StateRounded, OutputBeforeUpdate,
    InitialIgnored, InitialOfHeadZero, InitialOfSequenceZero, InitialRounded,
    ScaleOfValueChannels, OutputRounded, OutputLastTokenZero, OutputHeadsOutermost, FinalOfTokenBefore, FinalHeadsReversed,
};

static __device__ __forceinline__ float to_bf16(float x) {
    const unsigned bits = __float_as_uint(x);
    return __uint_as_float((bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000);
}
static __device__ __forceinline__ float to_f16(float x) { return (float)(_Float16)x; }

// The token whose element is read, by a distance that a mistake makes; the sequence's ends stand for what lies outside.
static __device__ __forceinline__ long token_at(int token, int distance, int tokens) {
    return min(max(token + distance, 0), tokens - 1);
}

template <Mistake M>
static __device__ __forceinline__ void mistaken_body(const WaveColumnCall& x) {
    constexpr int K = WAVE_COLUMN_KEYS, ROWS = K / WAVE;
    constexpr auto is = [](Mistake mistake) { return M == mistake; };
    const int lane = threadIdx.x, hv = blockIdx.x, b = blockIdx.y;
    const int column = blockIdx.z * WAVE_COLUMN_WAVES + threadIdx.y;
    if (hv >= x.HV || b >= x.B || column >= x.V) return;
    const int h = gdn_head(hv, x.H, x.HV, x.head_map);
    const long size = (long)K * x.V, place = ((long)b * x.HV + hv) * size;
    const long tokens = (long)b * x.T;

    float s[ROWS];
    const ColumnPlace at = gdn_column(column, K, x.V, x.state_layout);
    long from = place;
    if (is(Mistake::InitialOfHeadZero)) from = (long)b * x.HV * size;
    if (is(Mistake::InitialOfSequenceZero)) from = hv * size;
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        s[r] = x.initial ? gdn_at(x.initial + from, at.first + (lane + r * WAVE) * at.step) : 0.0f;
        if (is(Mistake::InitialIgnored)) s[r] = 0.0f;
        if (is(Mistake::InitialRounded)) s[r] = to_bf16(s[r]);
    }
    for (int token = 0; token < x.T; token++) {
        const bool last = token + 1 == x.T;
        const long before = tokens + token_at(token, -1, x.T), after = tokens + token_at(token, 1, x.T);
        const long row = tokens + token, value = row * x.HV + hv;

        long gate = value;
        if (is(Mistake::GateOfTokenBefore)) gate = before * x.HV + hv;
        if (is(Mistake::GateOfTokenAfter)) gate = after * x.HV + hv;
        if (is(Mistake::GateOfKeyHead)) gate = row * x.HV + h;
        float alpha = gdn_decay(x.g[gate], x.gate_kind);
        if (is(Mistake::GateLogarithm)) alpha = x.g[gate];
        if (is(Mistake::GateSquared)) alpha *= alpha;
        if (is(Mistake::GateEverySecondToken) && token % 2) alpha = 1.0f;
        if (is(Mistake::GateClamped)) alpha = fmaxf(alpha, 0.75f);
        if (is(Mistake::GateInverted)) alpha = 1.0f - alpha;

        long strength = value;
        if (is(Mistake::BetaOfTokenBefore)) strength = before * x.HV + hv;
        if (is(Mistake::BetaOfKeyHead)) strength = row * x.HV + h;
        float beta = x.beta[strength];
        if (is(Mistake::BetaSigmoid)) beta = 1.0f / (1.0f + expf(-beta));
        if (is(Mistake::BetaSquared)) beta *= beta;
        if (is(Mistake::BetaDoubled)) beta *= 2.0f;
        if (is(Mistake::BetaLastTokenForgotten) && last) beta = 1.0f;
        if (is(Mistake::BetaRounded)) beta = to_bf16(beta);

        long key_row = row, query_row = row;
        if (is(Mistake::KeyOfTokenBefore)) key_row = before;
        if (is(Mistake::QueryOfTokenAfter)) query_row = after;
        const float* keys = x.k + (key_row * x.H + (is(Mistake::KeyHeadZero) ? 0 : h)) * K;
        const float* queries = x.q + (query_row * x.H + (is(Mistake::QueryHeadZero) ? 0 : h)) * K;
        float k[ROWS], q[ROWS], read = 0.0f, out = 0.0f;
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            const int channel = lane + r * WAVE;
            k[r] = keys[is(Mistake::KeyReversed) ? K - 1 - channel : channel];
            q[r] = queries[channel];
            if (is(Mistake::KeyLastChannelForgotten) && channel == K - 1) k[r] = 0.0f;
            if (is(Mistake::KeyUpperHalfForgotten) && channel >= K / 2) k[r] = 0.0f;
            if (is(Mistake::KeyRounded)) k[r] = to_bf16(k[r]);
            if (is(Mistake::KeyAbsolute)) k[r] = fabsf(k[r]);
            if (is(Mistake::KeyForQuery)) q[r] = k[r];
            read += s[r] * (is(Mistake::QueryForKey) ? q[r] : k[r]);
        }

        long from_value = value;
        if (is(Mistake::ValueOfTokenBefore)) from_value = before * x.HV + hv;
        if (is(Mistake::ValueOfKeyHead)) from_value = row * x.HV + h;
        float v = x.v[from_value * x.V + column];
        if (is(Mistake::ValueRectified)) v = fmaxf(v, 0.0f);
        if (is(Mistake::ValueSign)) v = -v;

        float held = wave_column_sum<WaveColumnRule>(read);
        if (!is(Mistake::PredictionUndecayed)) held *= alpha;
        if (is(Mistake::PredictionMissing)) held = 0.0f;
        if (is(Mistake::PredictionSign)) held = -held;
        if (is(Mistake::PredictionRounded)) held = to_bf16(held);
        float error = (v - held) * beta;
        if (is(Mistake::BetaOnPredictionOnly)) error = v - held * beta;
        if (is(Mistake::BetaOnValueOnly)) error = v * beta - held;

        float unwritten = 0.0f;
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            unwritten += alpha * s[r] * q[r];
            if (is(Mistake::DecayAfterUpdate)) {
                s[r] = alpha * (s[r] + k[r] * error);
            } else {
                s[r] = (is(Mistake::DecayNotKept) ? 1.0f : alpha) * s[r] + k[r] * error;
            }
            if (is(Mistake::StateRounded)) s[r] = to_f16(s[r]);
            out += s[r] * q[r];
        }
        out = wave_column_sum<WaveColumnRule>(is(Mistake::OutputBeforeUpdate) ? unwritten : out);

        float scale = x.scale;
        if (is(Mistake::ScaleOfValueChannels)) scale = rsqrtf(x.V);
        if (is(Mistake::QueryScaledTwice)) scale *= x.scale;
        out *= scale;
        if (is(Mistake::ValueAdded)) out += v;
        if (is(Mistake::OutputRounded)) out = to_bf16(out);
        if (is(Mistake::OutputLastTokenZero) && last) out = 0.0f;
        long to = value * x.V;
        if (is(Mistake::OutputHeadsOutermost)) to = (((long)b * x.HV + hv) * x.T + token) * x.V;
        if (lane == 0) x.o[to + column] = out;
        if (is(Mistake::FinalOfTokenBefore) && last && x.T > 1) return;
        if (is(Mistake::FinalOfTokenBefore) && x.final && (token + 2 == x.T || x.T == 1)) {
#pragma unroll
            for (int r = 0; r < ROWS; r++) gdn_at(x.final + place, at.first + (lane + r * WAVE) * at.step) = s[r];
        }
    }
    if (!x.final || is(Mistake::FinalOfTokenBefore)) return;
    const long kept = is(Mistake::FinalHeadsReversed) ? ((long)b * x.HV + (x.HV - 1 - hv)) * size : place;
#pragma unroll
    for (int r = 0; r < ROWS; r++) gdn_at(x.final + kept, at.first + (lane + r * WAVE) * at.step) = s[r];
}

#define MISTAKEN_KERNEL(NAME, MISTAKE)                                                                               \
    extern "C" __global__ __launch_bounds__(WAVE * WAVE_COLUMN_WAVES) void planted_wave_column_##NAME(               \
        const float* q, const float* k, const float* v, const float* g, const float* beta, const float* initial,     \
        float* o, float* final, int B, int T, int H, int HV, int V, float scale, int head_map, int state_layout,     \
        int gate_kind) {                                                                                             \
        mistaken_body<Mistake::MISTAKE>(                                                                             \
            {q, k, v, g, beta, initial, o, final, B, T, H, HV, V, scale, head_map, state_layout, gate_kind});        \
    }

MISTAKEN_KERNEL(gate_logarithm, GateLogarithm)
MISTAKEN_KERNEL(gate_squared, GateSquared)
MISTAKEN_KERNEL(gate_of_token_before, GateOfTokenBefore)
MISTAKEN_KERNEL(gate_of_token_after, GateOfTokenAfter)
MISTAKEN_KERNEL(gate_of_key_head, GateOfKeyHead)
MISTAKEN_KERNEL(gate_every_second_token, GateEverySecondToken)
MISTAKEN_KERNEL(gate_clamped, GateClamped)
MISTAKEN_KERNEL(gate_inverted, GateInverted)
MISTAKEN_KERNEL(beta_sigmoid, BetaSigmoid)
MISTAKEN_KERNEL(beta_squared, BetaSquared)
MISTAKEN_KERNEL(beta_of_token_before, BetaOfTokenBefore)
MISTAKEN_KERNEL(beta_of_key_head, BetaOfKeyHead)
MISTAKEN_KERNEL(beta_doubled, BetaDoubled)
MISTAKEN_KERNEL(beta_last_token_forgotten, BetaLastTokenForgotten)
MISTAKEN_KERNEL(beta_rounded, BetaRounded)
MISTAKEN_KERNEL(key_of_token_before, KeyOfTokenBefore)
MISTAKEN_KERNEL(key_reversed, KeyReversed)
MISTAKEN_KERNEL(key_last_channel_forgotten, KeyLastChannelForgotten)
MISTAKEN_KERNEL(key_upper_half_forgotten, KeyUpperHalfForgotten)
MISTAKEN_KERNEL(key_rounded, KeyRounded)
MISTAKEN_KERNEL(key_head_zero, KeyHeadZero)
MISTAKEN_KERNEL(key_absolute, KeyAbsolute)
MISTAKEN_KERNEL(query_of_token_after, QueryOfTokenAfter)
MISTAKEN_KERNEL(query_head_zero, QueryHeadZero)
MISTAKEN_KERNEL(query_for_key, QueryForKey)
MISTAKEN_KERNEL(key_for_query, KeyForQuery)
MISTAKEN_KERNEL(query_scaled_twice, QueryScaledTwice)
MISTAKEN_KERNEL(value_of_token_before, ValueOfTokenBefore)
MISTAKEN_KERNEL(value_of_key_head, ValueOfKeyHead)
MISTAKEN_KERNEL(value_rectified, ValueRectified)
MISTAKEN_KERNEL(value_added, ValueAdded)
MISTAKEN_KERNEL(value_sign, ValueSign)
MISTAKEN_KERNEL(prediction_undecayed, PredictionUndecayed)
MISTAKEN_KERNEL(prediction_missing, PredictionMissing)
MISTAKEN_KERNEL(prediction_sign, PredictionSign)
MISTAKEN_KERNEL(prediction_rounded, PredictionRounded)
MISTAKEN_KERNEL(beta_on_prediction_only, BetaOnPredictionOnly)
MISTAKEN_KERNEL(beta_on_value_only, BetaOnValueOnly)
MISTAKEN_KERNEL(decay_not_kept, DecayNotKept)
MISTAKEN_KERNEL(decay_after_update, DecayAfterUpdate)
MISTAKEN_KERNEL(state_rounded, StateRounded)
MISTAKEN_KERNEL(output_before_update, OutputBeforeUpdate)
MISTAKEN_KERNEL(initial_ignored, InitialIgnored)
MISTAKEN_KERNEL(initial_of_head_zero, InitialOfHeadZero)
MISTAKEN_KERNEL(initial_of_sequence_zero, InitialOfSequenceZero)
MISTAKEN_KERNEL(initial_rounded, InitialRounded)
MISTAKEN_KERNEL(scale_of_value_channels, ScaleOfValueChannels)
MISTAKEN_KERNEL(output_rounded, OutputRounded)
MISTAKEN_KERNEL(output_last_token_zero, OutputLastTokenZero)
MISTAKEN_KERNEL(output_heads_outermost, OutputHeadsOutermost)
MISTAKEN_KERNEL(final_of_token_before, FinalOfTokenBefore)
MISTAKEN_KERNEL(final_heads_reversed, FinalHeadsReversed)
