//! What records teach.
