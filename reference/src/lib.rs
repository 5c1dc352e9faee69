//! The golden references.
