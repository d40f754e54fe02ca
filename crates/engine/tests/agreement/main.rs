//! Agreement of all backends: every backend equals the portable one bit for bit, and the portable
//! one equals num-bigint. One shared check covers sizes, batch lengths, keys, exponents and
//! adversarial operands.

mod adversarial;
mod backends;
mod batches;
mod chains;
mod check;
mod limits;
mod numbers;
