// The wrong kernels hold up to 128 key channels in registers, whatever their number: a fifth of the code, and the same results. Those whose
// rule says `wide` take up to 256, as all the right ones do.
#pragma once
#define GDR_WITH_BOUND(K, BODY)                           \
    do {                                                  \
        if ((K) <= 128) BODY(128);                        \
        else if (Rule::wide && (K) <= 256) BODY(256);     \
    } while (0)
