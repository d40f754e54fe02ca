//! What the unit tests share: the way to and from num-bigint, the independent reference.

use crypto_bigint::BoxedUint;
use num_bigint::BigUint;

pub(crate) fn big(x: &BoxedUint) -> BigUint {
    BigUint::from_bytes_le(&x.to_le_bytes())
}

pub(crate) fn boxed(x: &BigUint) -> BoxedUint {
    BoxedUint::from_le_slice_vartime(&x.to_bytes_le())
}
