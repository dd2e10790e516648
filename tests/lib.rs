//! Tests of the house as a whole, one binary.
mod allocation;
mod charts;
mod check;
mod circumstances;
mod cli;
mod comparing;
mod completions;
mod faults;
mod golden;
mod hostile;
mod labels;
mod layers;
mod man;
mod markdown;
mod markups;
mod readme;
mod real;
