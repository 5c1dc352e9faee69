// Handles of MIOpen. Programs create one when they start, and may never use it.
#include <stdlib.h>

struct handle {
    void *stream;
};

enum { SUCCESS = 0, BAD_PARAMETER = 3, ALLOCATION_FAILED = 4 };

int miopenCreateWithStream(struct handle **out, void *stream) {
    if (!out) return BAD_PARAMETER;
    *out = malloc(sizeof **out);
    if (!*out) return ALLOCATION_FAILED;
    (*out)->stream = stream;
    return SUCCESS;
}

int miopenCreate(struct handle **out) { return miopenCreateWithStream(out, NULL); }

int miopenDestroy(struct handle *handle) {
    free(handle);
    return SUCCESS;
}

int miopenSetStream(struct handle *handle, void *stream) {
    if (!handle) return BAD_PARAMETER;
    handle->stream = stream;
    return SUCCESS;
}

int miopenGetStream(struct handle *handle, void **out) {
    if (!handle || !out) return BAD_PARAMETER;
    *out = handle->stream;
    return SUCCESS;
}
