//! Groups modulo a prime, as elections use them: powers of fixed bases, products of powers, membership,
//! proofs of equal logarithms, and ballots. Numbers are Python's integers.

use crypto_bigint::BoxedUint;
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyList;
use sunzi_pk::ffc::elgamal::{self, Ballot, BitProof, Ciphertext, PublicKey};
use sunzi_pk::ffc::equality::{self, Claim, Proof, Statement};
use sunzi_pk::ffc::{self, FfcError, FixedBase, Group, PreparedGroup};
use sunzi_pk::system_rng;
use zeroize::Zeroizing;

use crate::arguments::{Count, Most, Threads, Vote, ordered};
use crate::batch::{Errors, Run, listen};
use crate::engine::Engine;
use crate::integers::{listed, natural, naturals, to_python};
use crate::keys::refused;

/// Powers that take as long as making or verifying a ballot or a proof, from above.
const POWERS_OF_A_PROOF: f64 = 10.0;

type Any<'py> = Bound<'py, PyAny>;
type Pair<'py> = (Any<'py>, Any<'py>);
/// g, a, h and b of a statement.
type Four<'py> = (Any<'py>, Any<'py>, Any<'py>, Any<'py>);
/// alpha and beta; both challenges and both responses.
type BallotNumbers<'py> = (Pair<'py>, (Pair<'py>, Pair<'py>));

/// A prepared group. See `sunzi.elections.Group`.
#[pyclass(frozen, module = "sunzi._sunzi")]
pub(crate) struct ElectionGroup {
    group: PreparedGroup,
    engine: sunzi_engine::Engine,
}

/// The table of a base. See `sunzi.elections.FixedBase`.
#[pyclass(frozen, module = "sunzi._sunzi")]
pub(crate) struct ElectionFixedBase {
    base: FixedBase,
}

/// A prepared public key. See `sunzi.elections.PublicKey`.
#[pyclass(frozen, module = "sunzi._sunzi")]
pub(crate) struct ElectionPublicKey {
    key: PublicKey,
    engine: sunzi_engine::Engine,
}

/// A public number.
fn public(object: &Any<'_>) -> PyResult<BoxedUint> {
    Ok((*natural(object, "a number")?).clone())
}

fn pair(numbers: &Pair<'_>) -> PyResult<[BoxedUint; 2]> {
    Ok([public(&numbers.0)?, public(&numbers.1)?])
}

fn python_pair<'py>(py: Python<'py>, numbers: [&BoxedUint; 2]) -> PyResult<Pair<'py>> {
    Ok((to_python(py, numbers[0])?, to_python(py, numbers[1])?))
}

/// The one context of a batch, or that of an item.
fn context(contexts: &[PyBackedBytes], item: usize) -> &[u8] {
    match contexts {
        [one] => one,
        many => &many[item],
    }
}

fn check_length(what: &str, length: usize, items: usize) -> PyResult<()> {
    if length == items {
        return Ok(());
    }
    Err(PyValueError::new_err(format!(
        "{items} statements and {length} {what}"
    )))
}

/// Whether something was right, or why that is not known.
fn verdict(result: Result<(), FfcError>) -> Result<bool, FfcError> {
    match result {
        Ok(()) => Ok(true),
        Err(error) if error.is_refusal() => Ok(false),
        Err(error) => Err(error),
    }
}

/// Verdicts as a list. Where there is none, that is raised.
fn verdicts(py: Python<'_>, results: Vec<Result<bool, FfcError>>) -> PyResult<Bound<'_, PyList>> {
    Errors::Raise.listed(py, results, |verdict| verdict.into_bound_py_any(py))
}

impl ElectionGroup {
    fn prepare(py: Python<'_>, engine: &Engine, group: &Group) -> PyResult<Self> {
        let engine = engine.inner.clone();
        let group = Run::new(None, None).at_once(py, || PreparedGroup::new(&engine, group))?;
        let group = group.map_err(refused)?;
        Ok(Self { group, engine })
    }

    /// Seconds that a power takes on one thread of a slow processor.
    fn seconds(&self) -> f64 {
        power_seconds(self.group.group())
    }

    /// The statements of a batch, each with its context.
    fn statements<'a>(
        numbers: &'a [[BoxedUint; 4]],
        contexts: &'a [PyBackedBytes],
    ) -> PyResult<Vec<Statement<'a>>> {
        if contexts.len() != 1 {
            check_length("contexts", contexts.len(), numbers.len())?;
        }
        let statement = |(item, [g, a, h, b]): (usize, &'a [BoxedUint; 4])| Statement {
            g,
            a,
            h,
            b,
            context: context(contexts, item),
        };
        Ok(numbers.iter().enumerate().map(statement).collect())
    }
}

/// Seconds that the two products of an addition take on one thread of a slow processor.
fn product_seconds(group: &Group) -> f64 {
    let words = f64::from(group.p().bits_vartime().div_ceil(64));
    words * words * 4e-9
}

fn power_seconds(group: &Group) -> f64 {
    let words = f64::from(group.p().bits_vartime().div_ceil(64));
    f64::from(group.q().bits_vartime()) * words * words * 2e-9
}

fn four(numbers: &[Four<'_>]) -> PyResult<Vec<[BoxedUint; 4]>> {
    let four = |(g, a, h, b): &Four<'_>| Ok([public(g)?, public(a)?, public(h)?, public(b)?]);
    numbers.iter().map(four).collect()
}

#[pymethods]
impl ElectionGroup {
    #[new]
    fn new(
        py: Python<'_>,
        engine: &Engine,
        p: &Any<'_>,
        q: &Any<'_>,
        g: &Any<'_>,
    ) -> PyResult<Self> {
        let group = Group::new(&public(p)?, &public(q)?, &public(g)?).map_err(refused)?;
        Self::prepare(py, engine, &group)
    }

    #[staticmethod]
    fn named(py: Python<'_>, engine: &Engine, name: &str) -> PyResult<Self> {
        let group = Group::named(name).ok_or_else(|| {
            PyValueError::new_err(format!(
                "no group is named {name:?}: \"modp3072\", \"modp4096\", \"ffdhe3072\", \
                 \"ffdhe4096\" and \"ElectionGuard\" are"
            ))
        })?;
        Self::prepare(py, engine, &group)
    }

    #[getter]
    fn p<'py>(&self, py: Python<'py>) -> PyResult<Any<'py>> {
        to_python(py, self.group.group().p())
    }

    #[getter]
    fn q<'py>(&self, py: Python<'py>) -> PyResult<Any<'py>> {
        to_python(py, self.group.group().q())
    }

    #[getter]
    fn g<'py>(&self, py: Python<'py>) -> PyResult<Any<'py>> {
        to_python(py, self.group.group().g())
    }

    fn validate(&self, py: Python<'_>) -> PyResult<()> {
        let group = self.group.group();
        let valid = Run::new(None, None).watched(py, |watch| {
            // How far it is, is not told.
            let watch = &mut || watch(0, 1);
            group.validate_watched(&self.engine, &mut system_rng(), watch)
        })?;
        valid.map_err(refused)
    }

    fn random_exponents<'py>(&self, py: Python<'py>, count: Count) -> PyResult<Bound<'py, PyList>> {
        let rng = &mut system_rng();
        let exponent = || self.group.group().random_exponent(rng);
        let exponents = std::iter::repeat_with(exponent).take(count.0).collect();
        listed(py, Errors::Raise, exponents)
    }

    fn fixed_base(&self, py: Python<'_>, element: &Any<'_>) -> PyResult<ElectionFixedBase> {
        let element = public(element)?;
        let prepare = || self.group.fixed_base(&self.engine, &element);
        let base = Run::new(None, None).at_once(py, prepare)?;
        let base = base.map_err(refused)?;
        Ok(ElectionFixedBase { base })
    }

    #[pyo3(signature = (exponents, base = None, *, errors = "raise", threads = None, progress = None))]
    fn powers<'py>(
        &self,
        py: Python<'py>,
        exponents: &Any<'py>,
        base: Option<&ElectionFixedBase>,
        errors: &str,
        threads: Option<Threads>,
        progress: Option<Any<'py>>,
    ) -> PyResult<Bound<'py, PyList>> {
        let run = Run::new(threads, progress);
        let errors = Errors::new(errors)?;
        let exponents = naturals(exponents, "an exponent")?;
        let exponents: Vec<_> = exponents.into_iter().map(Zeroizing::new).collect();
        let base = base.map_or(self.group.generator(), |base| &base.base);
        let powers = run.in_parts(
            py,
            exponents.len(),
            |_| self.seconds(),
            |range| {
                Ok(ffc::power_batch(
                    &self.engine,
                    &self.group,
                    base,
                    &exponents[range],
                ))
            },
        )?;
        listed(py, errors, powers)
    }

    #[pyo3(signature = (products, *, errors = "raise", threads = None, progress = None))]
    fn products_of_powers<'py>(
        &self,
        py: Python<'py>,
        products: Vec<Vec<Pair<'py>>>,
        errors: &str,
        threads: Option<Threads>,
        progress: Option<Any<'py>>,
    ) -> PyResult<Bound<'py, PyList>> {
        let run = Run::new(threads, progress);
        let errors = Errors::new(errors)?;
        let terms = |product: &Vec<Pair<'py>>| product.iter().map(pair).collect();
        let products: Vec<Vec<[BoxedUint; 2]>> =
            products.iter().map(terms).collect::<PyResult<_>>()?;
        let seconds = |item: usize| self.seconds() * products[item].len() as f64;
        let results = run.in_parts(py, products.len(), seconds, |range| {
            let terms: Vec<Vec<_>> = products[range]
                .iter()
                .map(|product| product.iter().map(|[x, e]| (x, e)).collect())
                .collect();
            let terms: Vec<_> = terms.iter().map(Vec::as_slice).collect();
            let (engine, group) = (&self.engine, &self.group);
            Ok(ffc::product_of_powers_batch_vartime(engine, group, &terms))
        })?;
        listed(py, errors, results)
    }

    #[pyo3(signature = (numbers, *, threads = None, progress = None))]
    fn are_members<'py>(
        &self,
        py: Python<'py>,
        numbers: &Any<'py>,
        threads: Option<Threads>,
        progress: Option<Any<'py>>,
    ) -> PyResult<Bound<'py, PyList>> {
        let run = Run::new(threads, progress);
        let numbers = naturals(numbers, "a number")?;
        let results = run.in_parts(
            py,
            numbers.len(),
            |_| self.seconds(),
            |range| {
                let numbers = &numbers[range];
                Ok(ffc::is_member_batch(&self.engine, &self.group, numbers))
            },
        )?;
        verdicts(py, results)
    }

    #[pyo3(signature = (statements, logarithms, contexts, *, errors = "raise", threads = None, progress = None))]
    fn prove_equal_logarithms<'py>(
        &self,
        py: Python<'py>,
        statements: Vec<Four<'py>>,
        logarithms: &Any<'py>,
        contexts: Vec<PyBackedBytes>,
        errors: &str,
        threads: Option<Threads>,
        progress: Option<Any<'py>>,
    ) -> PyResult<Bound<'py, PyList>> {
        let run = Run::new(threads, progress);
        let errors = Errors::new(errors)?;
        let numbers = four(&statements)?;
        let statements = Self::statements(&numbers, &contexts)?;
        let logarithms = naturals(logarithms, "a logarithm")?;
        let logarithms: Vec<_> = logarithms.into_iter().map(Zeroizing::new).collect();
        check_length("logarithms", logarithms.len(), statements.len())?;
        let seconds = |_| self.seconds() * POWERS_OF_A_PROOF;
        let proofs = run.in_parts(py, statements.len(), seconds, |range| {
            let pairs = statements[range.clone()].iter().zip(&logarithms[range]);
            let claims: Vec<_> = pairs
                .map(|(&statement, logarithm)| Claim {
                    statement,
                    logarithm,
                })
                .collect();
            let (engine, rng) = (&self.engine, &mut system_rng());
            Ok(equality::prove_batch(engine, rng, &self.group, &claims))
        })?;
        errors.listed(py, proofs, |proof| {
            python_pair(py, [&proof.challenge, &proof.response])?.into_bound_py_any(py)
        })
    }

    #[pyo3(signature = (statements, proofs, contexts, *, threads = None, progress = None))]
    fn verify_equal_logarithms<'py>(
        &self,
        py: Python<'py>,
        statements: Vec<Four<'py>>,
        proofs: Vec<Pair<'py>>,
        contexts: Vec<PyBackedBytes>,
        threads: Option<Threads>,
        progress: Option<Any<'py>>,
    ) -> PyResult<Bound<'py, PyList>> {
        let run = Run::new(threads, progress);
        let numbers = four(&statements)?;
        let statements = Self::statements(&numbers, &contexts)?;
        check_length("proofs", proofs.len(), statements.len())?;
        let proof = |numbers: &Pair<'py>| {
            let [challenge, response] = pair(numbers)?;
            Ok(Proof {
                challenge,
                response,
            })
        };
        let proofs: Vec<Proof> = proofs.iter().map(proof).collect::<PyResult<_>>()?;
        let seconds = |_| self.seconds() * POWERS_OF_A_PROOF;
        let results = run.in_parts(py, statements.len(), seconds, |range| {
            let pairs = statements[range.clone()].iter().zip(&proofs[range]);
            let pairs: Vec<_> = pairs
                .map(|(&statement, proof)| (statement, proof))
                .collect();
            let results = equality::verify_batch(&self.engine, &self.group, &pairs);
            Ok(results.into_iter().map(verdict).collect())
        })?;
        verdicts(py, results)
    }

    #[pyo3(signature = (ciphertexts, *, threads = None, progress = None))]
    fn sum<'py>(
        &self,
        py: Python<'py>,
        ciphertexts: &Any<'py>,
        threads: Option<Threads>,
        progress: Option<Any<'py>>,
    ) -> PyResult<Pair<'py>> {
        let run = Run::new(threads, progress);
        let number = |(item, numbers): (usize, PyResult<Any<'py>>)| {
            listen(py, item)?;
            ciphertext(&numbers?.extract()?)
        };
        let ciphertexts = ordered(ciphertexts, "ciphertexts")?.enumerate().map(number);
        let ciphertexts: Vec<_> = ciphertexts.collect::<PyResult<_>>()?;
        let ciphertexts: Vec<&Ciphertext> = ciphertexts.iter().collect();
        let sum =
            |terms: &[&Ciphertext]| elgamal::sum(&self.engine, &self.group, terms).map_err(refused);
        let nothing = sum(&[])?;
        let seconds = product_seconds(self.group.group());
        let sum = run.fold(py, ciphertexts.len(), seconds, nothing, |total, range| {
            let part = sum(&ciphertexts[range])?;
            sum(&[total, &part])
        })?;
        python_pair(py, [&sum.alpha, &sum.beta])
    }

    #[pyo3(signature = (key, numbers, most, *, progress = None))]
    fn decrypt_sum<'py>(
        &self,
        py: Python<'py>,
        key: &Any<'py>,
        numbers: Pair<'py>,
        most: Most,
        progress: Option<Any<'py>>,
    ) -> PyResult<(u32, Any<'py>)> {
        let Most(most) = most;
        let (key, ciphertext) = (natural(key, "the key")?, ciphertext(&numbers)?);
        let tally = Run::new(None, progress).watched(py, |watch| {
            let (engine, group) = (&self.engine, &self.group);
            // No number is tried twice, and the last one is `most`.
            let watch = &mut |tried: u32| watch(tried as usize, most as usize + 1);
            elgamal::decrypt_sum_watched_vartime(engine, group, &key, &ciphertext, most, watch)
        })?;
        let tally = tally.map_err(refused)?;
        Ok((tally.sum, to_python(py, &tally.share)?))
    }
}

fn ciphertext(numbers: &Pair<'_>) -> PyResult<Ciphertext> {
    let [alpha, beta] = pair(numbers)?;
    Ok(Ciphertext { alpha, beta })
}

#[pymethods]
impl ElectionFixedBase {
    #[getter]
    fn element<'py>(&self, py: Python<'py>) -> PyResult<Any<'py>> {
        to_python(py, self.base.element())
    }
}

impl ElectionPublicKey {
    fn seconds(&self) -> f64 {
        power_seconds(self.key.group().group()) * POWERS_OF_A_PROOF
    }
}

#[pymethods]
impl ElectionPublicKey {
    #[new]
    fn new(py: Python<'_>, group: &ElectionGroup, element: &Any<'_>) -> PyResult<Self> {
        let element = public(element)?;
        let engine = group.engine.clone();
        let prepare = || PublicKey::new(&engine, &group.group, &element);
        let key = Run::new(None, None).at_once(py, prepare)?;
        let key = key.map_err(refused)?;
        Ok(Self { key, engine })
    }

    #[getter]
    fn element<'py>(&self, py: Python<'py>) -> PyResult<Any<'py>> {
        to_python(py, self.key.element())
    }

    #[pyo3(signature = (votes, context, *, errors = "raise", threads = None, progress = None))]
    fn encrypt<'py>(
        &self,
        py: Python<'py>,
        votes: Vec<Vote>,
        context: PyBackedBytes,
        errors: &str,
        threads: Option<Threads>,
        progress: Option<Any<'py>>,
    ) -> PyResult<Bound<'py, PyList>> {
        let run = Run::new(threads, progress);
        let errors = Errors::new(errors)?;
        let votes: Vec<u32> = votes.iter().map(|vote| vote.0).collect();
        let ballots = run.in_parts(
            py,
            votes.len(),
            |_| self.seconds(),
            |range| {
                let (engine, rng, votes) = (&self.engine, &mut system_rng(), &votes[range]);
                Ok(elgamal::encrypt_batch(
                    engine, rng, &self.key, votes, &context,
                ))
            },
        )?;
        errors.listed(py, ballots, |ballot| {
            let Ciphertext { alpha, beta } = &ballot.ciphertext;
            let [c0, c1] = &ballot.proof.challenges;
            let [v0, v1] = &ballot.proof.responses;
            let numbers: BallotNumbers<'py> = (
                python_pair(py, [alpha, beta])?,
                (python_pair(py, [c0, c1])?, python_pair(py, [v0, v1])?),
            );
            numbers.into_bound_py_any(py)
        })
    }

    #[pyo3(signature = (ballots, context, *, threads = None, progress = None))]
    fn verify<'py>(
        &self,
        py: Python<'py>,
        ballots: Vec<BallotNumbers<'py>>,
        context: PyBackedBytes,
        threads: Option<Threads>,
        progress: Option<Any<'py>>,
    ) -> PyResult<Bound<'py, PyList>> {
        let run = Run::new(threads, progress);
        let ballot = |(numbers, (challenges, responses)): &BallotNumbers<'py>| {
            let ciphertext = ciphertext(numbers)?;
            let (challenges, responses) = (pair(challenges)?, pair(responses)?);
            Ok(Ballot {
                ciphertext,
                proof: BitProof {
                    challenges,
                    responses,
                },
            })
        };
        let ballots: Vec<Ballot> = ballots.iter().map(ballot).collect::<PyResult<_>>()?;
        let results = run.in_parts(
            py,
            ballots.len(),
            |_| self.seconds(),
            |range| {
                let results =
                    elgamal::verify_batch(&self.engine, &self.key, &ballots[range], &context);
                Ok(results.into_iter().map(verdict).collect())
            },
        )?;
        verdicts(py, results)
    }
}
