//! The import of what other programs printed: every figure of real files against a reading that shares no code with the importers, and
//! `barrow import` as a user meets it.

mod command;
mod csv;
