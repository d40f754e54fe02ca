//! The papers' estimates for a multiplication, beside counts.

use super::choices::{Inversion, Reduction};
use super::operations::Operations;
use core::fmt;
use serde::Serialize;
use sunzi_papers::binary_ternary_inversion::printed::{BMI, BTMI};
use sunzi_papers::hierarchical_base_extension::printed::{
    hierarchical_operations, kawamura_products,
};
use sunzi_papers::sum_of_residues::printed::operations_of_product;
use sunzi_papers::{binary_ternary_inversion, frnn, hierarchical_base_extension, sum_of_residues};

/// An amount of work: products modulo p, or operations on residues.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub(super) enum Amount {
    Products {
        products: u64,
    },
    Operations(Operations),
    /// Products of residues, whether one of them is a constant or not, and sums.
    Together {
        emm_and_cmm: u64,
        ema: u64,
    },
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Products { products } => write!(f, "{products}"),
            Self::Operations(operations) => operations.fmt(f),
            Self::Together { emm_and_cmm, ema } => {
                write!(f, "{emm_and_cmm} EMM and CMM, {ema} EMA")
            }
        }
    }
}

/// A paper's estimate, and what was counted.
#[derive(Debug, Serialize)]
pub(super) struct Comparison {
    /// The estimated quantity.
    pub(super) of: &'static str,
    pub(super) counted: Amount,
    pub(super) estimate: Amount,
    pub(super) formula: String,
    /// The paper, and the place in it.
    pub(super) source: String,
}

/// The counts.
pub(super) struct Costs {
    /// Products modulo p of the multiplication.
    pub(super) products: u64,
    /// A product modulo p.
    pub(super) product: Operations,
    pub(super) multiplication: Operations,
    pub(super) inversion: Operations,
}

/// The parameters of the estimates.
#[derive(Clone, Copy)]
pub(super) struct Size {
    /// Length of p in bits.
    pub(super) bits: u32,
    /// Channels of products: of one base, if there are two.
    pub(super) channels: usize,
    /// Channels of the inversion, if it has some of its own.
    pub(super) inversion_channels: usize,
}

/// The estimates of the papers that have these algorithms.
pub(super) fn estimates(
    (reduction, inversion): (Reduction, Inversion),
    size: Size,
    costs: &Costs,
) -> Vec<Comparison> {
    let bits = f64::from(size.bits);
    // A whole number, as the number of bits is one.
    let products = frnn::printed::products_of_signature(bits) as u64;
    let signature = Comparison {
        of: "products modulo p of k G",
        counted: Amount::Products {
            products: costs.products,
        },
        estimate: Amount::Products { products },
        formula: "16 l - 16".to_owned(),
        source: format!(
            "{}, equation 16: a signature, in Jacobian coordinates for a = -3",
            frnn::PAPER.label
        ),
    };
    let product = product(reduction, size.channels as u64);
    let all = {
        let times = |count: u64| products * count;
        let Operations { emm, cmm, ema, cmr } = product.operations;
        Comparison {
            of: "operations on residues of k G",
            counted: Amount::Operations(costs.multiplication),
            estimate: Amount::Operations(Operations {
                emm: times(emm),
                cmm: times(cmm),
                ema: times(ema),
                cmr: times(cmr),
            }),
            formula: format!("16 l - 16 times {}", product.what),
            source: "both papers".to_owned(),
        }
    };
    let one = Comparison {
        of: "a product modulo p",
        counted: Amount::Operations(costs.product),
        estimate: Amount::Operations(product.operations),
        formula: product.formula.to_owned(),
        source: product.source,
    };
    let mut estimates = vec![signature, one, all];
    let cost = match inversion {
        Inversion::Btmi => Some(BTMI),
        Inversion::Bmi => Some(BMI),
        // Of a power the paper gives the order alone, l n^2.
        Inversion::Fermat => None,
    };
    estimates.extend(cost.map(|cost| {
        let unit = size.inversion_channels as f64 * bits;
        Comparison {
            of: "the inversion of Z, with the products by it",
            counted: Amount::Together {
                emm_and_cmm: costs.inversion.emm + costs.inversion.cmm,
                ema: costs.inversion.ema,
            },
            estimate: Amount::Together {
                emm_and_cmm: (cost.products * unit).round() as u64,
                ema: (cost.sums * unit).round() as u64,
            },
            formula: format!(
                "{} n l and {} n l on average, n = {}",
                cost.products, cost.sums, size.inversion_channels
            ),
            source: format!(
                "{}, section V: the inversion alone",
                binary_ternary_inversion::PAPER.label
            ),
        }
    }));
    estimates
}

/// A paper's estimate of a product modulo p.
struct Product {
    operations: Operations,
    /// The quantity that it is an estimate of.
    what: &'static str,
    formula: &'static str,
    source: String,
}

fn product(reduction: Reduction, n: u64) -> Product {
    let hierarchical = &hierarchical_base_extension::PAPER;
    match reduction {
        Reduction::Sor => {
            let [emm, cmm, ema] = operations_of_product(n);
            Product {
                operations: Operations {
                    emm,
                    cmm,
                    ema,
                    cmr: 0,
                },
                what: "a product",
                formula: "n EMM, n^2 + 2 n CMM and n^2 + n EMA",
                source: format!(
                    "{}, algorithm 2, its operations one by one",
                    sum_of_residues::PAPER.label
                ),
            }
        }
        Reduction::Kbe => Product {
            operations: Operations {
                emm: 0,
                cmm: 2 * kawamura_products(n),
                ema: 0,
                cmr: 0,
            },
            what: "the two base extensions of a product",
            formula: "2 (n^2 + n) CMM",
            source: format!("{}: two extensions alone", hierarchical.label),
        },
        Reduction::Hbe => {
            let [cmm, cmr] = hierarchical_operations(n);
            Product {
                operations: Operations {
                    emm: 0,
                    cmm: 2 * cmm,
                    ema: 0,
                    cmr: 2 * cmr,
                },
                what: "the two base extensions of a product",
                formula: "2 (n^2/2 + 2 n) CMM and 2 (n^2/2) CMR",
                source: format!("{}: two extensions alone", hierarchical.label),
            }
        }
    }
}
