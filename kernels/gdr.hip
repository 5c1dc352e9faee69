// The GDR operators: what a model computes around the gated delta rule, and the rule in its layouts. The files in gdr/
// have the bodies; the names are here.
#include "gdr/common.hip"
