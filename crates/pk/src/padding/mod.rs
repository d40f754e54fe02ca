//! The signature paddings of RFC 8017, section 9, written from its text: no maintained crate
//! exposes them (the `rsa` crate keeps its own private).

pub(crate) mod pkcs1v15;
pub(crate) mod pss;
