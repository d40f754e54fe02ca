//! The test vectors of `vectors/base_extension.json`.

mod common;

use common::{big, boxed, residues, vectors};
use sunzi_rns::extend::{hierarchical::Hierarchical, kawamura::Kawamura};
use sunzi_rns::{Base, BaseExtension, ExtensionError, Fixed, Residues};

#[test]
fn all_vectors_of_the_pseudo_mersenne_sets() {
    let sets = vectors().sets;
    assert_eq!(sets.len(), 8);
    for set in &sets {
        let (a, b) = set.bases();
        assert_eq!(a.len(), set.n);
        let kawamura = Kawamura::new(&a, &b, set.t_kbe, Fixed::HALF).unwrap();
        let hierarchical = Hierarchical::new(&a, &b, set.c, set.t_hbe, Fixed::HALF).unwrap();
        for case in &set.cases {
            let x = Residues::from_uint(&a, &boxed(&case.x.value())).unwrap();
            let expected = case.in_b.iter().map(|r| u128::try_from(r.value()).unwrap());
            let expected = Residues::new(&b, expected.collect()).unwrap();
            assert_eq!(kawamura.rank(&x), case.h_kbe);
            assert_eq!(hierarchical.rank(&x), case.h_hbe);
            assert_eq!(kawamura.extend(&x), expected);
            assert_eq!(hierarchical.extend(&x), expected);
            assert_eq!(big(&x.to_uint()), case.x.value());
        }
    }
}

#[test]
fn the_set_refused_for_hbe_and_exact_for_kbe() {
    let refused = vectors().refused_for_hbe;
    let (a, b) = (
        Base::new(&refused.a).unwrap(),
        Base::new(&refused.b).unwrap(),
    );
    let error = Hierarchical::with_fewest_bits(&a, &b, refused.c, Fixed::HALF).unwrap_err();
    assert!(matches!(error, ExtensionError::Inexact { .. }));
    assert!(
        error.to_string().contains("E <= 0.500000 is needed"),
        "{error}"
    );
    let kawamura = Kawamura::new(&a, &b, refused.w, Fixed::HALF).unwrap();
    for case in &refused.cases {
        let result = kawamura.extend(&residues(&a, &case.x.into()));
        assert_eq!(result.values(), case.in_b);
        assert_eq!(result.values(), case.kbe);
    }
}
