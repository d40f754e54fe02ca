//! The jobs on groups of pairing-friendly curves: multiples, sums of many multiples, and encodings.

use super::job::CurveOperation;
use super::peers::{self, GroupBatch};
use super::report::Report;
use super::turns::Contestant;
use super::{Bench, Job, random};
use crate::failure::Failure;
use core::fmt::Display;
use crypto_bigint::BoxedUint;
use sunzi_engine::Engine;
use sunzi_pk::ec::{
    Curve, ElementFormat, GroupElement, MultiplyRequest, PreparedCurve, SumRequest, decode_batch,
    multi_scalar_batch_vartime, multiply_batch,
};

/// Operands: scalars and elements, and encodings of these.
struct Operands {
    curve: &'static str,
    format: ElementFormat,
    scalars: Vec<BoxedUint>,
    elements: Vec<GroupElement>,
    uncompressed: Vec<Vec<u8>>,
    compressed: Vec<Vec<u8>>,
}

impl Operands {
    /// Random scalars and elements.
    fn new(prepared: &EngineWithCurve, name: &'static str, count: usize) -> Result<Self, Failure> {
        let curve = prepared.curve.curve();
        let bits = curve.order().as_ref().bits_vartime();
        // Numbers of a bit less are below the order.
        let scalars = || (0..count).map(|_| random(bits, bits - 1));
        let generators = vec![GroupElement::generator(curve); count];
        let multipliers = scalars().collect::<Result<Vec<_>, _>>()?;
        let elements = prepared.multiples(&multipliers, &generators)?;
        let format = match name {
            "BLS12-381-G1" => ElementFormat::Zcash,
            _ => ElementFormat::Sec1,
        };
        Ok(Self {
            curve: name,
            format,
            scalars: scalars().collect::<Result<_, _>>()?,
            uncompressed: encodings(format, false, &elements)?,
            compressed: encodings(format, true, &elements)?,
            elements,
        })
    }
}

/// An engine with the curve prepared for it.
struct EngineWithCurve {
    engine: Engine,
    curve: PreparedCurve,
}

impl EngineWithCurve {
    fn new(engine: Engine, curve: &Curve) -> Result<Self, Failure> {
        let curve = done(PreparedCurve::new(&engine, curve))?;
        Ok(Self { engine, curve })
    }

    fn multiples(
        &self,
        scalars: &[BoxedUint],
        elements: &[GroupElement],
    ) -> Result<Vec<GroupElement>, Failure> {
        let request = |(scalar, element)| MultiplyRequest {
            curve: &self.curve,
            scalar,
            element,
        };
        let requests: Vec<_> = scalars.iter().zip(elements).map(request).collect();
        let multiples = multiply_batch(&self.engine, &requests).into_iter();
        done(multiples.collect())
    }

    /// The operation for the first operands: the resulting elements in uncompressed encoding, of sums one.
    fn run(
        &self,
        operation: CurveOperation,
        operands: &Operands,
        batch: usize,
    ) -> Result<Vec<Vec<u8>>, Failure> {
        let scalars = &operands.scalars[..batch];
        let elements = &operands.elements[..batch];
        let results = match operation {
            CurveOperation::Multiply => self.multiples(scalars, elements)?,
            CurveOperation::Sum => {
                let terms: Vec<_> = scalars.iter().zip(elements).collect();
                let request = SumRequest {
                    curve: &self.curve,
                    terms: &terms,
                };
                let sums = multi_scalar_batch_vartime(&self.engine, &[request]);
                done(sums.into_iter().collect::<Result<_, _>>())?
            }
            CurveOperation::Decode => {
                let encodings = operands.compressed[..batch].iter();
                let encodings: Vec<_> = encodings.map(|bytes| &bytes[..]).collect();
                let elements = done(decode_batch(&self.curve, operands.format, &encodings))?;
                done(elements.into_iter().collect::<Result<_, _>>())?
            }
            CurveOperation::Sign | CurveOperation::Verify | CurveOperation::Agree => Vec::new(),
        };
        encodings(operands.format, false, &results)
    }
}

fn encodings(
    format: ElementFormat,
    compressed: bool,
    elements: &[GroupElement],
) -> Result<Vec<Vec<u8>>, Failure> {
    let elements = elements.iter();
    let encodings = elements.map(|element| element.to_bytes(format, compressed));
    done(encodings.collect())
}

fn done<T>(result: Result<T, impl Display>) -> Result<T, Failure> {
    result.map_err(Failure::from_error)
}

impl Bench<'_> {
    /// Measures an operation with elements of a pairing-friendly curve's group.
    pub(super) fn in_group(
        &self,
        job: Job,
        (operation, name): (CurveOperation, &'static str),
        report: &mut Report,
    ) -> Result<(), Failure> {
        report.show_activity(&format_args!("{job}: elements"));
        let curve: Curve = done(name.parse())?;
        let engines = self.new_engines()?.into_iter();
        let engines = engines.map(|engine| EngineWithCurve::new(engine, &curve));
        let engines = engines.collect::<Result<Vec<_>, _>>()?;
        let Some(first) = engines.first() else {
            return Err(Failure::new("no backend can run on this processor"));
        };
        let operands = Operands::new(first, name, self.largest_batch())?;
        let scalars = operands.scalars.iter().map(BoxedUint::to_be_bytes);
        let scalars: Vec<_> = scalars.collect();
        for &batch in &self.batches {
            let results = first.run(operation, &operands, batch)?;
            let ours = engines.iter().map(|prepared| {
                let operands = &operands;
                Contestant {
                    name: prepared.engine.backend().to_string(),
                    unit: batch,
                    repeat: Box::new(move |repetitions| {
                        (0..repetitions)
                            .try_for_each(|_| prepared.run(operation, operands, batch).map(drop))
                    }),
                }
            });
            let mut contestants: Vec<_> = ours.collect();
            contestants.extend(peers::in_group(
                operation,
                &GroupBatch {
                    curve: operands.curve,
                    scalars: &scalars[..batch],
                    elements: &operands.uncompressed[..batch],
                    encodings: &operands.compressed[..batch],
                    results: &results,
                    threads: self.threads,
                },
            )?);
            self.turns(job, batch, contestants, report)?;
        }
        Ok(())
    }
}
