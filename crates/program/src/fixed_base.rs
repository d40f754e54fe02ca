//! Powers of a fixed base: combs over a table that is prepared once (Lim and Lee, 1994).
//!
//! An exponent of L bits is written in h rows of s bits, one below the other, and the columns are
//! its digits; each of v tables holds, for every digit d, the product of the powers
//! `g^(2^(i s))` of the rows i that d has a bit in, to the power `2^(j t)` for table j, with
//! `t = s / v` rounded up. An exponentiation is then t squarings and s products.

use std::collections::{BTreeMap, BTreeSet};

use crate::{Builder, OwnTable, Recoding, Scalar, Value};

/// The shape of a comb.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Comb {
    /// Largest length of an exponent, in bits.
    pub bits: u32,
    /// Number of rows, h: a table has `2^h` entries.
    pub teeth: u32,
    /// Number of tables, v.
    pub tables: u32,
}

impl Comb {
    /// The largest number of tables.
    const MAX_TABLES: u32 = 64;

    /// The comb with the fewest products for exponents of `bits` bits and tables of at most
    /// `entries` entries together.
    pub fn new(bits: u32, entries: usize) -> Self {
        let shapes = (1..=10u32).flat_map(|teeth| {
            (1..=8u32).map(move |tables| Self {
                bits,
                teeth,
                tables,
            })
        });
        let fitting = shapes.filter(|comb| comb.entries() <= entries);
        fitting
            .min_by_key(|comb| (comb.spacing() + comb.steps(), comb.entries()))
            .unwrap_or(Self {
                bits,
                teeth: 1,
                tables: 1,
            })
    }

    /// Number of entries of all tables together.
    pub fn entries(&self) -> usize {
        let entries = 1usize.checked_shl(self.teeth).unwrap_or(usize::MAX);
        entries.saturating_mul(self.tables as usize)
    }

    /// Notes an error in the builder unless this is a comb of at least one tooth and one table, with
    /// tables that a program can have.
    fn check(&self, builder: &mut Builder) -> bool {
        let most_teeth = Builder::MAX_ENTRIES.ilog2();
        let ranges = [
            (self.bits, 0, Builder::MAX_LENGTH),
            (self.teeth, 1, most_teeth),
            (self.tables, 1, Self::MAX_TABLES),
        ];
        for (value, least, most) in ranges {
            builder.require("comb", value.into(), least.into(), most.into());
        }
        ranges
            .iter()
            .all(|(value, least, most)| (least..=most).contains(&value))
    }

    /// Number of digits of an exponent, s.
    fn spacing(&self) -> u32 {
        self.bits.div_ceil(self.teeth).max(1)
    }

    /// Number of squarings of an exponentiation, t.
    fn steps(&self) -> u32 {
        self.spacing().div_ceil(self.tables)
    }

    /// The program that makes the tables: its input is the base, its outputs are the entries of all tables,
    /// which are then constants of the modulus in Montgomery form.
    pub fn prepare(&self, builder: &mut Builder) {
        if !self.check(builder) {
            return;
        }
        let base = builder.input(builder.bits());
        let one = builder.montgomery_one();
        let exponent = |table: u32, row: u32| row * self.spacing() + table * self.steps();
        // g^(2^k) for all k that any entry needs, in one chain of squarings.
        let needed = (0..self.tables).flat_map(|j| (0..self.teeth).map(move |i| exponent(j, i)));
        let mut chain = BTreeMap::new();
        let (mut power, mut squared) = (base, 0);
        for k in needed.collect::<BTreeSet<_>>() {
            power = builder.square_times(power, k - squared);
            squared = k;
            chain.insert(k, power);
        }
        for table in 0..self.tables {
            let mut entries = vec![one];
            for digit in 1..1usize << self.teeth {
                let row = digit.ilog2();
                let factor = chain[&exponent(table, row)];
                let rest = digit ^ 1 << row;
                entries.push(if rest == 0 {
                    factor
                } else {
                    builder.multiply(entries[rest], factor)
                });
            }
            for entry in entries {
                builder.output(entry);
            }
        }
    }

    /// The base to the exponent's power, in Montgomery form. The tables are constants of the member's
    /// modulus, in the order of [`prepare`](Self::prepare), in Montgomery form. Constant time for a secret
    /// exponent.
    pub fn power(&self, builder: &mut Builder, exponent: Scalar) -> Value {
        let tables = self.declare(builder);
        self.power_by(builder, &tables, exponent)
    }

    /// The tables of a base as the next constants of the member's modulus, for several powers of it in one program.
    /// Empty for a comb that no program can have, which is an error of the builder.
    pub fn declare(&self, builder: &mut Builder) -> Vec<OwnTable> {
        if !self.check(builder) {
            return Vec::new();
        }
        (0..self.tables)
            .map(|_| builder.own_table(1 << self.teeth, 1))
            .collect()
    }

    /// [`power`](Self::power) by tables that have been [declared](Self::declare).
    pub fn power_by(&self, builder: &mut Builder, tables: &[OwnTable], exponent: Scalar) -> Value {
        if !self.check(builder) {
            return builder.montgomery_one();
        }
        let stream = builder.digits(
            exponent,
            Recoding::Comb {
                teeth: self.teeth,
                spacing: self.spacing(),
            },
        );
        let mut power: Option<Value> = None;
        for step in (0..self.steps()).rev() {
            if let Some(value) = power {
                power = Some(builder.square(value));
            }
            for (j, &table) in (0u32..).zip(tables) {
                let position = step + j * self.steps();
                if position >= self.spacing() {
                    continue;
                }
                let factor = builder.select_own(table, stream, position);
                power = Some(match power {
                    None => factor,
                    Some(value) => builder.multiply(value, factor),
                });
            }
        }
        match power {
            Some(power) => power,
            None => builder.montgomery_one(),
        }
    }
}
