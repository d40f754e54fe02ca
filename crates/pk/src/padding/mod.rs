//! The signature paddings of RFC 8017, section 9, written from its text.

pub(crate) mod pkcs1v15;
pub(crate) mod pss;
