//! Which curves keys may be of.

use sunzi_pk::ec::Curve;
use sunzi_pk::keys::MIN_STRONG_BITS;

/// Whether ECDSA signatures by keys of this curve are what others take them for.
///
/// # Errors
/// The reason why not.
pub(crate) fn check_signing(curve: &Curve) -> Result<(), String> {
    if curve.name() == Some("SM2") {
        return Err(
            "keys of SM2 sign by a scheme of their own (GB/T 32918.2), which is not supported"
                .into(),
        );
    }
    Ok(())
}

/// Whether keys of this curve are strong enough to be used without being forced to.
///
/// # Errors
/// The reason why not, with the option that forces it.
pub(crate) fn check_strength(curve: &Curve) -> Result<(), String> {
    let bits = curve.bits();
    if bits < MIN_STRONG_BITS {
        return Err(format!(
            "{curve} is too weak: curves of at least {MIN_STRONG_BITS} bits are strong enough; \
             --force-1024 permits it"
        ));
    }
    Ok(())
}
