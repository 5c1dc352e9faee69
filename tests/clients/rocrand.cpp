// Checks of Debian's rocRAND on the emulated card: against published answers, laws of its generators, and moments of its distributions.
#include "checks.h"

#include <rocrand/rocrand.h>
#include <rocrand/rocrand_kernel.h>

#include <array>
#include <set>

#define RAND(call) REQUIRE((call) == ROCRAND_STATUS_SUCCESS)

namespace {

// A generator of the host's interface, destroyed with the object.
struct Generator {
    rocrand_generator handle = nullptr;
    Generator(rocrand_rng_type type, unsigned long long seed) {
        RAND(rocrand_create_generator(&handle, type));
        RAND(rocrand_set_seed(handle, seed));
    }
    explicit Generator(rocrand_rng_type type) { RAND(rocrand_create_generator(&handle, type)); }
    ~Generator() { rocrand_destroy_generator(handle); }
};

using Block = std::array<unsigned, 4>;

// Philox4x32-10 as its authors define it (Salmon et al., Parallel random numbers: as easy as 1, 2, 3, 2011).
Block philox(Block counter, unsigned key0, unsigned key1) {
    for (int round = 0; round < 10; ++round) {
        const unsigned long long first = 0xD2511F53ull * counter[0], second = 0xCD9E8D57ull * counter[2];
        counter = {unsigned(second >> 32) ^ counter[1] ^ key0, unsigned(second), unsigned(first >> 32) ^ counter[3] ^ key1, unsigned(first)};
        key0 += 0x9E3779B9;
        key1 += 0xBB67AE85;
    }
    return counter;
}

__global__ void philox_blocks(unsigned* out, unsigned long long seed, unsigned long long offset) {
    rocrand_state_philox4x32_10 state;
    rocrand_init(seed, threadIdx.x, offset, &state);
    const uint4 block = rocrand4(&state);
    unsigned* mine = out + 4 * threadIdx.x;
    mine[0] = block.x, mine[1] = block.y, mine[2] = block.z, mine[3] = block.w;
}

void philox_of_kernels() {
    // The authors' published answer for a counter and a key of zeros.
    REQUIRE((philox({0, 0, 0, 0}, 0, 0) == Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
    for (unsigned long long seed : {0ull, 0x123456789abcdef0ull})
        for (unsigned offset : {0u, 40u}) {
            Card<unsigned> out(4 * 64);
            philox_blocks<<<1, 64>>>(out, seed, offset);
            const auto got = out.host();
            for (unsigned thread = 0; thread < 64; ++thread) {
                const Block expected = philox({offset / 4, 0, thread, 0}, unsigned(seed), unsigned(seed >> 32));
                for (int at = 0; at < 4; ++at) REQUIRE(got[4 * thread + at] == expected[at]);
            }
        }
}

// The first and the last of `count` numbers of one sequence, and the number after a jump by `count`.
template <typename State>
__global__ void jumps(unsigned* out, int count) {
    State state, jumped;
    rocrand_init(7, 3, 0, &state);
    unsigned last = 0;
    for (int at = 0; at <= count; ++at) last = rocrand(&state);
    rocrand_init(7, 3, count, &jumped);
    out[0] = last;
    out[1] = rocrand(&jumped);
}

template <typename State>
void jump_is_many_steps() {
    for (int count : {1, 5, 1000}) {
        Card<unsigned> out(2);
        jumps<State><<<1, 1>>>(out, count);
        const auto got = out.host();
        REQUIRE(got[0] == got[1] && got[0] != 0);
    }
}

constexpr size_t COUNT = 20000;

std::vector<unsigned> words(rocrand_rng_type type, unsigned long long seed) {
    Generator generator(type, seed);
    Card<unsigned> out(COUNT);
    RAND(rocrand_generate(generator.handle, out, COUNT));
    return out.host();
}

// The same numbers for a seed, others for another, each bit set in about half of them.
template <rocrand_rng_type TYPE>
void words_of_a_generator() {
    const auto first = words(TYPE, 906);
    REQUIRE(first == words(TYPE, 906) && first != words(TYPE, 907));
    for (int bit = 0; bit < 32; ++bit) {
        size_t set = 0;
        for (unsigned word : first) set += word >> bit & 1;
        REQUIRE(set > COUNT * 0.48 && set < COUNT * 0.52);
    }
    REQUIRE(std::set<unsigned>(first.begin(), first.end()).size() > COUNT - 10);
}

// The host's interface continues one sequence over calls.
void calls_continue_a_sequence() {
    Generator parts(ROCRAND_RNG_PSEUDO_PHILOX4_32_10, 5), whole(ROCRAND_RNG_PSEUDO_PHILOX4_32_10, 5);
    Card<unsigned> first(4096), second(4096), both(8192);
    RAND(rocrand_generate(parts.handle, first, 4096));
    RAND(rocrand_generate(parts.handle, second, 4096));
    RAND(rocrand_generate(whole.handle, both, 8192));
    auto joined = first.host();
    const auto rest = second.host();
    joined.insert(joined.end(), rest.begin(), rest.end());
    REQUIRE(joined == both.host());
}

// The first dimension of Sobol's sequence is the sequence of van der Corput in the order of Gray's code.
void sobol_sequence() {
    Generator generator(ROCRAND_RNG_QUASI_SOBOL32);
    Card<unsigned> out(1000);
    RAND(rocrand_generate(generator.handle, out, 1000));
    const auto got = out.host();
    for (unsigned at = 0; at < 1000; ++at) {
        unsigned gray = at ^ at >> 1, mirrored = 0;
        for (int bit = 0; bit < 32; ++bit) mirrored |= (gray >> bit & 1) << (31 - bit);
        REQUIRE(got[at] == mirrored);
    }
}

template <typename T>
void require_moments(const std::vector<T>& values, double mean, double deviation, double tolerance) {
    double sum = 0, squares = 0;
    for (T value : values) sum += double(value);
    const double got = sum / values.size();
    for (T value : values) squares += (double(value) - got) * (double(value) - got);
    const double spread = std::sqrt(squares / values.size());
    if (std::fabs(got - mean) > tolerance || std::fabs(spread - deviation) > tolerance)
        throw std::runtime_error("mean " + std::to_string(got) + " and deviation " + std::to_string(spread));
}

void uniform_numbers() {
    for (auto type : {ROCRAND_RNG_PSEUDO_PHILOX4_32_10, ROCRAND_RNG_PSEUDO_MRG32K3A}) {
        Generator generator(type, 1);
        Card<float> singles(COUNT);
        RAND(rocrand_generate_uniform(generator.handle, singles, COUNT));
        for (float value : singles.host()) REQUIRE(value > 0 && value <= 1);
        require_moments(singles.host(), 0.5, std::sqrt(1 / 12.0), 0.01);
        Card<double> doubles(COUNT);
        RAND(rocrand_generate_uniform_double(generator.handle, doubles, COUNT));
        for (double value : doubles.host()) REQUIRE(value > 0 && value <= 1);
        require_moments(doubles.host(), 0.5, std::sqrt(1 / 12.0), 0.01);
    }
}

void normal_numbers() {
    Generator generator(ROCRAND_RNG_PSEUDO_PHILOX4_32_10, 2);
    Card<float> singles(COUNT);
    RAND(rocrand_generate_normal(generator.handle, singles, COUNT, 3, 2));
    require_moments(singles.host(), 3, 2, 0.06);
    Card<double> doubles(COUNT);
    RAND(rocrand_generate_normal_double(generator.handle, doubles, COUNT, -1, 0.5));
    require_moments(doubles.host(), -1, 0.5, 0.02);
    RAND(rocrand_generate_log_normal(generator.handle, singles, COUNT, 0, 0.25f));
    auto logarithms = singles.host();
    for (float& value : logarithms) value = std::log(value);
    require_moments(logarithms, 0, 0.25, 0.01);
}

void poisson_numbers() {
    for (double lambda : {0.5, 8.0, 200.0}) {
        Generator generator(ROCRAND_RNG_PSEUDO_PHILOX4_32_10, 3);
        Card<unsigned> counts(COUNT);
        RAND(rocrand_generate_poisson(generator.handle, counts, COUNT, lambda));
        require_moments(counts.host(), lambda, std::sqrt(lambda), 0.03 * std::sqrt(lambda) + 0.01);
    }
}

void bytes_and_halves() {
    Generator generator(ROCRAND_RNG_PSEUDO_PHILOX4_32_10, 4);
    Card<unsigned char> bytes(COUNT);
    RAND(rocrand_generate_char(generator.handle, bytes, COUNT));
    require_moments(bytes.host(), 127.5, std::sqrt((65536 - 1) / 12.0), 2);
    Card<unsigned short> shorts(COUNT);
    RAND(rocrand_generate_short(generator.handle, shorts, COUNT));
    require_moments(shorts.host(), 32767.5, std::sqrt(4294967295.0 / 12), 600);
}

__global__ void normals_of_kernel(float* out) {
    rocrand_state_xorwow state;
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    rocrand_init(11, thread, 0, &state);
    for (int at = 0; at < 8; ++at) out[8 * thread + at] = rocrand_normal(&state);
}

void normal_numbers_of_kernels() {
    Card<float> out(8 * 1024);
    normals_of_kernel<<<16, 64>>>(out);
    require_moments(out.host(), 0, 1, 0.04);
}

void wrong_calls_are_statuses() {
    rocrand_generator handle = nullptr;
    REQUIRE(rocrand_create_generator(&handle, rocrand_rng_type(12345)) == ROCRAND_STATUS_TYPE_ERROR);
    Card<unsigned> out(4);
    REQUIRE(rocrand_generate(nullptr, out, 4) == ROCRAND_STATUS_NOT_CREATED);
}

}  // namespace

int main() {
    return run_checks({
        {"Philox in a kernel: the published answer", philox_of_kernels},
        {"Philox in a kernel: a jump is many steps", jump_is_many_steps<rocrand_state_philox4x32_10>},
        {"XORWOW in a kernel: a jump is many steps", jump_is_many_steps<rocrand_state_xorwow>},
        {"MRG32k3a in a kernel: a jump is many steps", jump_is_many_steps<rocrand_state_mrg32k3a>},
        {"words of Philox", words_of_a_generator<ROCRAND_RNG_PSEUDO_PHILOX4_32_10>},
        {"words of XORWOW", words_of_a_generator<ROCRAND_RNG_PSEUDO_XORWOW>},
        {"words of MRG32k3a", words_of_a_generator<ROCRAND_RNG_PSEUDO_MRG32K3A>},
        {"words of the Mersenne twister", words_of_a_generator<ROCRAND_RNG_PSEUDO_MTGP32>},
        {"calls continue a sequence", calls_continue_a_sequence},
        {"Sobol's sequence", sobol_sequence},
        {"uniform numbers", uniform_numbers},
        {"normal and log-normal numbers", normal_numbers},
        {"Poisson's numbers", poisson_numbers},
        {"bytes and 16-bit words", bytes_and_halves},
        {"normal numbers in a kernel", normal_numbers_of_kernels},
        {"wrong calls are statuses", wrong_calls_are_statuses},
    });
}
