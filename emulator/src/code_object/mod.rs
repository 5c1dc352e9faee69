//! Code objects: bytes in, kernels out.
