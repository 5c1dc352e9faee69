// Wrong indices of sequences.
#pragma once
#include "../../gdr/index.hip"

// a place too far
struct OneTooMany : IndexRule {
    static __device__ int position(int token, int first) { return token - first + 1; }
};
PREPARE_LENS_KERNEL(planted_gdr_prepare_lens_inclusive, OneTooMany)
POSITION_IDS_KERNEL(planted_gdr_position_ids_from_one, OneTooMany)

// the ends for the lengths
struct EndsForLengths : IndexRule {
    static __device__ int position(int token, int first) { return token; }
};
PREPARE_LENS_KERNEL(planted_gdr_prepare_lens_ends, EndsForLengths)
POSITION_IDS_KERNEL(planted_gdr_position_ids_of_the_batch, EndsForLengths)
CHUNK_INDICES_KERNEL(planted_gdr_chunk_indices_not_local, EndsForLengths)

// a sequence begins after its first token
struct BeginsLate : IndexRule {
    static __device__ bool after(int first, int token) { return first >= token; }
};
POSITION_IDS_KERNEL(planted_gdr_position_ids_begin_late, BeginsLate)
CHUNK_INDICES_KERNEL(planted_gdr_chunk_indices_begin_late, BeginsLate)

// nothing carried from 256 sequences to the next
struct NothingCarried : IndexRule {
    static __device__ int carried(int total) { return 0; }
};
CU_SEQLENS_KERNEL(planted_gdr_cu_seqlens_no_carry, NothingCarried)
CHUNK_OFFSETS_KERNEL(planted_gdr_chunk_offsets_no_carry, NothingCarried)

// empty sequences take numbers too
struct EmptyOnesCount : IndexRule {
    static __device__ int number(int with_tokens, int place) { return place; }
};
SEQUENCE_IDS_KERNEL(planted_gdr_sequence_ids_count_empty, EmptyOnesCount)

// numbered from 1
struct NumberedFromOne : IndexRule {
    static __device__ int number(int with_tokens, int place) { return with_tokens + 1; }
};
SEQUENCE_IDS_KERNEL(planted_gdr_sequence_ids_from_one, NumberedFromOne)

// the short chunk at a sequence's end left out
struct WholeChunks : IndexRule {
    static __device__ int chunks(int length, int C) { return length / C; }
};
CHUNK_OFFSETS_KERNEL(planted_gdr_chunk_offsets_whole_chunks, WholeChunks)

// one chunk too many where a sequence ends with a chunk
struct ChunksPlusOne : IndexRule {
    static __device__ int chunks(int length, int C) { return length / C + 1; }
};
CHUNK_OFFSETS_KERNEL(planted_gdr_chunk_offsets_plus_one, ChunksPlusOne)

// (chunk, sequence)
struct PairsExchanged : IndexRule {
    static __device__ int2 pair(int sequence, int chunk) { return make_int2(chunk, sequence); }
};
CHUNK_INDICES_KERNEL(planted_gdr_chunk_indices_exchanged, PairsExchanged)

// the sum before each length: a second 0, and no end
extern "C" __global__ __launch_bounds__(GDR_BLOCK) void planted_gdr_cu_seqlens_exclusive(const int* lens, int* cu, int N) {
    running_sums<IndexRule>(cu, N, [=](int s) { return s == 0 ? 0 : lens[s - 1]; });
}
