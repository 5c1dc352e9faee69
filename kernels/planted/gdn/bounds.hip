// The wrong kernels hold every state column of up to 128 key channels in the same number of registers: a fifth of the
// code, and the same results.
#pragma once
#define GDN_WITH_BOUND(K, BODY)          \
    do {                                 \
        if ((K) <= 128) BODY(128);       \
        else if ((K) <= 256) BODY(256);  \
    } while (0)
