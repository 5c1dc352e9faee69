// Checks of Debian's rocPRIM on the emulated card, against algorithms of the standard library.
#include "checks.h"

#include <rocprim/rocprim.hpp>

#include <algorithm>
#include <numeric>

namespace {

constexpr size_t COUNT = 10007;
// Sizes around a wave, a work-group and several of them.
const std::vector<size_t> SIZES = {1, 64, 65, 1000, COUNT};

// Calls an algorithm twice: for the size of its temporary memory, and with that memory.
template <typename Call>
void with_memory(const Call& call, size_t spare = 0) {
    size_t bytes = 0;
    HIP(call(nullptr, bytes));
    Card<char> memory(bytes + spare);
    HIP(call(static_cast<char*>(memory), bytes));
    HIP(hipDeviceSynchronize());
}

void sums() {
    for (size_t count : SIZES) {
        const auto host = integers<int>(count, -100, 100);
        Card<int> in(host), out(1);
        with_memory([&](void* memory, size_t& bytes) {
            return rocprim::reduce(memory, bytes, static_cast<int*>(in), static_cast<int*>(out), 17, count, rocprim::plus<int>());
        });
        REQUIRE(out.host()[0] == std::accumulate(host.begin(), host.end(), 17));
    }
}

void maximum_of_doubles() {
    auto host = integers<double>(COUNT, -1000000, 1000000);
    Card<double> in(host), out(1);
    with_memory([&](void* memory, size_t& bytes) {
        return rocprim::reduce(memory, bytes, static_cast<double*>(in), static_cast<double*>(out), -1e300, COUNT, rocprim::maximum<double>());
    });
    REQUIRE(out.host()[0] == *std::max_element(host.begin(), host.end()));
}

void sums_of_segments() {
    const auto host = integers<int>(COUNT, -9, 9);
    std::vector<int> starts{0, 1, 1, 70, 500, 5000, int(COUNT)}, expected;
    for (size_t at = 0; at + 1 < starts.size(); ++at)
        expected.push_back(std::accumulate(host.begin() + starts[at], host.begin() + starts[at + 1], 0));
    Card<int> in(host), bounds(starts), out(expected.size());
    with_memory([&](void* memory, size_t& bytes) {
        return rocprim::segmented_reduce(memory, bytes, static_cast<int*>(in), static_cast<int*>(out), unsigned(expected.size()),
                                         static_cast<int*>(bounds), bounds + 1, rocprim::plus<int>(), 0);
    });
    REQUIRE(out.host() == expected);
}

void running_sums() {
    for (size_t count : SIZES) {
        const auto host = integers<int>(count, -100, 100);
        std::vector<int> inclusive(count), exclusive(count);
        std::partial_sum(host.begin(), host.end(), inclusive.begin());
        std::exclusive_scan(host.begin(), host.end(), exclusive.begin(), 5);
        Card<int> in(host), out(count);
        with_memory([&](void* memory, size_t& bytes) {
            return rocprim::inclusive_scan(memory, bytes, static_cast<int*>(in), static_cast<int*>(out), count, rocprim::plus<int>());
        });
        REQUIRE(out.host() == inclusive);
        with_memory([&](void* memory, size_t& bytes) {
            return rocprim::exclusive_scan(memory, bytes, static_cast<int*>(in), static_cast<int*>(out), 5, count, rocprim::plus<int>());
        });
        REQUIRE(out.host() == exclusive);
    }
}

void running_sums_by_key() {
    auto keys = integers<int>(COUNT, 0, 30);
    std::sort(keys.begin(), keys.end());
    const auto host = integers<int>(COUNT, -100, 100);
    std::vector<int> expected(host);
    for (size_t at = 1; at < COUNT; ++at)
        if (keys[at] == keys[at - 1]) expected[at] += expected[at - 1];
    Card<int> groups(keys), in(host), out(COUNT);
    with_memory([&](void* memory, size_t& bytes) {
        return rocprim::inclusive_scan_by_key(memory, bytes, static_cast<int*>(groups), static_cast<int*>(in), static_cast<int*>(out), COUNT,
                                              rocprim::plus<int>());
    });
    REQUIRE(out.host() == expected);
}

template <typename Key>
void sorted_keys() {
    for (size_t count : SIZES) {
        auto host = integers<Key>(count, -100000, 100000);
        Card<Key> in(host), out(count);
        with_memory([&](void* memory, size_t& bytes) {
            return rocprim::radix_sort_keys(memory, bytes, static_cast<Key*>(in), static_cast<Key*>(out), count);
        });
        std::sort(host.begin(), host.end());
        REQUIRE(out.host() == host);
        with_memory([&](void* memory, size_t& bytes) {
            return rocprim::radix_sort_keys_desc(memory, bytes, static_cast<Key*>(in), static_cast<Key*>(out), count);
        });
        std::reverse(host.begin(), host.end());
        REQUIRE(out.host() == host);
    }
}

void sorted_pairs_are_stable() {
    const auto keys = integers<unsigned>(COUNT, 0, 50);
    std::vector<int> places(COUNT);
    std::iota(places.begin(), places.end(), 0);
    Card<unsigned> in(keys), out(COUNT);
    Card<int> values(places), moved(COUNT);
    with_memory([&](void* memory, size_t& bytes) {
        return rocprim::radix_sort_pairs(memory, bytes, static_cast<unsigned*>(in), static_cast<unsigned*>(out), static_cast<int*>(values),
                                         static_cast<int*>(moved), COUNT);
    });
    std::stable_sort(places.begin(), places.end(), [&](int a, int b) { return keys[a] < keys[b]; });
    REQUIRE(moved.host() == places);
}

void merge_sort() {
    auto host = integers<short>(COUNT, -3000, 3000);
    Card<short> in(host), out(COUNT);
    with_memory([&](void* memory, size_t& bytes) {
        return rocprim::merge_sort(memory, bytes, static_cast<short*>(in), static_cast<short*>(out), COUNT, rocprim::greater<short>());
    });
    std::sort(host.begin(), host.end(), std::greater<short>());
    REQUIRE(out.host() == host);
}

void merged_sequences() {
    auto first = integers<int>(3000, 0, 5000), second = integers<int>(517, 0, 5000);
    std::sort(first.begin(), first.end());
    std::sort(second.begin(), second.end());
    std::vector<int> expected(first.size() + second.size());
    std::merge(first.begin(), first.end(), second.begin(), second.end(), expected.begin());
    Card<int> a(first), b(second), out(expected.size());
    const auto merge = [&](void* memory, size_t& bytes) {
        return rocprim::merge(memory, bytes, static_cast<int*>(a), static_cast<int*>(b), static_cast<int*>(out), first.size(), second.size());
    };
    // rocPRIM 5.3 writes as many bounds of parts as its kernel has work-items, and asks for the memory of as many as there are parts. The
    // runtime reports the write behind the memory, and right results need some spare.
    with_memory(merge, 1024);
    REQUIRE(out.host() == expected);
}

struct Even {
    __host__ __device__ bool operator()(int value) const { return value % 2 == 0; }
};

void selected_and_partitioned() {
    const auto host = integers<int>(COUNT, 0, 1000);
    std::vector<int> even, odd;
    for (int value : host) (value % 2 ? odd : even).push_back(value);
    Card<int> in(host), out(COUNT);
    Card<unsigned> chosen(1);
    with_memory([&](void* memory, size_t& bytes) {
        return rocprim::select(memory, bytes, static_cast<int*>(in), static_cast<int*>(out), static_cast<unsigned*>(chosen), COUNT, Even());
    });
    REQUIRE(chosen.host()[0] == even.size());
    auto got = out.host();
    REQUIRE(std::equal(even.begin(), even.end(), got.begin()));

    with_memory([&](void* memory, size_t& bytes) {
        return rocprim::partition(memory, bytes, static_cast<int*>(in), static_cast<int*>(out), static_cast<unsigned*>(chosen), COUNT, Even());
    });
    REQUIRE(chosen.host()[0] == even.size());
    got = out.host();
    // The rest is at the end, in reverse.
    even.insert(even.end(), odd.rbegin(), odd.rend());
    REQUIRE(got == even);
}

void distinct_neighbours_and_runs() {
    const auto host = integers<int>(COUNT, 0, 2);
    std::vector<int> distinct, lengths;
    for (size_t at = 0; at < COUNT; ++at) {
        if (at == 0 || host[at] != host[at - 1]) distinct.push_back(host[at]), lengths.push_back(0);
        ++lengths.back();
    }
    Card<int> in(host), out(COUNT), runs(COUNT);
    Card<unsigned> chosen(1);
    with_memory([&](void* memory, size_t& bytes) {
        return rocprim::unique(memory, bytes, static_cast<int*>(in), static_cast<int*>(out), static_cast<unsigned*>(chosen), COUNT);
    });
    REQUIRE(chosen.host()[0] == distinct.size());
    auto got = out.host();
    REQUIRE(std::equal(distinct.begin(), distinct.end(), got.begin()));

    with_memory([&](void* memory, size_t& bytes) {
        return rocprim::run_length_encode(memory, bytes, static_cast<int*>(in), unsigned(COUNT), static_cast<int*>(out), static_cast<int*>(runs),
                                          static_cast<unsigned*>(chosen));
    });
    REQUIRE(chosen.host()[0] == lengths.size());
    got = runs.host();
    REQUIRE(std::equal(lengths.begin(), lengths.end(), got.begin()));
}

void sums_by_key() {
    auto keys = integers<int>(COUNT, 0, 40);
    std::sort(keys.begin(), keys.end());
    const auto host = integers<int>(COUNT, -100, 100);
    std::vector<int> expected;
    for (size_t at = 0; at < COUNT; ++at) {
        if (at == 0 || keys[at] != keys[at - 1]) expected.push_back(0);
        expected.back() += host[at];
    }
    Card<int> groups(keys), in(host), names(COUNT), out(COUNT);
    Card<unsigned> chosen(1);
    with_memory([&](void* memory, size_t& bytes) {
        return rocprim::reduce_by_key(memory, bytes, static_cast<int*>(groups), static_cast<int*>(in), unsigned(COUNT), static_cast<int*>(names),
                                      static_cast<int*>(out), static_cast<unsigned*>(chosen));
    });
    REQUIRE(chosen.host()[0] == expected.size());
    const auto got = out.host();
    REQUIRE(std::equal(expected.begin(), expected.end(), got.begin()));
}

void histogram() {
    const auto host = integers<int>(COUNT, 0, 99);
    std::vector<unsigned> expected(10);
    for (int value : host) ++expected[value / 10];
    Card<int> in(host);
    Card<unsigned> out(10);
    with_memory([&](void* memory, size_t& bytes) {
        return rocprim::histogram_even(memory, bytes, static_cast<int*>(in), unsigned(COUNT), static_cast<unsigned*>(out), 11u, 0, 100);
    });
    REQUIRE(out.host() == expected);
}

void binary_search() {
    auto hay = integers<int>(777, 0, 5000);
    std::sort(hay.begin(), hay.end());
    const auto needles = integers<int>(COUNT, -10, 5010);
    std::vector<unsigned> expected;
    for (int needle : needles) expected.push_back(std::lower_bound(hay.begin(), hay.end(), needle) - hay.begin());
    Card<int> in(hay), wanted(needles);
    Card<unsigned> out(COUNT);
    with_memory([&](void* memory, size_t& bytes) {
        return rocprim::lower_bound(memory, bytes, static_cast<int*>(in), static_cast<int*>(wanted), static_cast<unsigned*>(out), hay.size(), COUNT,
                                    rocprim::less<int>());
    });
    REQUIRE(out.host() == expected);
}

struct Square {
    __host__ __device__ int operator()(int value) const { return value * value; }
};

void transformed_on_the_fly() {
    auto first = rocprim::make_transform_iterator(rocprim::make_counting_iterator(1), Square());
    Card<int> out(100);
    HIP(rocprim::transform(first, static_cast<int*>(out), 100, Square()));
    const auto got = out.host();
    for (int at = 0; at < 100; ++at) REQUIRE(got[at] == (at + 1) * (at + 1) * (at + 1) * (at + 1));
}

// A sum, a scan and a sort of one work-group, by the primitives for kernels.
__global__ void of_a_block(const int* in, int* sums, int* scans, int* sorted) {
    using Reduce = rocprim::block_reduce<int, 256>;
    using Scan = rocprim::block_scan<int, 256>;
    using Sort = rocprim::block_radix_sort<int, 256, 1>;
    __shared__ union {
        typename Reduce::storage_type reduce;
        typename Scan::storage_type scan;
        typename Sort::storage_type sort;
    } memory;
    const unsigned at = blockIdx.x * 256 + threadIdx.x;
    int value = in[at], result, key[1] = {value};
    Reduce().reduce(value, result, memory.reduce);
    if (threadIdx.x == 0) sums[blockIdx.x] = result;
    __syncthreads();
    Scan().inclusive_scan(value, result, memory.scan);
    scans[at] = result;
    __syncthreads();
    Sort().sort(key, memory.sort);
    sorted[at] = key[0];
}

void primitives_of_a_work_group() {
    auto host = integers<int>(4 * 256, -1000, 1000);
    std::vector<int> sums, scans(host.size());
    Card<int> in(host), sums_out(4), scans_out(host.size()), sorted_out(host.size());
    for (auto part = host.begin(); part != host.end(); part += 256) {
        sums.push_back(std::accumulate(part, part + 256, 0));
        std::partial_sum(part, part + 256, scans.begin() + (part - host.begin()));
        std::sort(part, part + 256);
    }
    of_a_block<<<4, 256>>>(in, sums_out, scans_out, sorted_out);
    REQUIRE(sums_out.host() == sums && scans_out.host() == scans && sorted_out.host() == host);
}

}  // namespace

int main() {
    return run_checks({
        {"sums", sums},
        {"maximum of doubles", maximum_of_doubles},
        {"sums of segments", sums_of_segments},
        {"running sums", running_sums},
        {"running sums by key", running_sums_by_key},
        {"sorted integers", sorted_keys<int>},
        {"sorted floats", sorted_keys<float>},
        {"sorted doubles", sorted_keys<double>},
        {"sorted pairs are stable", sorted_pairs_are_stable},
        {"merge sort", merge_sort},
        {"merged sequences", merged_sequences},
        {"selected and partitioned", selected_and_partitioned},
        {"distinct neighbours and runs", distinct_neighbours_and_runs},
        {"sums by key", sums_by_key},
        {"histogram", histogram},
        {"binary search", binary_search},
        {"transformed on the fly", transformed_on_the_fly},
        {"primitives of a work-group", primitives_of_a_work_group},
    });
}
