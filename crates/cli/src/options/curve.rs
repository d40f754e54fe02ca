//! Which curves keys may be of.

use core::fmt;
use core::str::FromStr;
use sunzi_pk::KeyAlgorithm;
use sunzi_pk::ec::{Curve, EdwardsCurve, MontgomeryCurve};
use sunzi_pk::keys::MIN_STRONG_BITS;

/// A curve that keys are made for.
#[derive(Clone, Debug)]
pub(crate) enum KeyCurve {
    /// For ECDSA and ECDH.
    Ec(Curve),
    /// For EdDSA.
    Edwards(EdwardsCurve),
    /// For X25519 and X448.
    Montgomery(MontgomeryCurve),
}

impl KeyCurve {
    /// All of them but those of [`Ec`](Self::Ec).
    pub(crate) fn octet_keys() -> impl Iterator<Item = Self> {
        let edwards = EdwardsCurve::ALL.iter().copied().map(Self::Edwards);
        edwards.chain(MontgomeryCurve::ALL.iter().copied().map(Self::Montgomery))
    }

    /// The use of its keys, in a word: `EC`, `EdDSA` or `XDH`.
    pub(crate) fn algorithm(&self) -> &'static str {
        match self {
            Self::Ec(_) => "EC",
            Self::Edwards(_) => "EdDSA",
            Self::Montgomery(_) => "XDH",
        }
    }

    /// Length of its prime in bits.
    pub(crate) fn bits(&self) -> u32 {
        match self {
            Self::Ec(curve) => curve.bits(),
            Self::Edwards(EdwardsCurve::Edwards25519)
            | Self::Montgomery(MontgomeryCurve::Curve25519) => 255,
            Self::Edwards(_) | Self::Montgomery(_) => 448,
        }
    }

    /// Its identifier in key files, as numbers with dots.
    pub(crate) fn oid(&self) -> String {
        match self {
            Self::Ec(curve) => curve.oid().map_or(String::new(), |oid| oid.to_string()),
            Self::Edwards(curve) => curve.oid().to_string(),
            Self::Montgomery(curve) => curve.oid().to_string(),
        }
    }
}

impl fmt::Display for KeyCurve {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ec(curve) => curve.fmt(f),
            Self::Edwards(curve) => KeyAlgorithm::Edwards(*curve).fmt(f),
            Self::Montgomery(curve) => KeyAlgorithm::Montgomery(*curve).fmt(f),
        }
    }
}

impl FromStr for KeyCurve {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        if let Ok(curve) = name.parse() {
            return Ok(Self::Edwards(curve));
        }
        if let Ok(curve) = name.parse() {
            return Ok(Self::Montgomery(curve));
        }
        let curve: Result<Curve, _> = name.parse();
        curve.map(Self::Ec).map_err(|error| {
            let others: Vec<String> = Self::octet_keys().map(|curve| curve.to_string()).collect();
            format!("{error}, {}", others.join(", "))
        })
    }
}

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
