//! Groups modulo a prime, as elections use them.

use core::ffi::c_char;

use crypto_bigint::BoxedUint;
use sunzi_pk::ffc::{self, FfcError, Group as Numbered, PreparedGroup, elgamal, equality};
use sunzi_pk::system_rng;
use zeroize::Zeroizing;

use crate::batch::{Answer, Operand, Rows, rows, rows_mut, sum_up, write_number};
use crate::buffers::{ByteOrder, Bytes, Numbers, integer};
use crate::engine::{Engine, Place, borrowed, freed, text};
use crate::status::{Error, Status, guarded};

/// The subgroup of prime order q in the integers modulo a prime p, with a generator g and tables of its
/// powers.
pub struct Group {
    group: PreparedGroup,
}

/// An ElGamal public key for ballots, with tables of its powers.
pub struct BallotKey {
    key: elgamal::PublicKey,
}

impl Group {
    fn numbers(&self) -> &Numbered {
        self.group.group()
    }

    fn element_width(&self) -> usize {
        self.numbers().element_size()
    }

    fn exponent_width(&self) -> usize {
        exponent_width(self.numbers())
    }
}

fn exponent_width(group: &Numbered) -> usize {
    group.q().bits_vartime().div_ceil(8) as usize
}

fn failure(error: FfcError) -> Error {
    let status = match error {
        FfcError::WrongProof | FfcError::NotMember => Status::Invalid,
        FfcError::Random | FfcError::Primes(_) | FfcError::Engine(_) => Status::Failed,
        _ => Status::BadArgument,
    };
    Error::new(status, error)
}

/// The error of a verification.
fn verdict(error: FfcError) -> Error {
    if error.is_refusal() {
        Error::new(Status::Invalid, error)
    } else {
        failure(error)
    }
}

/// Numbers of fixed width one after the other.
struct Fields<'a> {
    bytes: &'a [u8],
    order: ByteOrder,
}

impl Fields<'_> {
    fn next(&mut self, width: usize) -> BoxedUint {
        let (field, rest) = self.bytes.split_at(width);
        self.bytes = rest;
        core::mem::take(&mut *integer(field, self.order))
    }
}

/// Writes numbers one after the other, each in a field of its width.
fn write_fields<'a>(
    row: &mut [u8],
    order: ByteOrder,
    fields: impl IntoIterator<Item = (&'a BoxedUint, usize)>,
) {
    let mut rest = row;
    for (number, width) in fields {
        let (field, after) = rest.split_at_mut(width);
        field.fill(0);
        write_number(number, field, order);
        rest = after;
    }
}

/// Prepares a group by its name: "modp3072" or "modp4096" (RFC 3526), "ffdhe3072" or "ffdhe4096" (RFC 7919),
/// of whose primes these are the groups of squares, or "ElectionGuard", with an order of 256 bits. It is to be
/// freed by sunzi_group_free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sunzi_group_named(
    engine: *const Engine,
    name: *const c_char,
    group: *mut *mut Group,
) -> Status {
    guarded(|| {
        // SAFETY: the caller's pointers are null, or a writable place, an engine and a text.
        let (place, engine, name) = unsafe {
            let place = Place::new(group, "group")?;
            (place, borrowed(engine, "engine")?, text(name, "name")?)
        };
        let numbers = Numbered::named(&name)
            .ok_or_else(|| Error::argument(format_args!("there is no group named {name:?}")))?;
        let made = PreparedGroup::new(engine.algorithms.engine(), &numbers).map_err(failure)?;
        place.hand_over(Group { group: made });
        Ok(())
    })
}

/// Prepares a group of your own: a prime p of 2,048 to 8,192 bits, a prime q of at least 160 bits that divides
/// p - 1, and a generator g of the elements of order q. All of this is checked. It is to be freed by
/// sunzi_group_free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sunzi_group_new(
    engine: *const Engine,
    p: Bytes,
    q: Bytes,
    g: Bytes,
    order: u32,
    group: *mut *mut Group,
) -> Status {
    guarded(|| {
        // SAFETY: the caller's pointers are null, or a writable place and an engine.
        let (place, engine) = unsafe { (Place::new(group, "group")?, borrowed(engine, "engine")?) };
        let order = ByteOrder::new(order)?;
        // SAFETY: the caller's buffers are readable.
        let (p, q, g) = unsafe {
            (
                p.number(order, "p")?,
                q.number(order, "q")?,
                g.number(order, "g")?,
            )
        };
        let numbers = Numbered::new(&p, &q, &g).map_err(failure)?;
        let inner = engine.algorithms.engine();
        let valid = engine.install(|| numbers.validate(inner, &mut system_rng()))?;
        valid.map_err(failure)?;
        let made = PreparedGroup::new(inner, &numbers).map_err(failure)?;
        place.hand_over(Group { group: made });
        Ok(())
    })
}

/// Frees a group. Null is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sunzi_group_free(group: *mut Group) {
    // SAFETY: it is null, or comes from this library, and nobody uses it any more.
    unsafe { freed(group) }
}

/// The bytes of an element, a number below p. 0 for null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sunzi_group_element_width(group: *const Group) -> usize {
    // SAFETY: the caller's pointer is null or a group.
    unsafe { group.as_ref() }.map_or(0, Group::element_width)
}

/// The bytes of an exponent, a number below q. 0 for null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sunzi_group_exponent_width(group: *const Group) -> usize {
    // SAFETY: the caller's pointer is null or a group.
    unsafe { group.as_ref() }.map_or(0, Group::exponent_width)
}

/// Writes p and g, in the bytes of an element each, and q, in those of an exponent. Any of them may be null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sunzi_group_numbers(
    group: *const Group,
    order: u32,
    p: *mut u8,
    q: *mut u8,
    g: *mut u8,
) -> Status {
    guarded(|| {
        // SAFETY: the caller's pointer is null or a group.
        let group = unsafe { borrowed(group, "group") }?;
        let order = ByteOrder::new(order)?;
        let numbers = group.numbers();
        let (element, exponent) = (group.element_width(), group.exponent_width());
        for (place, number, width) in [
            (p, numbers.p(), element),
            (q, numbers.q(), exponent),
            (g, numbers.g(), element),
        ] {
            if !place.is_null() {
                // SAFETY: the caller's buffer has so many bytes.
                let row = unsafe { core::slice::from_raw_parts_mut(place, width) };
                write_fields(row, order, [(number, width)]);
            }
        }
        Ok(())
    })
}

/// Draws `count` random exponents from 1 to q - 1: exponent k is written to `results + k * width` for the
/// width of an exponent.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sunzi_group_random_exponents(
    group: *const Group,
    count: usize,
    order: u32,
    results: *mut u8,
) -> Status {
    guarded(|| {
        // SAFETY: the caller's pointer is null or a group.
        let group = unsafe { borrowed(group, "group") }?;
        let (order, width) = (ByteOrder::new(order)?, group.exponent_width());
        let rows = Rows::new(results, width, width, count, order, core::ptr::null_mut())?;
        let rng = &mut system_rng();
        let drawn: Result<Vec<_>, _> = (0..count)
            .map(|_| group.numbers().random_exponent(rng))
            .collect();
        // SAFETY: the caller's buffer has room for all exponents.
        unsafe { rows.write(drawn.map_err(failure)?.into_iter().map(Ok)) }
    })
}

/// Computes `count` powers of the generator to secret exponents below q, by tables. Results and statuses are
/// as in sunzi_powers. (For other bases make tables by sunzi_table_new.)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sunzi_group_powers(
    engine: *const Engine,
    group: *const Group,
    count: usize,
    exponents: Numbers,
    order: u32,
    results: *mut u8,
    result_width: usize,
    statuses: *mut Status,
) -> Status {
    guarded(|| {
        // SAFETY: the caller's pointers are null, or an engine and a group.
        let (engine, group) = unsafe { (borrowed(engine, "engine")?, borrowed(group, "group")?) };
        let (order, least) = (ByteOrder::new(order)?, group.element_width());
        let rows = Rows::new(results, result_width, least, count, order, statuses)?;
        // SAFETY: the caller's buffer has a number for each item.
        let exponents = unsafe { Operand::read(exponents, count, order, "exponents") }?;
        let exponents = exponents.plain(count).into_iter().map(Zeroizing::new);
        let exponents: Vec<_> = exponents.collect();
        let group = &group.group;
        let powers = engine.install(|| {
            let engine = engine.algorithms.engine();
            ffc::power_batch(engine, group, group.generator(), &exponents)
        })?;
        let power = |power: Result<_, _>| power.map(Zeroizing::new).map_err(failure);
        // SAFETY: the caller's buffers have room for all items.
        unsafe { rows.write(powers.into_iter().map(power)) }
    })
}

/// Tells of `count` public numbers whether they are elements of the group: status k is SUNZI_STATUS_OK for a
/// member, and SUNZI_STATUS_INVALID for another number. Returns what sunzi_are_primes returns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sunzi_group_members(
    engine: *const Engine,
    group: *const Group,
    count: usize,
    numbers: Numbers,
    order: u32,
    statuses: *mut Status,
) -> Status {
    guarded(|| {
        // SAFETY: the caller's pointers are null, or an engine and a group.
        let (engine, group) = unsafe { (borrowed(engine, "engine")?, borrowed(group, "group")?) };
        let order = ByteOrder::new(order)?;
        // SAFETY: the caller's buffer has a number for each item.
        let numbers = unsafe { Operand::read(numbers, count, order, "numbers") }?.plain(count);
        let group = &group.group;
        let verdicts =
            engine.install(|| ffc::is_member_batch(engine.algorithms.engine(), group, &numbers))?;
        let answer = |verdict| match verdict {
            Ok(true) => Ok(()),
            Ok(false) => Err(failure(FfcError::NotMember)),
            Err(error) => Err(failure(error)),
        };
        let answers: Vec<Answer<()>> = verdicts.into_iter().map(answer).collect();
        // SAFETY: the caller's array has room for `count` statuses.
        unsafe { sum_up(&answers, statuses) }
    })
}

/// Statements of a batch: that the logarithm of a to the base g is that of b to the base h, all elements of
/// the group. `context` is what the proofs belong to, such as the election: a proof of one context is none in
/// another.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Statements {
    /// The first bases; the caller makes sure that they are in the group.
    pub g: Numbers,
    /// Their powers.
    pub a: Numbers,
    /// The second bases; the caller makes sure that they are in the group.
    pub h: Numbers,
    /// Their powers.
    pub b: Numbers,
    /// The context of all of them.
    pub context: Bytes,
}

/// Statements that were read.
struct Stated {
    operands: [Operand; 4],
    context: Vec<u8>,
}

impl Stated {
    /// # Safety
    /// The caller's buffers have a number for each item.
    unsafe fn read(statements: Statements, count: usize, order: ByteOrder) -> Result<Self, Error> {
        let Statements {
            g,
            a,
            h,
            b,
            context,
        } = statements;
        // SAFETY: by this function's condition.
        unsafe {
            Ok(Self {
                operands: [
                    Operand::read(g, count, order, "g")?,
                    Operand::read(a, count, order, "a")?,
                    Operand::read(h, count, order, "h")?,
                    Operand::read(b, count, order, "b")?,
                ],
                context: context.copied("context")?,
            })
        }
    }

    fn of(&self, k: usize) -> equality::Statement<'_> {
        let [g, a, h, b] = self.operands.each_ref().map(|operand| operand.of(k));
        equality::Statement {
            g,
            a,
            h,
            b,
            context: &self.context,
        }
    }
}

/// Proves `count` statements by their secret logarithms below q (Chaum and Pedersen). Proof k has twice the
/// width of an exponent, challenge and response, and is written to `proofs` plus k times that. A false
/// statement gets a proof that is not valid; of an item that failed the proof is zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sunzi_equality_prove(
    engine: *const Engine,
    group: *const Group,
    count: usize,
    statements: Statements,
    logarithms: Numbers,
    order: u32,
    proofs: *mut u8,
    statuses: *mut Status,
) -> Status {
    guarded(|| {
        // SAFETY: the caller's pointers are null, or an engine and a group.
        let (engine, group) = unsafe { (borrowed(engine, "engine")?, borrowed(group, "group")?) };
        let (order, width) = (ByteOrder::new(order)?, group.exponent_width());
        // SAFETY: the caller's buffers have a number for each item.
        let (stated, logarithms) = unsafe {
            (
                Stated::read(statements, count, order)?,
                Operand::read(logarithms, count, order, "logarithms")?,
            )
        };
        let claim = |k| equality::Claim {
            statement: stated.of(k),
            logarithm: logarithms.of(k),
        };
        let claims: Vec<_> = (0..count).map(claim).collect();
        let prepared = &group.group;
        let made = engine.install(|| {
            let engine = engine.algorithms.engine();
            equality::prove_batch(engine, &mut system_rng(), prepared, &claims)
        })?;
        // SAFETY: the caller's buffer has room for all proofs.
        let places = unsafe { rows_mut(proofs, count, 2 * width, "proofs") }?;
        let written = |(place, proof): (&mut [u8], Result<equality::Proof, FfcError>)| {
            place.fill(0);
            let proof = proof.map_err(failure)?;
            let fields = [&proof.challenge, &proof.response].map(|x| (x, width));
            write_fields(place, order, fields);
            Ok(())
        };
        let answers: Vec<_> = places.zip(made).map(written).collect();
        // SAFETY: the caller's array has room for `count` statuses.
        unsafe { sum_up(&answers, statuses) }
    })
}

/// Verifies `count` proofs of sunzi_equality_prove. Status k is SUNZI_STATUS_OK for a valid proof of statement
/// k, SUNZI_STATUS_INVALID for another one. Returns what sunzi_verify returns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sunzi_equality_verify(
    engine: *const Engine,
    group: *const Group,
    count: usize,
    statements: Statements,
    order: u32,
    proofs: *const u8,
    statuses: *mut Status,
) -> Status {
    guarded(|| {
        // SAFETY: the caller's pointers are null, or an engine and a group.
        let (engine, group) = unsafe { (borrowed(engine, "engine")?, borrowed(group, "group")?) };
        let (order, width) = (ByteOrder::new(order)?, group.exponent_width());
        // SAFETY: the caller's buffers have numbers and a proof for each item.
        let (stated, given) = unsafe {
            (
                Stated::read(statements, count, order)?,
                rows(proofs, count, 2 * width, "proofs")?,
            )
        };
        let given: Vec<_> = given
            .chunks_exact(2 * width)
            .map(|bytes| {
                let mut fields = Fields { bytes, order };
                equality::Proof {
                    challenge: fields.next(width),
                    response: fields.next(width),
                }
            })
            .collect();
        let pairs = given
            .iter()
            .enumerate()
            .map(|(k, proof)| (stated.of(k), proof));
        let pairs: Vec<_> = pairs.collect();
        let group = &group.group;
        let verdicts =
            engine.install(|| equality::verify_batch(engine.algorithms.engine(), group, &pairs))?;
        let answers: Vec<Answer<()>> = verdicts
            .into_iter()
            .map(|answer| answer.map_err(verdict))
            .collect();
        // SAFETY: the caller's array has room for `count` statuses.
        unsafe { sum_up(&answers, statuses) }
    })
}

/// Prepares a public key K = g^x for ballots, an element of the group. It is to be freed by
/// sunzi_ballot_key_free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sunzi_ballot_key_new(
    engine: *const Engine,
    group: *const Group,
    element: Bytes,
    order: u32,
    key: *mut *mut BallotKey,
) -> Status {
    guarded(|| {
        // SAFETY: the caller's pointers are null, or a writable place, an engine and a group.
        let (place, engine, group) = unsafe {
            let place = Place::new(key, "key")?;
            (
                place,
                borrowed(engine, "engine")?,
                borrowed(group, "group")?,
            )
        };
        let order = ByteOrder::new(order)?;
        // SAFETY: the caller's buffer is readable.
        let element = unsafe { element.number(order, "element") }?;
        let made = elgamal::PublicKey::new(engine.algorithms.engine(), &group.group, &element);
        let made = made.map_err(|error| Error::new(Status::BadKey, error))?;
        place.hand_over(BallotKey { key: made });
        Ok(())
    })
}

/// Frees a key. Null is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sunzi_ballot_key_free(key: *mut BallotKey) {
    // SAFETY: it is null, or comes from this library, and nobody uses it any more.
    unsafe { freed(key) }
}

/// Bytes of a ballot: alpha = g^r and beta = g^m K^r, which are elements, then the challenges for 0 and 1 and
/// the responses for 0 and 1, which are exponents, each in its width. 0 for null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sunzi_ballot_width(group: *const Group) -> usize {
    // SAFETY: the caller's pointer is null or a group.
    unsafe { group.as_ref() }.map_or(0, |group| ballot_width(group.numbers()))
}

fn ballot_width(group: &Numbered) -> usize {
    2 * group.element_size() + 4 * exponent_width(group)
}

fn read_ballot(bytes: &[u8], group: &Numbered, order: ByteOrder) -> elgamal::Ballot {
    let (element, exponent) = (group.element_size(), exponent_width(group));
    let mut fields = Fields { bytes, order };
    elgamal::Ballot {
        ciphertext: elgamal::Ciphertext {
            alpha: fields.next(element),
            beta: fields.next(element),
        },
        proof: elgamal::BitProof {
            challenges: [fields.next(exponent), fields.next(exponent)],
            responses: [fields.next(exponent), fields.next(exponent)],
        },
    }
}

/// Encrypts `count` votes, bytes that are 0 or 1, each with a proof that it is one of them (Cramer, Gennaro
/// and Schoenmakers, 1997), in constant time. Ballot k is written to `ballots` plus k times sunzi_ballot_width.
/// `context` names the election; a ballot is verified with the same. Of an item that failed the ballot is
/// zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sunzi_ballots_encrypt(
    engine: *const Engine,
    key: *const BallotKey,
    count: usize,
    votes: Bytes,
    context: Bytes,
    order: u32,
    ballots: *mut u8,
    statuses: *mut Status,
) -> Status {
    guarded(|| {
        // SAFETY: the caller's pointers are null, or an engine, a key and readable bytes.
        let (engine, key, votes, context) = unsafe {
            (
                borrowed(engine, "engine")?,
                borrowed(key, "key")?,
                votes.copied("votes")?,
                context.copied("context")?,
            )
        };
        let order = ByteOrder::new(order)?;
        if votes.len() != count {
            return Err(Error::argument(format_args!(
                "there are {} votes for {count} ballots",
                votes.len()
            )));
        }
        let group = key.key.group().group();
        let (element, exponent) = (group.element_size(), exponent_width(group));
        // SAFETY: the caller's buffer has room for all ballots.
        let places = unsafe { rows_mut(ballots, count, ballot_width(group), "ballots") }?;
        let votes = Zeroizing::new(votes.iter().map(|&vote| vote.into()).collect::<Vec<u32>>());
        let key = &key.key;
        let made = engine.install(|| {
            let engine = engine.algorithms.engine();
            elgamal::encrypt_batch(engine, &mut system_rng(), key, &votes, &context)
        })?;
        let written = |(place, ballot): (&mut [u8], Result<elgamal::Ballot, FfcError>)| {
            place.fill(0);
            let elgamal::Ballot { ciphertext, proof } = ballot.map_err(failure)?;
            let elements = [&ciphertext.alpha, &ciphertext.beta].map(|x| (x, element));
            let exponents = proof.challenges.iter().chain(&proof.responses);
            let exponents = exponents.map(|x| (x, exponent));
            write_fields(place, order, elements.into_iter().chain(exponents));
            Ok(())
        };
        let answers: Vec<_> = places.zip(made).map(written).collect();
        // SAFETY: the caller's array has room for `count` statuses.
        unsafe { sum_up(&answers, statuses) }
    })
}

/// Verifies `count` ballots: status k is SUNZI_STATUS_OK if ballot k is of 0 or 1, and SUNZI_STATUS_INVALID if
/// it is not. Returns what sunzi_verify returns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sunzi_ballots_verify(
    engine: *const Engine,
    key: *const BallotKey,
    count: usize,
    ballots: *const u8,
    context: Bytes,
    order: u32,
    statuses: *mut Status,
) -> Status {
    guarded(|| {
        // SAFETY: the caller's pointers are null, or an engine, a key and readable bytes.
        let (engine, key, context) = unsafe {
            (
                borrowed(engine, "engine")?,
                borrowed(key, "key")?,
                context.copied("context")?,
            )
        };
        let order = ByteOrder::new(order)?;
        let group = key.key.group().group();
        // SAFETY: the caller's buffer has all ballots.
        let given = unsafe { rows(ballots, count, ballot_width(group), "ballots") }?;
        let given: Vec<_> = given
            .chunks_exact(ballot_width(group))
            .map(|bytes| read_ballot(bytes, group, order))
            .collect();
        let key = &key.key;
        let verdicts = engine
            .install(|| elgamal::verify_batch(engine.algorithms.engine(), key, &given, &context))?;
        let answers: Vec<Answer<()>> = verdicts
            .into_iter()
            .map(|answer| answer.map_err(verdict))
            .collect();
        // SAFETY: the caller's array has room for `count` statuses.
        unsafe { sum_up(&answers, statuses) }
    })
}

/// The encrypted sum of the votes of `count` ballots: alpha and beta, one after the other, written to
/// `ciphertext` in the bytes of two elements. Verify the ballots before.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sunzi_ballots_sum(
    engine: *const Engine,
    group: *const Group,
    count: usize,
    ballots: *const u8,
    order: u32,
    ciphertext: *mut u8,
) -> Status {
    guarded(|| {
        // SAFETY: the caller's pointers are null, or an engine and a group.
        let (engine, group) = unsafe { (borrowed(engine, "engine")?, borrowed(group, "group")?) };
        let (order, width) = (ByteOrder::new(order)?, group.element_width());
        let numbers = group.numbers();
        // SAFETY: the caller's buffers have all ballots, and room for two elements.
        let (given, mut place) = unsafe {
            (
                rows(ballots, count, ballot_width(numbers), "ballots")?,
                rows_mut(ciphertext, 1, 2 * width, "ciphertext")?,
            )
        };
        let given = given.chunks_exact(ballot_width(numbers));
        let given = given.map(|bytes| read_ballot(bytes, numbers, order).ciphertext);
        let given: Vec<_> = given.collect();
        let given: Vec<_> = given.iter().collect();
        let prepared = &group.group;
        let sum = engine
            .install(|| elgamal::sum(engine.algorithms.engine(), prepared, &given))?
            .map_err(failure)?;
        let place = place.next().ok_or_else(Error::internal)?;
        write_fields(place, order, [&sum.alpha, &sum.beta].map(|x| (x, width)));
        Ok(())
    })
}

/// Decrypts a sum by the private key x, which is used in constant time; the sum is found by trying all numbers
/// up to `most`. `share`, alpha^x, is written in the bytes of an element: a proof that it has the logarithm to
/// alpha that K has to g shows that the sum is right.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sunzi_ballots_decrypt_sum(
    engine: *const Engine,
    group: *const Group,
    private_key: Bytes,
    ciphertext: *const u8,
    most: u32,
    order: u32,
    sum: *mut u32,
    share: *mut u8,
) -> Status {
    guarded(|| {
        // SAFETY: the caller's pointers are null, or an engine and a group.
        let (engine, group) = unsafe { (borrowed(engine, "engine")?, borrowed(group, "group")?) };
        let (order, width) = (ByteOrder::new(order)?, group.element_width());
        if sum.is_null() {
            return Err(Error::argument("sum is null"));
        }
        // SAFETY: the caller's buffers have the private key, two elements, and room for one.
        let (key, given, mut place) = unsafe {
            (
                private_key.number(order, "private_key")?,
                rows(ciphertext, 1, 2 * width, "ciphertext")?,
                rows_mut(share, 1, width, "share")?,
            )
        };
        let mut fields = Fields {
            bytes: &given,
            order,
        };
        let ciphertext = elgamal::Ciphertext {
            alpha: fields.next(width),
            beta: fields.next(width),
        };
        let prepared = &group.group;
        let tally = engine
            .install(|| {
                let engine = engine.algorithms.engine();
                elgamal::decrypt_sum_vartime(engine, prepared, &key, &ciphertext, most)
            })?
            .map_err(failure)?;
        let place = place.next().ok_or_else(Error::internal)?;
        write_fields(place, order, [(&tally.share, width)]);
        // SAFETY: the caller's pointer is writable.
        unsafe { *sum = tally.sum };
        Ok(())
    })
}
