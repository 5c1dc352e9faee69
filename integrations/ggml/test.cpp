// Calls the drop-in with ggml's layouts and compares what it leaves with the recurrence in f64, computed here. One line a case.
//   test                 all cases; the exit code is 1 if a case failed
#include "gated_delta_net.h"

#include <cmath>
#include <cstdio>
#include <cstring>
#include <random>
#include <string>
#include <vector>

using deltanet::GatedDeltaNet;
using deltanet::Strides;

#define HIP(CALL)                                                                                      \
    do {                                                                                               \
        const hipError_t code = CALL;                                                                  \
        if (code != hipSuccess) {                                                                      \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #CALL, hipGetErrorString(code));    \
            exit(2);                                                                                   \
        }                                                                                              \
    } while (0)

enum class Layout {
    packed,    // tokens of [channels, heads]
    permuted,  // heads of [channels, tokens]
    joined,    // q, k and v are parts of one row of each token, as a convolution leaves them
    shared,    // packed, and all sequences have the same q and k
};

struct Case {
    const char* name;
    int64_t S, Hk, H, T, N;
    bool gate_per_key = false;
    int64_t snapshots = 1;
    Layout layout = Layout::packed;
    bool cache = false;      // states go to a cache, not behind the output
    double slowest = -1e-4;  // log gates are between these two
    double fastest = -20;
    bool in_place = false;   // states go where the first one is
    bool captured = false;   // the call is captured in a graph, which runs
};

// Memory of the device with guard elements on either side. What nobody has written holds a value that no other buffer has.
struct Buffer {
    static constexpr int64_t GUARD = 64;
    float* memory;
    int64_t size;
    float unwritten;

    explicit Buffer(int64_t size) : size(size) {
        static int buffers = 0;
        unwritten = -12345.0f - buffers++;
        HIP(hipMalloc(reinterpret_cast<void**>(&memory), (size + 2 * GUARD) * sizeof(float)));
        const std::vector<float> fill(size + 2 * GUARD, unwritten);
        HIP(hipMemcpy(memory, fill.data(), fill.size() * sizeof(float), hipMemcpyHostToDevice));
    }
    explicit Buffer(const std::vector<float>& values) : Buffer(static_cast<int64_t>(values.size())) {
        HIP(hipMemcpy(data(), values.data(), values.size() * sizeof(float), hipMemcpyHostToDevice));
    }
    Buffer(const Buffer&) = delete;
    ~Buffer() { HIP(hipFree(memory)); }

    float* data() const { return memory + GUARD; }
    std::vector<float> read() const {
        std::vector<float> all(size + 2 * GUARD);
        HIP(hipMemcpy(all.data(), memory, all.size() * sizeof(float), hipMemcpyDeviceToHost));
        for (int64_t i = 0; i < GUARD; i++) {
            if (all[i] != unwritten || all[GUARD + size + i] != unwritten) throw std::string("an element beside a buffer was written");
        }
        return std::vector<float>(all.begin() + GUARD, all.end() - GUARD);
    }
    // True if the elements from `from` to `to` of what was read hold what nobody has written.
    bool is_unwritten(const std::vector<float>& values, int64_t from, int64_t to) const {
        for (int64_t i = from; i < to; i++) {
            if (values[i] != unwritten) return false;
        }
        return true;
    }
};

// Values of a call on the host, contiguous and in ggml's order of axes.
struct Values {
    std::vector<float> q, k, v, g, beta, state;
};

double uniform(std::mt19937& random, double from, double to) { return from + (to - from) * (random() / 4294967296.0); }

std::vector<float> random_values(std::mt19937& random, int64_t size, double from, double to) {
    std::vector<float> values(size);
    for (float& value : values) value = static_cast<float>(uniform(random, from, to));
    return values;
}

void normalise(std::vector<float>& rows, int64_t S) {
    for (size_t row = 0; row < rows.size(); row += S) {
        double sum = 0;
        for (int64_t i = 0; i < S; i++) sum += double(rows[row + i]) * rows[row + i];
        for (int64_t i = 0; i < S; i++) rows[row + i] /= std::sqrt(sum);
    }
}

Values random_call(const Case& c, unsigned seed) {
    std::mt19937 random(seed);
    const int64_t sequences = c.layout == Layout::shared ? 1 : c.N;
    Values x;
    x.q = random_values(random, c.S * c.Hk * c.T * sequences, -1, 1);
    x.k = random_values(random, c.S * c.Hk * c.T * sequences, -1, 1);
    normalise(x.q, c.S);
    normalise(x.k, c.S);
    x.v = random_values(random, c.S * c.H * c.T * c.N, -1, 1);
    x.g = random_values(random, (c.gate_per_key ? c.S : 1) * c.H * c.T * c.N, c.fastest, c.slowest);
    x.beta = random_values(random, c.H * c.T * c.N, 0, 1);
    x.state = random_values(random, c.S * c.S * c.H * c.N, -1, 1);
    return x;
}

// Output, and the states after the last `snapshots` tokens, the newest first; a state without a token is left out.
struct Expected {
    std::vector<double> output;
    std::vector<std::vector<double>> states;
};

Expected recurrence(const Case& c, const Values& x) {
    const int64_t S = c.S, state_size = S * S * c.H * c.N;
    Expected expected;
    expected.output.resize(S * c.H * c.T * c.N);
    expected.states.assign(std::min(c.snapshots, c.T), std::vector<double>(state_size));
    for (int64_t n = 0; n < c.N; n++) {
        for (int64_t h = 0; h < c.H; h++) {
            const int64_t place = (n * c.H + h) * S * S;
            std::vector<double> state(x.state.begin() + place, x.state.begin() + place + S * S);
            for (int64_t t = 0; t < c.T; t++) {
                const int64_t token = n * c.T + t, gate = token * c.H + h;
                const int64_t key = (((c.layout == Layout::shared ? 0 : n) * c.T + t) * c.Hk + h % c.Hk) * S;
                for (int64_t column = 0; column < S; column++) {
                    double* s = &state[column * S];
                    double read = 0, output = 0;
                    for (int64_t i = 0; i < S; i++) {
                        s[i] *= std::exp(double(c.gate_per_key ? x.g[gate * S + i] : x.g[gate]));
                        read += s[i] * x.k[key + i];
                    }
                    const double change = x.beta[gate] * (x.v[gate * S + column] - read);
                    for (int64_t i = 0; i < S; i++) {
                        s[i] += x.k[key + i] * change;
                        output += s[i] * x.q[key + i];
                    }
                    expected.output[gate * S + column] = output / std::sqrt(double(S));
                }
                const int64_t slot = c.T - 1 - t;
                if (slot < c.snapshots) std::copy(state.begin(), state.end(), expected.states[slot].begin() + place);
            }
        }
    }
    return expected;
}

// The elements of a tensor [S, heads, T, N] at the places that strides name, in `memory` from `first` on.
void scatter(std::vector<float>& memory, const std::vector<float>& values, int64_t S, int64_t heads, int64_t T, const Strides& strides, int64_t first) {
    for (size_t at = 0; at < values.size(); at += S) {
        const int64_t row = at / S, head = row % heads, token = row / heads % T, sequence = row / heads / T;
        const int64_t place = first + head * strides.head + token * strides.token + sequence * strides.sequence;
        std::copy(values.begin() + at, values.begin() + at + S, memory.begin() + place);
    }
}

// The largest error and the relative RMS, each by its tolerance (docs/the-rule.md, "Tolerances"): at most 1 in both.
double worst(const float* got, const std::vector<double>& expected) {
    double largest_error = 0, largest = 1, errors = 0, squares = 0;
    for (size_t i = 0; i < expected.size(); i++) {
        const double error = std::abs(got[i] - expected[i]);
        if (!(error <= 1e30)) return INFINITY;
        largest_error = std::max(largest_error, error);
        largest = std::max(largest, std::abs(expected[i]));
        errors += error * error;
        squares += expected[i] * expected[i];
    }
    return std::max(largest_error / largest, std::sqrt(errors / squares)) / 1e-5;
}

// Ends the capture of a stream and starts its graph there.
void run_capture(hipStream_t stream) {
    hipGraph_t graph;
    hipGraphExec_t executable;
    HIP(hipStreamEndCapture(stream, &graph));
    HIP(hipGraphInstantiate(&executable, graph, nullptr, nullptr, 0));
    HIP(hipGraphLaunch(executable, stream));
    HIP(hipStreamSynchronize(stream));
    HIP(hipGraphExecDestroy(executable));
    HIP(hipGraphDestroy(graph));
}

// Throws a sentence if the drop-in declines the call or leaves something wrong; otherwise returns the part of the tolerance that is used.
double run(const Case& c, unsigned seed) {
    const Values x = random_call(c, seed);
    const Expected expected = recurrence(c, x);
    const int64_t state_size = c.S * c.S * c.H * c.N, output_size = c.S * c.H * c.T * c.N;

    Strides keys{c.S, c.S * c.Hk, c.S * c.Hk * c.T}, values{c.S, c.S * c.H, c.S * c.H * c.T};
    int64_t k_first = c.S * c.Hk * c.T * c.N, v_first = 2 * k_first, inputs_size = v_first + output_size;
    if (c.layout == Layout::permuted) {
        keys = {c.S * c.T, c.S, c.S * c.Hk * c.T};
        values = {c.S * c.T, c.S, c.S * c.H * c.T};
    } else if (c.layout == Layout::joined) {
        const int64_t row = c.S * (2 * c.Hk + c.H);
        keys = values = {c.S, row, row * c.T};
        k_first = c.S * c.Hk;
        v_first = 2 * k_first;
    } else if (c.layout == Layout::shared) {
        keys.sequence = 0;
    }
    std::vector<float> inputs_memory(inputs_size, NAN);
    scatter(inputs_memory, x.q, c.S, c.Hk, c.T, keys, 0);
    scatter(inputs_memory, x.k, c.S, c.Hk, c.T, keys, k_first);
    scatter(inputs_memory, x.v, c.S, c.H, c.T, values, v_first);
    const Buffer inputs(inputs_memory), g(x.g), beta(x.beta), state(x.state), dst(output_size + c.snapshots * state_size);
    // Between two slots of a cache stands what belongs to others.
    const int64_t snapshot_stride = c.cache ? state_size + 3 * c.S : state_size;
    const Buffer cache(c.snapshots * snapshot_stride);

    GatedDeltaNet call{};
    call.S = c.S, call.Hk = c.Hk, call.H = c.H, call.T = c.T, call.N = c.N, call.snapshots = c.snapshots, call.gate_per_key = c.gate_per_key;
    call.q = inputs.data(), call.k = inputs.data() + k_first, call.v = inputs.data() + v_first;
    call.g = g.data(), call.beta = beta.data(), call.state = state.data(), call.dst = dst.data();
    call.states = c.in_place ? state.data() : c.cache ? cache.data() : dst.data() + output_size;
    call.snapshot_stride = c.cache && c.snapshots == 1 ? 0 : snapshot_stride;
    call.keys = keys, call.values = values;
    hipStream_t stream;
    HIP(hipStreamCreate(&stream));
    if (c.captured) HIP(hipStreamBeginCapture(stream, hipStreamCaptureModeRelaxed));
    if (!deltanet::start(call, stream)) throw std::string("the call was declined");
    if (c.captured) run_capture(stream);
    HIP(hipStreamSynchronize(stream));
    HIP(hipStreamDestroy(stream));

    const std::vector<float> written = dst.read(), cached = cache.read(), stepped = state.read();
    double used = worst(written.data(), expected.output);
    if (used > 1) throw "the output is off by " + std::to_string(used) + " tolerances";
    for (size_t slot = 0; slot < expected.states.size(); slot++) {
        const float* got = c.in_place ? stepped.data() : c.cache ? &cached[slot * snapshot_stride] : &written[output_size + slot * state_size];
        const double of_state = worst(got, expected.states[slot]);
        if (of_state > 1) throw "state " + std::to_string(slot) + " is off by " + std::to_string(of_state) + " tolerances";
        used = std::max(used, of_state);
        if (c.cache && !cache.is_unwritten(cached, slot * snapshot_stride + state_size, (slot + 1) * snapshot_stride)) throw std::string("written between two slots");
    }
    const int64_t slots = expected.states.size();
    if (!dst.is_unwritten(written, output_size + slots * state_size, written.size())) throw std::string("a slot without a token was written");
    if (!cache.is_unwritten(cached, c.cache ? slots * snapshot_stride : 0, cached.size())) throw std::string("a slot of the cache was written without a token");
    const Buffer* read_only[] = {&inputs, &g, &beta, &state};
    const std::vector<float>* before[] = {&inputs_memory, &x.g, &x.beta, &x.state};
    for (int i = 0; i < (c.in_place ? 3 : 4); i++) {
        if (memcmp(read_only[i]->read().data(), before[i]->data(), before[i]->size() * sizeof(float))) throw std::string("an input was written");
    }
    return used;
}

// True if the drop-in declines a call, writes nothing and leaves no error for the engine to find.
bool declines(void (*change)(GatedDeltaNet&)) {
    const Buffer memory(64 * 1024);
    GatedDeltaNet call{};
    call.S = 32, call.Hk = call.H = call.T = call.N = call.snapshots = 1;
    call.q = call.k = call.v = call.g = call.beta = call.state = memory.data();
    call.dst = memory.data() + 8 * 1024, call.states = call.dst + 32;
    call.keys = call.values = {32, 32, 32};
    change(call);
    if (deltanet::start(call, nullptr)) return false;
    HIP(hipDeviceSynchronize());
    return hipGetLastError() == hipSuccess && memory.is_unwritten(memory.read(), 0, memory.size);
}

// True if the drop-in declines a call that is captured before it has loaded the kernels, and the capture goes on.
bool declines_first_capture() {
    hipStream_t stream;
    hipGraph_t graph;
    HIP(hipStreamCreate(&stream));
    HIP(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
    GatedDeltaNet call{};
    call.S = 32, call.Hk = call.H = call.T = call.N = call.snapshots = 1;
    const bool started = deltanet::start(call, stream);
    HIP(hipStreamEndCapture(stream, &graph));
    HIP(hipGraphDestroy(graph));
    HIP(hipStreamDestroy(stream));
    return !started;
}

int main() {
    int failed = !declines_first_capture();
    printf("%-62s %s\n", "declines a capture before the kernels are loaded", failed ? "FAIL" : "ok");
    const Case cases[] = {
        {"Qwen3-Next, a token", 128, 16, 32, 1, 1},
        {"Qwen3-Next, a token, state to the cache", 128, 16, 32, 1, 1, false, 1, Layout::joined, true, 0, -0.1},
        {"Qwen3-Next, a token of three sequences, states to the cache", 128, 16, 32, 1, 3, false, 1, Layout::joined, true, 0, -0.1},
        {"Qwen3-Next, 70 tokens, joined, state to the cache", 128, 16, 32, 70, 1, false, 1, Layout::joined, true, 0, -0.1},
        {"packed, two sequences, states to the cache", 128, 2, 4, 9, 2, false, 1, Layout::packed, true, 0, -2},
        {"one head, 127 tokens", 64, 1, 1, 127, 1},
        {"one key head, three value heads", 64, 1, 3, 5, 2, false, 1, Layout::joined},
        {"as many value heads as key heads", 128, 4, 4, 65, 1, false, 1, Layout::packed, false, 0, -0.01},
        {"four value heads for each key head", 32, 2, 8, 6, 2},
        {"S = 16", 16, 4, 4, 2, 2},
        {"S = 64, joined, state to the cache", 64, 2, 4, 66, 1, false, 1, Layout::joined, true, 0, -0.1},
        {"S = 40, packed, states to the cache", 40, 2, 4, 5, 2, false, 1, Layout::packed, true, 0, -1},
        {"S = 72, packed, states to the cache", 72, 2, 4, 5, 2, false, 1, Layout::packed, true, 0, -1},
        {"S = 32, permuted", 32, 4, 8, 7, 2, false, 1, Layout::permuted},
        {"S = 64, permuted", 64, 4, 4, 4, 2, false, 1, Layout::permuted},
        {"S = 128, permuted", 128, 2, 4, 33, 2, false, 1, Layout::permuted, false, 0, -1},
        {"S = 128, q and k of one sequence for all", 128, 2, 4, 3, 3, false, 1, Layout::shared},
        {"S = 256", 256, 1, 2, 3, 1, false, 1, Layout::packed, true, 0, -1},
        {"S = 80, which no tile fills", 80, 2, 4, 5, 2, false, 2, Layout::joined},
        {"gates of key channels, S = 16", 16, 4, 4, 4, 2, true},
        {"gates of key channels, S = 64, permuted", 64, 4, 4, 4, 2, true, 1, Layout::permuted},
        {"gates of key channels, S = 128, joined", 128, 2, 4, 66, 1, true, 1, Layout::joined, false, 0, -0.1},
        {"gates of key channels, state to the cache", 128, 2, 2, 5, 2, true, 1, Layout::packed, true, 0, -1},
        {"four snapshots of 16 tokens", 64, 4, 4, 16, 2, false, 4, Layout::packed, false, 0, -1},
        {"four snapshots of four tokens, S = 128", 128, 8, 8, 4, 1, false, 4, Layout::packed, false, 0, -1},
        {"four snapshots of two tokens, to a cache", 128, 2, 4, 2, 2, false, 4, Layout::joined, true, 0, -1},
        {"a token, the state in place", 128, 16, 32, 1, 1, false, 1, Layout::packed, true, 0, -0.1, true},
        {"three tokens of two sequences, joined, states in place", 128, 2, 4, 3, 2, false, 1, Layout::joined, true, 0, -0.1, true},
        {"a token, captured in a graph", 128, 16, 32, 1, 1, false, 1, Layout::packed, true, 0, -0.1, false, true},
        {"two tokens with two snapshots, captured in a graph", 128, 2, 4, 2, 2, false, 2, Layout::joined, true, 0, -0.1, false, true},
        {"three snapshots of gates of key channels", 32, 4, 8, 8, 2, true, 3, Layout::packed, false, 0, -1},
    };
    unsigned seed = 1;
    for (const Case& c : cases) {
        std::string verdict;
        try {
            char used[32];
            snprintf(used, sizeof used, "ok   %3.0f %% of the tolerance", 100 * run(c, seed++));
            verdict = used;
        } catch (const std::string& why) {
            verdict = "FAIL " + why;
            failed++;
        }
        printf("%-62s %s\n", c.name, verdict.c_str());
    }
    const struct {
        const char* name;
        void (*change)(GatedDeltaNet&);
    } declined[] = {
        {"declines heads of 257 channels", [](GatedDeltaNet& x) { x.S = 257; }},
        {"declines a call without tokens", [](GatedDeltaNet& x) { x.T = 0; }},
        {"declines a call without key heads", [](GatedDeltaNet& x) { x.Hk = 0; }},
        {"declines more sequences than a grid has", [](GatedDeltaNet& x) { x.N = 65536; }},
        {"declines a call without a state to leave", [](GatedDeltaNet& x) { x.snapshots = 0; }},
    };
    for (const auto& d : declined) {
        const bool right = declines(d.change);
        failed += !right;
        printf("%-62s %s\n", d.name, right ? "ok" : "FAIL");
    }
    printf(failed ? "%d cases failed\n" : "all cases passed\n", failed);
    return failed != 0;
}
