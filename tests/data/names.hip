// A kernel whose pointers have names of their own for types of numbers.
#define GLOBAL __attribute__((global))

typedef float real;
typedef const real kept;
typedef unsigned short bits;

extern "C" GLOBAL void named(kept *x, real *y, bits *z) { *y = *x + *z; }
