//! Observers of a running dispatch.
