// The state column that a work-item keeps in registers is the gated delta rule's own.
#pragma once
#include "../gdn/common.hip"
