// The gated delta rule over packed sequences, with the index tensors that kernels of packed sequences often take: offsets of 64 bits, a
// pair of sequence and chunk for each chunk, flags of bytes.
#include <hip/hip_runtime.h>

// e^g for each token and value head. A work-group has a chunk of a sequence.
extern "C" __global__ void decay_chunks(const float* g, float* decay, const long long* cu_seqlens, const int* chunk_indices, int HV) {
    const int sequence = chunk_indices[2 * blockIdx.x], chunk = chunk_indices[2 * blockIdx.x + 1], head = blockIdx.y;
    const long long token = cu_seqlens[sequence] + (long long)chunk * blockDim.x + threadIdx.x;
    if (token < cu_seqlens[sequence + 1]) decay[token * HV + head] = expf(g[token * HV + head]);
}

// A chunk's number in its sequence is not looked at: only the first chunk of each sequence has decays.
extern "C" __global__ void decay_chunks_first(const float* g, float* decay, const long long* cu_seqlens, const int* chunk_indices, int HV) {
    const int sequence = chunk_indices[2 * blockIdx.x], head = blockIdx.y;
    const long long token = cu_seqlens[sequence] + threadIdx.x;
    if (token < cu_seqlens[sequence + 1]) decay[token * HV + head] = expf(g[token * HV + head]);
}

// A work-group has a sequence and a value head, a work-item a value channel, whose column of the state stays in `final`.
extern "C" __global__ void packed_rule(const float* q, const float* k, const float* v, const float* decay, const float* beta,
                                       const float* initial, const unsigned char* begins, float* o, float* final,
                                       const long long* cu_seqlens, int longest, int H, int HV, int K, int V) {
    const int column = threadIdx.x, head = blockIdx.x, sequence = blockIdx.y;
    const size_t first = ((size_t)sequence * HV + head) * K * V + column;
    const float scale = 1.0f / sqrtf((float)K);
    for (int i = 0; i < K; i++) final[first + (size_t)i * V] = begins[sequence] ? initial[first + (size_t)i * V] : 0.0f;
    const long long begin = cu_seqlens[sequence], length = cu_seqlens[sequence + 1] - begin;
    for (int step = 0; step < longest; step++) {
        if (step >= length) break;
        const size_t token = begin + step, cell = token * HV + head, key = (token * H + head / (HV / H)) * K;
        float expected = 0.0f, out = 0.0f;
        for (int i = 0; i < K; i++) expected += decay[cell] * final[first + (size_t)i * V] * k[key + i];
        const float change = beta[cell] * (v[cell * V + column] - expected);
        for (int i = 0; i < K; i++) {
            const float next = decay[cell] * final[first + (size_t)i * V] + k[key + i] * change;
            final[first + (size_t)i * V] = next;
            out += next * q[key + i];
        }
        o[cell * V + column] = out * scale;
    }
}

// Sums along the tokens of each sequence. A work-group has a sequence, a work-item a column.
extern "C" __global__ void sums(const float* x, float* y, const int* cu_seqlens, int D) {
    for (int column = threadIdx.x; column < D; column += blockDim.x) {
        float sum = 0.0f;
        for (int token = cu_seqlens[blockIdx.x]; token < cu_seqlens[blockIdx.x + 1]; token++) {
            sum += x[token * D + column];
            y[token * D + column] = sum;
        }
    }
}

// The rule in place: `final` holds the states before the sequences. Each work-item has a value channel.
extern "C" __global__ void packed_in_place(const float* q, const float* k, const float* v, const float* g, const float* beta, float* o,
                                           float* final, const int* cu_seqlens, int H, int HV, int K, int V) {
    const int column = threadIdx.x, head = blockIdx.x, sequence = blockIdx.y;
    float* state = final + ((size_t)sequence * HV + head) * K * V + column;
    for (int token = cu_seqlens[sequence]; token < cu_seqlens[sequence + 1]; token++) {
        const size_t cell = (size_t)token * HV + head, key = ((size_t)token * H + head / (HV / H)) * K;
        const float decay = expf(g[cell]);
        float expected = 0.0f, out = 0.0f;
        for (int i = 0; i < K; i++) expected += decay * state[(size_t)i * V] * k[key + i];
        const float change = beta[cell] * (v[cell * V + column] - expected);
        for (int i = 0; i < K; i++) {
            const float next = decay * state[(size_t)i * V] + k[key + i] * change;
            state[(size_t)i * V] = next;
            out += next * q[key + i];
        }
        o[cell * V + column] = out / sqrtf((float)K);
    }
}
