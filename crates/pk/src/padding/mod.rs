//! The paddings of RFC 8017, sections 7 and 9, written from its text: no maintained crate exposes
//! them (the `rsa` crate keeps its own private).

pub(crate) mod mgf1;
pub(crate) mod oaep;
pub(crate) mod pkcs1v15;
pub(crate) mod pkcs1v15_encryption;
pub(crate) mod pss;
