//! Batches of powers of one base by tables, and of products of powers.

use core::fmt;
use std::{
    collections::{BTreeMap, btree_map::Entry},
    sync::Arc,
};

use crypto_bigint::BoxedUint;
use zeroize::Zeroizing;

use crate::{
    Engine, EngineError, Modulus,
    job::{Constants, Job, ProgramKey, Programs},
    program::{fixed_base::Comb, multi_power::multi_power, piece_bits},
    task::shared_length,
};

/// A base with tables of its powers modulo one modulus; cheap to clone. The tables are wiped when the
/// last clone is dropped.
#[derive(Clone)]
pub struct FixedBase(Arc<Tables>);

struct Tables {
    modulus: Arc<Modulus>,
    comb: Comb,
    entries: Vec<Zeroizing<BoxedUint>>,
    constants: Arc<Constants>,
}

impl FixedBase {
    /// The modulus.
    pub fn modulus(&self) -> &Arc<Modulus> {
        &self.0.modulus
    }

    /// The shape of the tables.
    pub fn comb(&self) -> Comb {
        self.0.comb
    }

    /// The entries of all tables, without a Montgomery factor, in the order of [`Comb::prepare`].
    pub fn entries(&self) -> &[Zeroizing<BoxedUint>] {
        &self.0.entries
    }

    /// The tables as the constants that [`Comb::power`] takes.
    pub fn constants(&self) -> &Arc<Constants> {
        &self.0.constants
    }
}

impl fmt::Debug for FixedBase {
    /// Shows the sizes only: the base may be a secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FixedBase")
            .field("modulus", &self.0.modulus)
            .field("comb", &self.0.comb)
            .finish_non_exhaustive()
    }
}

/// A product of powers `x_1^(e_1) ... x_k^(e_k)`, of public numbers.
#[derive(Clone, Debug)]
pub struct Product<'a> {
    /// The modulus, prepared by [`Engine::modulus`].
    pub modulus: &'a Arc<Modulus>,
    /// The bases, any non-negative integers, each with its exponent.
    pub terms: Vec<(&'a BoxedUint, &'a BoxedUint)>,
}

/// The shape of a product of powers: products of one shape run one program. It consists of the size class of the
/// modulus, the number of terms, the length of the exponents, and the pieces of the longest base.
type Shape = (u32, usize, u32, u32);

impl Product<'_> {
    fn shape(&self) -> Shape {
        let class = self.modulus.class();
        let bits = self.terms.iter().map(|(_, e)| e.bits_vartime()).max();
        let pieces = self
            .terms
            .iter()
            .map(|(x, _)| x.bits_precision().div_ceil(piece_bits(class)));
        (
            class,
            self.terms.len(),
            shared_length(bits.unwrap_or(0)).next_multiple_of(16),
            pieces.max().unwrap_or(1).max(1),
        )
    }
}

impl Engine {
    /// A base, of at most the bits of the modulus' [class](Modulus::class), with the tables of this comb, which take as
    /// long to make as some powers without them.
    ///
    /// # Errors
    /// [`EngineError::ForeignModulus`], [`EngineError::BadJob`] for a longer base,
    /// [`EngineError::Program`] for a comb that no program can have, [`EngineError::DeviceFailed`].
    pub fn fixed_base(
        &self,
        modulus: &Arc<Modulus>,
        base: &BoxedUint,
        comb: Comb,
    ) -> Result<FixedBase, EngineError> {
        let programs = self.programs(comb_key("comb-tables", modulus, comb), |builder| {
            comb.prepare(builder);
        })?;
        let job = Job {
            programs: &programs,
            modulus,
            constants: None,
            inputs: vec![base],
            scalars: Vec::new(),
        };
        let entries = self.execute(&[job])?.swap_remove(0).integers;
        let constants: Vec<_> = entries.iter().map(|entry| (&**entry, 1)).collect();
        Ok(FixedBase(Arc::new(Tables {
            constants: self.constants(modulus, &constants)?,
            modulus: Arc::clone(modulus),
            comb,
            entries,
        })))
    }

    /// The powers of a base with tables to these exponents, which are secrets: the time depends on their number and on
    /// the comb only.
    ///
    /// # Errors
    /// [`EngineError::ForeignModulus`] if another engine made the tables, [`EngineError::BadJob`] for an
    /// exponent that is longer than the comb's, [`EngineError::DeviceFailed`].
    pub fn fixed_base_powers(
        &self,
        base: &FixedBase,
        exponents: &[&BoxedUint],
    ) -> Result<Vec<Zeroizing<BoxedUint>>, EngineError> {
        let FixedBase(tables) = base;
        let comb = tables.comb;
        // The index of a too long exponent may be told, its value may not.
        let long = exponents.iter().position(|e| e.bits() > comb.bits);
        if let Some(index) = long {
            return Err(EngineError::BadJob {
                index,
                condition: format!(
                    "the exponent has more than the {} bits of the tables",
                    comb.bits
                ),
            });
        }
        let key = comb_key("comb-power", &tables.modulus, comb);
        let programs = self.programs(key, |builder| {
            let exponent = builder.scalar("exponent", comb.bits, true);
            let power = comb.power(builder, exponent);
            builder.output(power);
        })?;
        let job = |exponent| Job {
            programs: &programs,
            modulus: &tables.modulus,
            constants: Some(&tables.constants),
            inputs: Vec::new(),
            scalars: vec![exponent],
        };
        let jobs: Vec<Job<'_>> = exponents.iter().map(|&exponent| job(exponent)).collect();
        let outcomes = self.execute(&jobs)?.into_iter();
        Ok(outcomes
            .map(|mut outcome| outcome.integers.swap_remove(0))
            .collect())
    }

    /// The products of powers, in order; the squarings of a product are shared by its terms. An empty
    /// product is 1. All numbers are public.
    ///
    /// # Errors
    /// [`EngineError::ForeignModulus`], [`EngineError::Program`] for more terms than a program can have,
    /// [`EngineError::DeviceFailed`].
    pub fn products_of_powers_vartime(
        &self,
        products: &[Product<'_>],
    ) -> Result<Vec<BoxedUint>, EngineError> {
        let mut programs: BTreeMap<Shape, Arc<Programs>> = BTreeMap::new();
        for (index, product) in products.iter().enumerate() {
            if !self.owns(product.modulus) {
                return Err(EngineError::ForeignModulus { index });
            }
            let shape = product.shape();
            if let Entry::Vacant(place) = programs.entry(shape) {
                place.insert(self.product_program(shape)?);
            }
        }
        let jobs: Vec<Job<'_>> = products
            .iter()
            .map(|product| Job {
                programs: &programs[&product.shape()],
                modulus: product.modulus,
                constants: None,
                inputs: product.terms.iter().map(|&(x, _)| x).collect(),
                scalars: product.terms.iter().map(|&(_, e)| e).collect(),
            })
            .collect();
        let outcomes = self.execute(&jobs)?.into_iter();
        Ok(outcomes
            .map(|outcome| (*outcome.integers[0]).clone())
            .collect())
    }

    fn product_program(&self, shape: Shape) -> Result<Arc<Programs>, EngineError> {
        let (class, terms, bits, pieces) = shape;
        let key = ProgramKey {
            bits: class,
            kind: "product-of-powers",
            parameters: vec![terms as u64, bits.into(), pieces.into()],
        };
        self.programs(key, |builder| {
            let terms: Vec<_> = (0..terms)
                .map(|_| {
                    let x = builder.input(pieces * piece_bits(class));
                    (x, builder.scalar("exponent", bits, false))
                })
                .collect();
            let product = multi_power(builder, &terms);
            builder.output(product);
        })
    }
}

/// The key of a comb's program.
fn comb_key(kind: &'static str, modulus: &Modulus, comb: Comb) -> ProgramKey {
    ProgramKey {
        bits: modulus.class(),
        kind,
        parameters: [comb.bits, comb.teeth, comb.tables].map(u64::from).to_vec(),
    }
}
