// The kernels stand in the code object kernels/built/deltanet.co, whose path the build gives as DELTANET_CODE_OBJECT.
#include "gated_delta_net.h"

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

asm(".section .rodata\n"
    ".balign 4096\n"
    ".hidden deltanet_code_object\n"
    ".global deltanet_code_object\n"
    "deltanet_code_object:\n"
    ".incbin \"" DELTANET_CODE_OBJECT "\"\n"
    ".previous\n");
extern "C" __attribute__((visibility("hidden"))) const char deltanet_code_object[];

namespace deltanet {
namespace {

// True if a HIP call succeeded. Otherwise its error is printed, and cleared, because an engine that asks for the last error would take it for
// that of its own kernel.
bool succeeded(hipError_t code, const char* call) {
    if (code == hipSuccess) return true;
    fprintf(stderr, "deltanet: %s: %s\n", call, hipGetErrorString(code));
    (void)hipGetLastError();
    return false;
}
#define SUCCEEDED(CALL) succeeded(CALL, #CALL)

struct Kernels {
    hipFunction_t scan_128, scan_any, scan_keys_128, scan_keys_any;  // any strides; states behind the output
    hipFunction_t packed_128, packed_64, packed_any64, packed_any;   // packed tensors; one state, anywhere
};

bool load(Kernels& kernels) {
    hipModule_t module;
    if (!SUCCEEDED(hipModuleLoadData(&module, deltanet_code_object))) return false;
    return SUCCEEDED(hipModuleGetFunction(&kernels.scan_128, module, "ggml_scan_f32_128x8")) &&
           SUCCEEDED(hipModuleGetFunction(&kernels.scan_any, module, "ggml_scan_f32_any256")) &&
           SUCCEEDED(hipModuleGetFunction(&kernels.scan_keys_128, module, "ggml_scan_keys_f32_128x8")) &&
           SUCCEEDED(hipModuleGetFunction(&kernels.scan_keys_any, module, "ggml_scan_keys_f32_any256")) &&
           SUCCEEDED(hipModuleGetFunction(&kernels.packed_128, module, "gdn_scan_f32_128x8")) &&
           SUCCEEDED(hipModuleGetFunction(&kernels.packed_64, module, "gdn_scan_f32_64x8")) &&
           SUCCEEDED(hipModuleGetFunction(&kernels.packed_any64, module, "gdn_scan_f32_any64")) &&
           SUCCEEDED(hipModuleGetFunction(&kernels.packed_any, module, "gdn_scan_f32_any256"));
}

// The current device's kernels, or null if it has none. They are loaded at the device's first call, and stay.
const Kernels* kernels_of_device(hipStream_t stream) {
    static std::mutex mutex;
    static std::map<int, const Kernels*> loaded;
    int device;
    if (!SUCCEEDED(hipGetDevice(&device))) return nullptr;
    std::lock_guard<std::mutex> lock(mutex);
    const auto found = loaded.find(device);
    if (found != loaded.end()) return found->second;
    // A capture of a graph must not meet the load of a module. The engine's kernel is captured.
    hipStreamCaptureStatus capture;
    if (!SUCCEEDED(hipStreamIsCapturing(stream, &capture)) || capture != hipStreamCaptureStatusNone) return nullptr;
    Kernels* kernels = new Kernels;
    if (!load(*kernels)) {
        delete kernels;
        kernels = nullptr;
    }
    fprintf(stderr, "deltanet: device %d %s\n", device, kernels ? "has the kernels" : "cannot load the kernels; the engine's own run");
    loaded[device] = kernels;
    return kernels;
}

bool is_off() {
    static const bool off = [] {
        const char* setting = getenv("DELTANET_GGML");
        return setting && !strcmp(setting, "off");
    }();
    return off;
}

// True if the kernels can address the call: sizes that fit their arguments and the grid.
bool takes(const GatedDeltaNet& x) {
    const int64_t grid_limit = 65535;
    return x.S >= 1 && x.S <= 256 && x.Hk >= 1 && x.H >= 1 && x.H <= grid_limit && x.T >= 1 && x.T <= INT_MAX && x.N >= 1 && x.N <= grid_limit &&
           x.Hk <= INT_MAX && x.snapshots >= 1 && x.snapshots <= INT_MAX;
}

// True if a tensor's elements follow one another. The stride of an axis of one element does not matter.
bool is_packed(const Strides& strides, int64_t S, int64_t heads, int64_t T, int64_t N) {
    return (heads == 1 || strides.head == S) && (T == 1 || strides.token == S * heads) && (N == 1 || strides.sequence == S * heads * T);
}

bool launch(hipFunction_t kernel, const GatedDeltaNet& x, int columns_of_a_wave, void** arguments, hipStream_t stream) {
    const unsigned waves = (x.S + columns_of_a_wave - 1) / columns_of_a_wave;
    return SUCCEEDED(hipModuleLaunchKernel(kernel, waves, x.H, x.N, 64, 1, 1, 0, stream, arguments, nullptr));
}

}  // namespace

bool start(const GatedDeltaNet& call, hipStream_t stream) {
    if (is_off() || !takes(call)) return false;
    const Kernels* kernels = kernels_of_device(stream);
    if (!kernels) return false;

    GatedDeltaNet x = call;
    int S = x.S, Hk = x.Hk, H = x.H, T = x.T, N = x.N, snapshots = x.snapshots;
    const int64_t state_size = x.S * x.S * x.H * x.N;
    float* behind_output = x.dst + x.S * x.H * x.T * x.N;
    const bool elsewhere = x.states != behind_output || (snapshots > 1 && x.snapshot_stride != state_size);

    // A kernel of packed tensors writes the one state where it belongs, without a copy: a decode step of one sequence. For 64 channels and fewer
    // there are tiles that fit.
    if ((elsewhere || S <= 64) && snapshots == 1 && !x.gate_per_key && is_packed(x.keys, S, Hk, T, N) && is_packed(x.values, S, H, T, N)) {
        float scale = 1.0f / __builtin_sqrtf(S);
        int tiled = 1, value_major = 1, log_gates = 0;
        void* arguments[] = {&x.q, &x.k, &x.v, &x.g, &x.beta, &x.state, &x.dst, &x.states, &N, &T, &Hk, &H, &S, &S, &scale, &tiled, &value_major, &log_gates};
        if (S == 128) return launch(kernels->packed_128, x, 8, arguments, stream);
        if (S == 64) return launch(kernels->packed_64, x, 8, arguments, stream);
        if (S < 64) return launch(kernels->packed_any64, x, 8, arguments, stream);
        return launch(kernels->packed_any, x, 4, arguments, stream);
    }

    int64_t gate_head = 1, gate_token = x.H, gate_sequence = x.H * x.T;
    void* arguments[] = {&x.q, &x.k, &x.v, &x.g, &x.beta, &x.state, &x.dst, &S, &Hk, &H, &T, &N, &snapshots,
        &x.keys.head, &x.keys.token, &x.keys.sequence, &x.values.head, &x.values.token, &x.values.sequence, &gate_head, &gate_token, &gate_sequence};
    const bool whole = S == 128;
    const hipFunction_t heads = whole ? kernels->scan_128 : kernels->scan_any, keys = whole ? kernels->scan_keys_128 : kernels->scan_keys_any;
    if (!launch(x.gate_per_key ? keys : heads, x, whole ? 8 : 4, arguments, stream)) return false;
    if (elsewhere) {
        // A slot without a token keeps what it held.
        for (int64_t slot = 0; slot < x.snapshots && slot < x.T; slot++) {
            const float* from = behind_output + slot * state_size;
            float* to = x.states + slot * x.snapshot_stride;
            if (!SUCCEEDED(hipMemcpyAsync(to, from, state_size * sizeof(float), hipMemcpyDeviceToDevice, stream))) return false;
        }
    }
    return true;
}

}  // namespace deltanet
