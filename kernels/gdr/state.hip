// The state column that a work-item keeps in registers is the gated delta rule's own.
#pragma once
#include "../gdn/common.hip"

// Calls BODY(bound) with the smallest bound that K fits in.
#ifndef GDR_WITH_BOUND
#define GDR_WITH_BOUND(K, BODY) GDN_WITH_BOUND(K, BODY)
#endif
