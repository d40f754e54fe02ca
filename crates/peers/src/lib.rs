//! The peers: libraries that Sunzi is compared with, in benchmarks and tests.
//!
//! OpenSSL, AWS-LC (feature `aws-lc`), GMP (feature `gmp`), libsecp256k1 (feature `secp256k1`), blst (feature `blst`) and
//! arkworks (feature `arkworks`) are compiled from source, so that all machines compare with the same versions. The build takes minutes and
//! needs a C compiler, Perl and `make`, and `m4` for GMP. Intel's `crypto_mb` (feature `crypto-mb`) and ed25519-simd
//! (feature `ed25519-simd`) are loaded when the program runs, if the environment variables `SUNZI_CRYPTO_MB` and
//! `SUNZI_ED25519_SIMD` name their files. Nothing that users run by default depends on this crate.
//!
//! A [`Peer`] prepares an operation once (it converts the key or the numbers to its own
//! representation) and then repeats it, as a program that needs speed would. Blinding, and a
//! library's own check of its signatures, stay on if they are on by default, as they are in OpenSSL
//! and AWS-LC.

#[cfg(feature = "arkworks")]
mod arkworks;
#[cfg(feature = "aws-lc")]
mod aws_lc;
#[cfg(feature = "blst")]
mod blst;
#[cfg(feature = "crypto-mb")]
mod crypto_mb;
#[cfg(all(feature = "ed25519-simd", target_arch = "x86_64"))]
mod ed25519_simd;
#[cfg(feature = "gmp")]
mod gmp;
mod interface;
#[cfg(any(
    feature = "crypto-mb",
    all(feature = "ed25519-simd", target_arch = "x86_64")
))]
mod loaded;
mod openssl;
#[cfg(feature = "secp256k1")]
mod secp256k1;

pub use crate::openssl::{verify_file, version};
pub use interface::{
    Agree, Bls, Compute, CurveName, Curves, Group, Groups, MakePairing, MakePower, MakeSigner,
    MakeVerifier, MaybeGroup, OnCurve, Operands, PairingGroup, Peer, PeerError, Power, Sign,
    SignMessage, TogetherWithTag, Verify, VerifyMessage, WithKeyAndTag,
};

/// All peers that are compiled in, and `crypto_mb` and ed25519-simd if their variables name them.
///
/// # Errors
/// [`PeerError::CryptoMb`] or [`PeerError::Ed25519Simd`] if a variable is set, but the library cannot be used.
pub fn all() -> Result<Vec<Peer>, PeerError> {
    #[cfg(feature = "gmp")]
    let gmp = gmp::peers();
    #[cfg(not(feature = "gmp"))]
    let gmp: [Peer; 0] = [];
    let rsa = [
        crate::openssl::peer(),
        #[cfg(feature = "aws-lc")]
        aws_lc::peer(),
    ];
    let curves = [
        #[cfg(feature = "secp256k1")]
        crate::secp256k1::peer(),
        #[cfg(feature = "blst")]
        crate::blst::peer(),
        #[cfg(feature = "arkworks")]
        arkworks::peer(),
    ];
    #[cfg(feature = "crypto-mb")]
    let together = crypto_mb::peer()?;
    #[cfg(not(feature = "crypto-mb"))]
    let together = None;
    #[cfg(all(feature = "ed25519-simd", target_arch = "x86_64"))]
    let verifying = ed25519_simd::peer()?;
    #[cfg(not(all(feature = "ed25519-simd", target_arch = "x86_64")))]
    let verifying = None;
    Ok(rsa
        .into_iter()
        .chain(gmp)
        .chain(curves)
        .chain(together)
        .chain(verifying)
        .collect())
}
