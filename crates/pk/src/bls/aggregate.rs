//! Sums of signatures and of keys.

use super::element::{Element, PublicKey, Signature};
use super::prepared::PreparedBls;
use super::suite::Variant;
use super::verify::VerifyError;
use crate::ec::pairing::{sum_g1_batch_vartime, sum_g2_batch_vartime};
use sunzi_engine::EngineError;

impl PreparedBls {
    /// The aggregate of signatures: their sum.
    ///
    /// # Errors
    /// [`VerifyError::NoKeys`] for no signatures, [`VerifyError::OtherVariant`] for a signature in the group of the
    /// keys, [`VerifyError::Engine`].
    pub fn aggregate(&self, signatures: &[&Signature]) -> Result<Signature, VerifyError> {
        if signatures.is_empty() {
            return Err(VerifyError::NoKeys);
        }
        let elements: Vec<_> = signatures.iter().map(|signature| &signature.0).collect();
        let in_g1 = self.suite().variant() == Variant::MinSig;
        let fits = |element: &&Element| matches!(element, Element::G1(_)) == in_g1;
        if !elements.iter().all(fits) {
            return Err(VerifyError::OtherVariant);
        }
        Ok(Signature(self.sum(&elements)?))
    }

    /// The sum of keys as a key: of the keys that signed one message.
    ///
    /// # Errors
    /// [`VerifyError::NoKeys`], [`VerifyError::OtherVariant`], [`VerifyError::InfiniteSum`], [`VerifyError::Engine`].
    pub fn aggregate_keys(&self, keys: &[&PublicKey]) -> Result<PublicKey, VerifyError> {
        if keys.is_empty() {
            return Err(VerifyError::NoKeys);
        }
        for key in keys {
            self.check_key(key)?;
        }
        let elements: Vec<_> = keys.iter().map(|key| key.element()).collect();
        match self.sum(&elements)? {
            sum if sum.is_identity() => Err(VerifyError::InfiniteSum),
            sum => Ok(PublicKey::of(sum)),
        }
    }

    /// The sum of elements of one group, at least one.
    pub(super) fn sum(&self, elements: &[&Element]) -> Result<Element, EngineError> {
        Ok(self.sums(&[elements])?.remove(0))
    }

    /// The sums of lists of elements of one group, at least one in the first list.
    pub(super) fn sums(&self, lists: &[&[&Element]]) -> Result<Vec<Element>, EngineError> {
        let is_g1 = |element: &&&Element| matches!(element, Element::G1(_));
        if lists
            .iter()
            .flat_map(|list| list.iter())
            .take(1)
            .any(|e| is_g1(&e))
        {
            let lists = lists.iter().map(|list| {
                let elements = list.iter().filter_map(|element| match element {
                    Element::G1(element) => Some(element),
                    Element::G2(_) => None,
                });
                elements.collect::<Vec<_>>()
            });
            let lists: Vec<_> = lists.collect();
            let lists: Vec<_> = lists.iter().map(|list| &list[..]).collect();
            let sums = sum_g1_batch_vartime(self.pairing(), &lists);
            return Ok(sums.into_iter().map(Element::G1).collect());
        }
        let lists = lists.iter().map(|list| {
            let elements = list.iter().filter_map(|element| match element {
                Element::G2(element) => Some(element),
                Element::G1(_) => None,
            });
            elements.collect::<Vec<_>>()
        });
        let lists: Vec<_> = lists.collect();
        let lists: Vec<_> = lists.iter().map(|list| &list[..]).collect();
        let sums = sum_g2_batch_vartime(self.pairing(), &lists)?;
        Ok(sums.into_iter().map(Element::G2).collect())
    }
}
