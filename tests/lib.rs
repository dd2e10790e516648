//! Tests of the house as a whole, one binary.
mod allocation;
mod cli;
mod layers;
