// Wrong kernels, on purpose: each has the argument list of the kernel it replaces and one mistake of the kind
// people make. The self-test runs them and demands that every one is caught; kernels/README.md lists them.
#include "planted/attention.hip"
#include "planted/elementwise.hip"
#include "planted/faults.hip"
#include "planted/gdn/chunk.hip"
#include "planted/gdn/ggml.hip"
#include "planted/gdn/producers.hip"
#include "planted/gdn/recurrent.hip"
#include "planted/matrix.hip"
#include "planted/triangular.hip"
