//! The instruction set as one table.
