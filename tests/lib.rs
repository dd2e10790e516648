//! Tests of the house as a whole, one binary.
mod allocation;
mod charts;
mod cli;
mod layers;
mod man;
mod markdown;
mod real;
