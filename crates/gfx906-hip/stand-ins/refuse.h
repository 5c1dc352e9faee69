// Functions that a library has and that are not supported. Each says so once on stderr, and returns the library's status for that.
// scripts/build-hip.sh defines LIBRARY, CODE and STATUS, and writes a line for each name of the library's table.
#include <stdio.h>

__attribute__((unused)) static int refuse(const char *name, char *told) {
    if (!__atomic_exchange_n(told, 1, __ATOMIC_RELAXED))
        fprintf(stderr, "gfx906-%s: %s is not supported: it returns %s\n", LIBRARY, name, STATUS);
    return CODE;
}

#define REFUSE(name)              \
    int name(void) {              \
        static char told;         \
        return refuse(#name, &told); \
    }
// A function that returns a text, such as the name of a status.
#define TEXT(name) \
    const char *name(void) { return STATUS; }
