//! The machine: waves, work-groups, memory, LDS, dispatch.
