//! The paddings of RFC 8017, sections 7 and 9. They are implemented here, from the text of the RFC,
//! because no maintained crate exposes them: those of the `rsa` crate are private.

pub(crate) mod mgf1;
pub(crate) mod oaep;
pub(crate) mod pkcs1v15;
pub(crate) mod pkcs1v15_encryption;
pub(crate) mod pss;
