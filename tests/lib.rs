//! Tests of the house as a whole, one binary.
