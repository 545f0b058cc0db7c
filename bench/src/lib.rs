//! Shared by the bench programs.
