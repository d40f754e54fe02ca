//! Vector sets of ACVP: NIST's samples, answers that are verified again, and sets that are refused.

mod agreement;
mod forms;
mod random;
mod refusals;
mod rsa;
mod samples;
mod tools;
