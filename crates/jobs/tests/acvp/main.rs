//! Vector sets of ACVP: vectors of NIST and of RFC 8032, answers that are verified again, and sets that are refused.

mod agreement;
mod forms;
mod nist;
mod random;
mod refusals;
mod rsa;
mod tools;
