// Every kernel of the document in one code object:
//   hipcc --genco --offload-arch=gfx906 deltanet.hip -o deltanet.co
#include "attention.hip"
#include "compare.hip"
#include "elementwise.hip"
#include "fast_chunk.hip"
#include "fast_document.hip"
#include "fast_scan.hip"
#include "gdn.hip"
#include "gdr.hip"
#include "ggml.hip"
#include "matrix.hip"
#include "triangular.hip"
