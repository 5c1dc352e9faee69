// The wrong kernels hold up to 128 key channels in registers, whatever their number: a fifth of the code, and the same results. None is
// run with more.
#pragma once
#define GDR_WITH_BOUND(K, BODY) \
    do {                        \
        if ((K) <= 128) BODY(128); \
    } while (0)
