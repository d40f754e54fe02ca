//! Every backend against the portable one, bit for bit, and the portable one against num-bigint:
//! one shared check over sizes, batch lengths, keys, exponents and adversarial operands.

mod adversarial;
mod backends;
mod batches;
mod chains;
mod check;
mod limits;
mod numbers;
