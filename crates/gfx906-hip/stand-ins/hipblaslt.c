// Handles of hipBLASLt. Programs that use rocBLAS create one all the same.
#include <stddef.h>

enum { SUCCESS = 0, INVALID_VALUE = 3 };

int hipblasLtCreate(const char **out) {
    if (!out) return INVALID_VALUE;
    *out = "hipBLASLt";
    return SUCCESS;
}

int hipblasLtDestroy(const char *handle) { return handle ? SUCCESS : INVALID_VALUE; }
