//! blst's pairings.

use super::{g1, g2};
use crate::interface::{Compute, OnCurve, Operands, PeerError};
use blst::{blst_fp12, blst_p1_affine, blst_p2_affine};

struct Pairing {
    p: blst_p1_affine,
    q: blst_p2_affine,
}

/// The pairing of uncompressed elements of G1 and G2.
pub(super) fn pairing(curve: &str, [p, q]: Operands<'_, 2>) -> OnCurve<dyn Compute> {
    if curve != "BLS12-381" {
        return Ok(None);
    }
    Ok(Some(Box::new(Pairing {
        p: g1::deserialize(p)?,
        q: g2::deserialize(q)?,
    })))
}

impl Compute for Pairing {
    fn compute(&mut self) -> Result<Vec<u8>, PeerError> {
        let value = blst_fp12::miller_loop(&self.q, &self.p).final_exp();
        Ok(value.to_bendian().to_vec())
    }
}
