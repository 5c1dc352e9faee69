// Collectives of one rank: what is sent is what is received. There is one card, so communicators of more ranks are refused.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "refuse.h"

int hipMemcpyAsync(void *to, const void *from, size_t bytes, int kind, void *stream);

enum { SUCCESS = 0, HIP_ERROR = 1, SYSTEM_ERROR = 2, INVALID_ARGUMENT = 4 };
// Version 2.18.3, which ROCm 6 has.
enum { VERSION = 21803, BY_ADDRESS = 4, OPERATIONS = 5 };

struct id {
    char bytes[128];
};
struct communicator {
    int device;
};

int ncclGetVersion(int *out) {
    if (!out) return INVALID_ARGUMENT;
    *out = VERSION;
    return SUCCESS;
}

int ncclGetUniqueId(struct id *out) {
    if (!out) return INVALID_ARGUMENT;
    memset(out, 0, sizeof *out);
    return SUCCESS;
}

int ncclCommInitRank(struct communicator **out, int ranks, struct id id, int rank) {
    static char told;
    (void)id;
    if (!out || ranks < 1 || rank < 0 || rank >= ranks) return INVALID_ARGUMENT;
    if (ranks > 1) return refuse("a communicator of more than one rank", &told);
    *out = calloc(1, sizeof **out);
    return *out ? SUCCESS : SYSTEM_ERROR;
}

int ncclCommInitRankConfig(struct communicator **out, int ranks, struct id id, int rank, void *config) {
    (void)config;
    return ncclCommInitRank(out, ranks, id, rank);
}

int ncclCommInitAll(struct communicator **out, int devices, const int *list) {
    if (list && list[0] != 0) return INVALID_ARGUMENT;
    return ncclCommInitRank(out, devices, (struct id){{0}}, 0);
}

int ncclCommFinalize(struct communicator *communicator) { return communicator ? SUCCESS : INVALID_ARGUMENT; }

int ncclCommDestroy(struct communicator *communicator) {
    free(communicator);
    return SUCCESS;
}

int ncclCommAbort(struct communicator *communicator) { return ncclCommDestroy(communicator); }

static int answer(struct communicator *communicator, int *out, int value) {
    if (!communicator || !out) return INVALID_ARGUMENT;
    *out = value;
    return SUCCESS;
}

int ncclCommGetAsyncError(struct communicator *communicator, int *out) { return answer(communicator, out, SUCCESS); }
int ncclCommCount(struct communicator *communicator, int *out) { return answer(communicator, out, 1); }
int ncclCommCuDevice(struct communicator *communicator, int *out) { return answer(communicator, out, 0); }
int ncclCommUserRank(struct communicator *communicator, int *out) { return answer(communicator, out, 0); }

int ncclGroupStart(void) { return SUCCESS; }
int ncclGroupEnd(void) { return SUCCESS; }

// Bytes of an element, by ncclDataType_t: integers of 8, 32 and 64 bits in pairs, f16, f32, f64, bf16, and two types of 8 bits.
static const unsigned char BYTES[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1};

static int copy(const void *from, void *to, size_t count, unsigned type, int root, struct communicator *communicator, void *stream) {
    if (!communicator || root != 0 || type >= sizeof BYTES || (count && (!from || !to))) return INVALID_ARGUMENT;
    if (!count || from == to) return SUCCESS;
    return hipMemcpyAsync(to, from, count * BYTES[type], BY_ADDRESS, stream) ? HIP_ERROR : SUCCESS;
}

// Sum, product, maximum, minimum and mean of one value are the value. An operation of the program's own multiplies.
static int reduce(const void *from, void *to, size_t count, unsigned type, unsigned operation, int root, struct communicator *communicator,
                  void *stream) {
    static char told;
    if (operation >= OPERATIONS) return refuse("a reduction with an operation of the program's own", &told);
    return copy(from, to, count, type, root, communicator, stream);
}

int ncclAllReduce(const void *from, void *to, size_t count, unsigned type, unsigned operation, struct communicator *communicator, void *stream) {
    return reduce(from, to, count, type, operation, 0, communicator, stream);
}
int ncclReduceScatter(const void *from, void *to, size_t count, unsigned type, unsigned operation, struct communicator *communicator,
                      void *stream) {
    return reduce(from, to, count, type, operation, 0, communicator, stream);
}
int ncclReduce(const void *from, void *to, size_t count, unsigned type, unsigned operation, int root, struct communicator *communicator,
               void *stream) {
    return reduce(from, to, count, type, operation, root, communicator, stream);
}
int ncclBroadcast(const void *from, void *to, size_t count, unsigned type, int root, struct communicator *communicator, void *stream) {
    return copy(from, to, count, type, root, communicator, stream);
}
int ncclBcast(void *at, size_t count, unsigned type, int root, struct communicator *communicator, void *stream) {
    return copy(at, at, count, type, root, communicator, stream);
}
int ncclAllGather(const void *from, void *to, size_t count, unsigned type, struct communicator *communicator, void *stream) {
    return copy(from, to, count, type, 0, communicator, stream);
}
int ncclAllToAll(const void *from, void *to, size_t count, unsigned type, struct communicator *communicator, void *stream) {
    return copy(from, to, count, type, 0, communicator, stream);
}
int ncclGather(const void *from, void *to, size_t count, unsigned type, int root, struct communicator *communicator, void *stream) {
    return copy(from, to, count, type, root, communicator, stream);
}
int ncclScatter(const void *from, void *to, size_t count, unsigned type, int root, struct communicator *communicator, void *stream) {
    return copy(from, to, count, type, root, communicator, stream);
}

const char *ncclGetErrorString(int code) {
    static const char *const TEXTS[] = {"no error",         "unhandled HIP error", "unhandled system error", "internal error",
                                        "invalid argument", "invalid usage",       "remote error",           "operation in progress"};
    return code >= 0 && code < 8 ? TEXTS[code] : "unknown error";
}
