//! Scheduler: assigns jobs to devices and layouts. Nothing else chooses between devices.
//!
//! Jobs of one program and plan are split into groups. Every device is asked for the time that
//! each of its layouts takes for the program, and a batch is cut so that the sum of these times
//! is least. Nothing is guessed: a layout that no device predicts a time for is not used.

use core::{
    any::Any,
    sync::atomic::{AtomicBool, Ordering},
};
use std::collections::BTreeMap;
use std::sync::Arc;

use rayon::prelude::*;

use crate::{
    EngineError, FoundFault,
    device::{Device, DeviceError, Member, Notes, Outcome, PartsOfTime, Work},
    faults::Finding,
    job::{
        Candidate, Constants, DeviceFailure, Estimate, Job, Modulus, Prediction, Programs, Shared,
    },
    layout::Layout,
    program::{Counts, Operation, Part, Program},
    threads::available_threads,
};

/// A share of a batch: numbers that are computed together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Share {
    pub(crate) candidate: Candidate,
    /// Number of numbers, at most the layout's width.
    pub(crate) numbers: usize,
}

/// The cost of a linear operation in products.
const LINEAR_IN_PRODUCTS: f64 = 0.1;

/// The least work that is worth waking another thread for, by predicted nanoseconds. Less work stays on the
/// calling thread: waking one costs more than it saves.
const WORTH_WAKING_NS: f64 = 100_000.0;

/// The cost of a program in products, by its counts.
pub(crate) fn in_products(device: &dyn Device, program: &Program) -> f64 {
    cost(device, program.bits(), program.counts())
}

/// The cost of operations in products.
fn cost(device: &dyn Device, bits: u32, counts: &Counts) -> f64 {
    let scan = f64::from(device.entries_per_product(bits));
    let [enter, leave] = device.conversions_in_products(bits);
    counts.products as f64
        + counts.entered as f64 * enter
        + counts.left as f64 * leave
        + (counts.linear + counts.terms) as f64 * LINEAR_IN_PRODUCTS
        + (counts.read + counts.stored) as f64 / scan
}

/// The predicted time of a program for a group, its spans apart.
fn estimate(shared: &Shared, index: usize, program: &Program, layout: Layout) -> Estimate {
    let (device, bits) = (&*shared.devices[index], program.bits());
    let measured = (shared.calibration).product_ns(device.name(), layout, bits);
    let product_ns = measured.unwrap_or_else(|| device.product_ns(layout, bits));
    let of_spans = program.counts_of_spans();
    let mut others = program.counts().since(&of_spans);
    let inversion_ns = device.inversion_ns(bits);
    if inversion_ns.is_some() {
        others = others.since(&program.counts_of_inversions());
    }
    let products_ns = |counts: &Counts| product_ns * cost(device, bits, counts);
    let steps_ns = |counts: &Counts| {
        let steps = counts.linear + counts.products - counts.squarings;
        device.step_ns() * steps as f64
    };
    let waiting = waiting_squares(program, inversion_ns.is_none()) as f64;
    let waiting = (device.products_in_waiting_square() - 1.0) * waiting;
    Estimate {
        candidate: Candidate {
            device: index,
            layout,
            // All products at once: the time of one may be infinite, and infinity times 0 is no number.
            ns: product_ns * (cost(device, bits, &others) + waiting) + steps_ns(&others),
        },
        inversions_ns: inversion_ns.unwrap_or(0.0) * program.inversions().len() as f64,
        spans_ns: products_ns(&of_spans),
        span_steps_ns: steps_ns(&of_spans),
    }
}

/// The number of a program's squarings that wait for the squaring before, with or without those of inversions.
fn waiting_squares(program: &Program, of_inversions: bool) -> u64 {
    let inversions = program.inversions();
    let counts = |step: &usize| of_inversions || !inversions.iter().any(|x| x.steps.contains(step));
    let waiting = |(_, operation): (usize, &Operation)| match operation {
        Operation::Square { times, .. } => u64::from(times.saturating_sub(1)),
        _ => 0,
    };
    let operations = program.operations().enumerate();
    let operations = operations.filter(|(step, _)| counts(step));
    operations.map(waiting).sum()
}

/// Every way to run a program on an engine.
fn estimates(programs: &Programs, shared: &Shared) -> Vec<Estimate> {
    let mut estimates = Vec::new();
    for ((index, device), program) in shared.kinds().zip(&programs.variants) {
        let Some(program) = program else { continue };
        let allowed = |layout: &Layout| shared.forced.is_none_or(|forced| forced.allows(*layout));
        let layouts = device.layouts(programs.bits).into_iter().filter(allowed);
        estimates.extend(layouts.map(|layout| estimate(shared, index, program, layout)));
    }
    estimates
}

/// Every way to run a program on an engine, modulo any number.
pub(crate) fn candidates(programs: &Programs, shared: &Shared) -> Vec<Candidate> {
    let estimates = programs
        .estimates
        .get_or_init(|| estimates(programs, shared));
    let whole = |estimate: &Estimate| estimate.with_parts(PartsOfTime::WHOLE);
    estimates.iter().map(whole).collect()
}

/// Every way to run a program on an engine, modulo this number.
fn candidates_for(programs: &Programs, shared: &Shared, modulus: &Modulus) -> Vec<Candidate> {
    let estimates = programs
        .estimates
        .get_or_init(|| estimates(programs, shared));
    let candidate = |estimate: &Estimate| {
        let device = &shared.devices[estimate.candidate.device];
        estimate.with_parts(device.parts_of_time(&modulus.value, modulus.class))
    };
    estimates.iter().map(candidate).collect()
}

impl Programs {
    /// The predicted time of a group of numbers, for each device and layout that can run it.
    pub fn predictions(&self) -> Vec<Prediction> {
        let candidates = candidates(self, &self.shared);
        let prediction = |candidate: Candidate| Prediction {
            device: self.shared.devices[candidate.device].name(),
            layout: candidate.layout,
            us: candidate.ns / 1e3,
        };
        candidates.into_iter().map(prediction).collect()
    }
}

/// Splits numbers into groups so that the sum of their times is least. Empty if there is no
/// candidate.
pub(crate) fn split(candidates: &[Candidate], numbers: usize) -> Vec<Share> {
    let rate = |candidate: &Candidate| candidate.ns / candidate.layout.width() as f64;
    let by_rate = candidates.iter().min_by(|x, y| rate(x).total_cmp(&rate(y)));
    let Some(&fastest) = by_rate else {
        return Vec::new();
    };
    let width = fastest.layout.width();
    let widest = candidates.iter().map(|c| c.layout.width()).max();
    let widest = widest.unwrap_or(width);
    // Whole groups of the fastest candidate, except for a rest that any group could be the best for.
    let whole = numbers.saturating_sub(widest) / width;
    let rest = numbers - whole * width;
    let share = |candidate: Candidate, numbers: usize| Share {
        candidate,
        numbers: numbers.min(candidate.layout.width()),
    };
    let mut shares = vec![share(fastest, width); whole];
    // Of equally fast groups, the narrowest is filled best.
    let width_of = |choice: &(f64, Option<Candidate>)| choice.1.map(|c| c.layout.width());
    // best[n]: the least time for n numbers, and its first group.
    let mut best: Vec<(f64, Option<Candidate>)> = vec![(0.0, None)];
    for n in 1..=rest {
        let least = candidates
            .iter()
            .map(|&candidate| {
                let left = n.saturating_sub(candidate.layout.width());
                (candidate.ns + best[left].0, Some(candidate))
            })
            .min_by(|x, y| {
                x.0.total_cmp(&y.0)
                    .then_with(|| width_of(x).cmp(&width_of(y)))
            });
        best.push(least.unwrap_or((f64::INFINITY, None)));
    }
    let mut left = rest;
    while let Some(candidate) = best[left].1 {
        shares.push(share(candidate, left));
        left -= left.min(candidate.layout.width());
    }
    shares
}

/// [`split`] for several threads: each has the same share of the work.
pub(crate) fn split_for_threads(
    candidates: &[Candidate],
    numbers: usize,
    threads: usize,
) -> Vec<Vec<Share>> {
    let each = numbers.div_ceil(threads.max(1));
    let mut parts = Vec::new();
    let mut left = numbers;
    while left > 0 {
        let part = split(candidates, each.min(left));
        if part.is_empty() {
            break;
        }
        parts.push(part);
        left -= each.min(left);
    }
    parts
}

/// [`split_for_threads`] with groups for a card first, each of them a part of its own: a card computes for all threads. The
/// processor takes a share if it is a large one, and batches that are not worth a group of the card.
pub(crate) fn split_with_cards(
    shared: &Shared,
    candidates: &[Candidate],
    numbers: usize,
    threads: usize,
) -> Vec<Vec<Share>> {
    /// The least number of groups of which the processor takes a share: the time of a few groups is hardly shorter if
    /// they are not full.
    const LEAST_SHARED: usize = 4;
    /// The least share of the processor. With a smaller one (1024 bits, sixteen threads, an H200) batches took three
    /// times as long as on the card alone: the threads have the card's groups to pack, too.
    const LEAST_PART: f64 = 0.25;
    let is_card = |candidate: &&Candidate| shared.devices[candidate.device].is_card();
    let (cards, own): (Vec<Candidate>, Vec<Candidate>) = candidates.iter().partition(is_card);
    let rate = |candidate: &Candidate| candidate.ns / candidate.layout.width() as f64;
    let by_rate = cards.iter().min_by(|x, y| rate(x).total_cmp(&rate(y)));
    let Some(&card) = by_rate else {
        return split_for_threads(candidates, numbers, threads);
    };
    // The time of a number on all threads of the processor together; without other devices all goes to the card.
    let of_processor = own.iter().map(rate).fold(f64::INFINITY, f64::min) / threads.max(1) as f64;
    let width = card.layout.width();
    // Both end at the same time.
    let part = rate(&card) / (rate(&card) + of_processor);
    let for_processor = if numbers.div_ceil(width) < LEAST_SHARED || part < LEAST_PART {
        0
    } else {
        (numbers as f64 * part) as usize
    };
    let mut left = numbers - for_processor;
    if left.div_ceil(width) as f64 * card.ns > numbers as f64 * of_processor {
        return split_for_threads(&own, numbers, threads);
    }
    let each = left.div_ceil(left.div_ceil(width).max(1));
    let mut parts = Vec::new();
    while left > 0 {
        let numbers = each.min(left);
        parts.push(vec![Share {
            candidate: card,
            numbers,
        }]);
        left -= numbers;
    }
    parts.extend(split_for_threads(&own, for_processor, threads));
    parts
}

/// The predicted time of several parts, in nanoseconds: that of the longest part, or of all together if they stay on
/// one thread.
pub(crate) fn predicted_ns(shared: &Shared, parts: &[Vec<Share>]) -> f64 {
    let time = |part: &Vec<Share>| part.iter().map(|share| share.candidate.ns).sum();
    // A card computes one group after the other.
    let (of_cards, own): (Vec<&Vec<Share>>, Vec<_>) = parts.iter().partition(|part| {
        let device = part.first().map(|share| share.candidate.device);
        device.is_some_and(|device| shared.devices[device].is_card())
    });
    let of_cards: f64 = of_cards.into_iter().map(time).sum();
    let times: Vec<f64> = own.into_iter().map(time).chain([of_cards]).collect();
    let together = times.iter().sum();
    if together < WORTH_WAKING_NS {
        together
    } else {
        times.into_iter().fold(0.0, f64::max)
    }
}

/// Jobs that one device computes together.
struct Assignment {
    candidate: Candidate,
    /// The jobs' indices in the batch.
    jobs: Vec<usize>,
}

/// The result of one job: an outcome, or [`EngineError::Fault`].
type Answer = Result<Outcome, EngineError>;

/// The seals that are compared after a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Seals {
    All,
    /// All but those of constants.
    BesideConstants,
    None,
}

/// Runs checked jobs.
pub(crate) fn execute(
    shared: &Shared,
    jobs: &[Job<'_>],
    seals: Seals,
) -> Result<Vec<Answer>, EngineError> {
    // A lone job runs on this thread, without counting threads.
    let threads = if jobs.len() == 1 {
        1
    } else {
        available_threads()
    };
    let groups = groups(shared, jobs, threads)?;
    let spans_were_read = AtomicBool::new(false);
    let run = |group: &Assignment| run(shared, jobs, group, seals, &spans_were_read);
    let predicted: f64 = groups.iter().map(|group| group.candidate.ns).sum();
    let computed: Vec<Result<Vec<Answer>, EngineError>> =
        if threads == 1 || groups.len() == 1 || predicted < WORTH_WAKING_NS {
            groups.iter().map(run).collect()
        } else {
            groups.par_iter().map(run).collect()
        };
    let mut answers: Vec<Answer> = vec![Ok(Outcome::default()); jobs.len()];
    let mut checked = Checked {
        without_spans: !spans_were_read.into_inner(),
        ..Checked::of(seals)
    };
    for (group, computed) in groups.iter().zip(computed) {
        let computed = computed?;
        for (&index, answer) in group.jobs.iter().zip(computed) {
            answers[index] = answer;
        }
        if seals == Seals::None {
            continue;
        }
        for &index in &group.jobs {
            if let Some(what) = checked.damage(&jobs[index], group.candidate.device)? {
                answers[index] = Err(EngineError::Damaged { what });
            }
        }
    }
    Ok(answers)
}

/// The seals that have been compared after a batch.
#[derive(Default)]
struct Checked<'a> {
    /// The results for programs, modulo numbers of each group.
    programs: BTreeMap<(*const Programs, usize, usize), bool>,
    moduli: BTreeMap<(*const Modulus, usize), bool>,
    /// The results for constants, for each way in which a program reads them.
    constants: BTreeMap<(*const Constants, usize, *const Programs), bool>,
    plans: BTreeMap<(usize, usize), bool>,
    /// Whether no operation of a program's spans was read, so that these need no check.
    without_spans: bool,
    /// Whether those of constants are left out.
    without_constants: bool,
    /// The previous job, its device, and the result: most jobs are like the one before.
    before: Option<(&'a Job<'a>, usize, Option<&'static str>)>,
}

impl<'a> Checked<'a> {
    /// None yet, of those that are compared.
    fn of(seals: Seals) -> Self {
        Self {
            without_constants: seals == Seals::BesideConstants,
            ..Self::default()
        }
    }

    /// The kind of thing that has changed in memory, of everything that a job was computed with on a device.
    fn damage(
        &mut self,
        job: &'a Job<'a>,
        device: usize,
    ) -> Result<Option<&'static str>, EngineError> {
        if let Some((before, on, answer)) = self.before
            && on == device
            && Arc::ptr_eq(before.programs, job.programs)
            && Arc::ptr_eq(before.modulus, job.modulus)
            && before.constants.map(Arc::as_ptr) == job.constants.map(Arc::as_ptr)
        {
            return Ok(answer);
        }
        let answer = self.find_damage(job, device)?;
        self.before = Some((job, device, answer));
        Ok(answer)
    }

    fn find_damage(
        &mut self,
        job: &Job<'_>,
        device: usize,
    ) -> Result<Option<&'static str>, EngineError> {
        let modulus = job.modulus.sealed(device)?;
        let (device_of, prepared) = (&job.modulus.shared.devices[device], &*modulus.prepared);
        let group_key = device_of.group_key(prepared);
        let program = (Arc::as_ptr(job.programs), device, group_key);
        let is_whole = self.programs.entry(program).or_insert_with(|| {
            let program = job.programs.of_device(device);
            program.is_some_and(|program| {
                device_of.program_is_whole(program, prepared, self.without_spans)
            })
        });
        if !*is_whole {
            return Ok(Some("a program"));
        }
        let own = (Arc::as_ptr(job.modulus), device);
        if !*(self.moduli.entry(own)).or_insert_with(|| modulus.are_whole(&[Part::Single])) {
            return Ok(Some("a modulus"));
        }
        let plan = self.plans.entry((device, group_key));
        if !*plan.or_insert_with(|| prepared.plan_is_whole()) {
            return Ok(Some("a plan"));
        }
        if let Some(constants) = job.constants
            && !self.without_constants
        {
            let sealed = constants.sealed(device)?;
            let own = (Arc::as_ptr(constants), device, Arc::as_ptr(job.programs));
            let parts = job.programs.of_device(device);
            let parts = parts.map_or(&Part::ALL[..], |program| program.parts());
            if !*(self.constants.entry(own)).or_insert_with(|| sealed.are_whole(parts)) {
                return Ok(Some("constants"));
            }
        }
        Ok(None)
    }
}

/// The jobs in groups that share a program, a device, and that device's plan.
fn groups(
    shared: &Shared,
    jobs: &[Job<'_>],
    threads: usize,
) -> Result<Vec<Assignment>, EngineError> {
    let mut alike: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (index, job) in jobs.iter().enumerate() {
        let program = Arc::as_ptr(job.programs).addr();
        alike.entry(program).or_default().push(index);
    }
    let mut groups = Vec::new();
    for mut indices in alike.into_values() {
        // A group whose members all have the same modulus may be faster.
        indices.sort_by_key(|&index| Arc::as_ptr(jobs[index].modulus).addr());
        let Job {
            programs, modulus, ..
        } = &jobs[indices[0]];
        let candidates = candidates_for(programs, shared, modulus);
        assign(shared, jobs, &indices, &candidates, threads, &mut groups)?;
    }
    Ok(groups)
}

/// Assigns jobs of one program to devices. Moduli that a device does not serve are left to the other devices.
fn assign(
    shared: &Shared,
    jobs: &[Job<'_>],
    indices: &[usize],
    candidates: &[Candidate],
    threads: usize,
    groups: &mut Vec<Assignment>,
) -> Result<(), EngineError> {
    // Unserved jobs, by the first device of the kind.
    let mut unserved: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    let mut by_plan: BTreeMap<(usize, usize), Vec<usize>> = BTreeMap::new();
    let parts = split_with_cards(shared, candidates, indices.len(), threads);
    if parts.is_empty() {
        let bits = jobs[indices[0]].programs.bits;
        return Err(EngineError::NoPlan {
            bits,
            condition: String::from("no device of this engine has a layout for it"),
        });
    }
    let mut next = 0;
    let mut whole = Vec::new();
    let shares = parts.into_iter().enumerate();
    let shares = shares.flat_map(|(part, shares)| shares.into_iter().map(move |it| (part, it)));
    for (of_part, share) in shares {
        let kind = share.candidate.device;
        let device = shared.draw(kind)?;
        let part = &indices[next..next + share.numbers];
        next += share.numbers;
        let mut key = None;
        let mut same = true;
        let mut before: Option<&Arc<Modulus>> = None;
        for &index in part {
            // All jobs have one program, and most have the modulus of the one before.
            let modulus = jobs[index].modulus;
            if before.is_some_and(|before| Arc::ptr_eq(before, modulus)) {
                continue;
            }
            before = Some(modulus);
            match serve(shared, jobs, index, device) {
                Ok(found) => same &= *key.get_or_insert(found) == found,
                Err(_) => same = false,
            }
        }
        if same {
            let candidate = Candidate {
                device,
                ..share.candidate
            };
            let own = Assignment {
                candidate,
                jobs: part.to_vec(),
            };
            match whole.last_mut() {
                Some((of, before)) if *of == of_part && can_join(shared, jobs, before, &own) => {
                    before.candidate.ns += candidate.ns;
                    before.jobs.extend(own.jobs);
                }
                _ => whole.push((of_part, own)),
            }
            continue;
        }
        for &index in part {
            match serve(shared, jobs, index, device) {
                Ok(key) => by_plan.entry((device, key)).or_default().push(index),
                Err(error) if candidates.iter().all(|c| c.device == kind) => return Err(error),
                Err(_) => unserved.entry(kind).or_default().push(index),
            }
        }
    }
    groups.extend(whole.into_iter().map(|(_, group)| group));
    for ((device, _), indices) in by_plan {
        let own: Vec<Candidate> = candidates
            .iter()
            .filter(|c| c.device == shared.first_of_kind(device))
            .map(|&candidate| Candidate {
                device,
                ..candidate
            })
            .collect();
        let mut next = 0;
        for share in split(&own, indices.len()) {
            groups.push(Assignment {
                candidate: share.candidate,
                jobs: indices[next..next + share.numbers].to_vec(),
            });
            next += share.numbers;
        }
    }
    for (kind, indices) in unserved {
        let others: Vec<Candidate> = candidates
            .iter()
            .filter(|c| c.device != kind)
            .copied()
            .collect();
        assign(shared, jobs, &indices, &others, threads, groups)?;
    }
    Ok(())
}

/// Whether a group can go with the groups of an assignment, to share inversions or memory. Both are of one program, and sorted
/// by moduli.
fn can_join(
    shared: &Shared,
    jobs: &[Job<'_>],
    assignment: &Assignment,
    group: &Assignment,
) -> bool {
    let Candidate { device, layout, .. } = assignment.candidate;
    let width = layout.width();
    let (first, last) = (assignment.jobs[0], group.jobs[group.jobs.len() - 1]);
    (group.candidate.device, group.candidate.layout) == (device, layout)
        && assignment.jobs.len().is_multiple_of(width)
        && assignment.jobs.len() + group.jobs.len() <= shared.devices[device].numbers_together()
        && Arc::ptr_eq(jobs[first].modulus, jobs[last].modulus)
}

/// The group key of a job on a device, or the reason why the device does not serve its modulus, or its
/// program for the plan that serves the modulus.
fn serve(
    shared: &Shared,
    jobs: &[Job<'_>],
    index: usize,
    device: usize,
) -> Result<usize, EngineError> {
    let job = &jobs[index];
    let prepared = job.modulus.prepared(device)?;
    let device_of = &shared.devices[device];
    if let Some(program) = job.programs.of_device(device) {
        program.check_limits(&device_of.limits_of(&**prepared))?;
    }
    Ok(device_of.group_key(&**prepared))
}

/// Runs a group, on another device if its own fails. Sets `spans_were_read` if operations of spans were.
fn run(
    shared: &Shared,
    jobs: &[Job<'_>],
    group: &Assignment,
    seals: Seals,
    spans_were_read: &AtomicBool,
) -> Result<Vec<Answer>, EngineError> {
    let Candidate { device, layout, .. } = group.candidate;
    let error = match run_on(shared, jobs, &group.jobs, (device, layout), spans_were_read)? {
        Ok(outcomes) => return Ok(outcomes),
        Err(error) => error,
    };
    let failed = shared.devices[device].name();
    let programs = jobs[group.jobs[0]].programs;
    let others = candidates(programs, shared);
    let kind = shared.first_of_kind(device);
    let others: Vec<Candidate> = others.into_iter().filter(|c| c.device != kind).collect();
    if others.is_empty() {
        return Err(EngineError::DeviceFailed {
            device: failed,
            reason: error.reason,
        });
    }
    shared.note_failure(DeviceFailure {
        device: failed,
        reason: error.reason,
        numbers: group.jobs.len(),
    });
    let mut groups = Vec::new();
    assign(shared, jobs, &group.jobs, &others, 1, &mut groups)?;
    let mut outcomes: BTreeMap<usize, Answer> = BTreeMap::new();
    for group in groups {
        let Candidate { device, layout, .. } = group.candidate;
        let computed = run_on(shared, jobs, &group.jobs, (device, layout), spans_were_read)?;
        let computed = computed.map_err(|error| EngineError::DeviceFailed {
            device: shared.devices[device].name(),
            reason: error.reason,
        })?;
        // The caller compares the seals of the device that was chosen first, which is not this one.
        let mut checked = Checked::of(seals);
        for (&index, mut answer) in group.jobs.iter().zip(computed) {
            if seals != Seals::None
                && let Some(what) = checked.damage(&jobs[index], device)?
            {
                answer = Err(EngineError::Damaged { what });
            }
            outcomes.insert(index, answer);
        }
    }
    let results = group.jobs.iter().map(|index| outcomes.remove(index));
    Ok(results.flatten().collect())
}

/// Runs jobs on one device, in one group. Jobs that the device finds wrong are computed again.
fn run_on(
    shared: &Shared,
    jobs: &[Job<'_>],
    indices: &[usize],
    (device, layout): (usize, Layout),
    spans_were_read: &AtomicBool,
) -> Result<Result<Vec<Answer>, DeviceError>, EngineError> {
    let mut members = Vec::with_capacity(indices.len());
    for &index in indices {
        let job = &jobs[index];
        let constants = match job.constants {
            Some(constants) => Some(&**constants.prepared(device)? as &(dyn Any + Send + Sync)),
            None => None,
        };
        members.push(Member {
            modulus: &**job.modulus.prepared(device)? as &(dyn Any + Send + Sync),
            constants,
            inputs: &job.inputs,
            scalars: &job.scalars,
        });
    }
    let program = jobs[indices[0]].programs.of_device(device);
    let program = program.expect("a device that does not have the program is no candidate");
    let notes = Notes::default();
    let outcomes = shared.devices[device].run(&Work {
        program,
        layout,
        members: &members,
        notes: &notes,
        #[cfg(any(test, feature = "testing"))]
        instrument: None,
    });
    debug_assert!(outcomes.as_ref().map_or(true, |o| o.len() == indices.len()));
    if notes.spans_were_read.get() {
        spans_were_read.store(true, Ordering::Relaxed);
    }
    let findings = notes.findings.into_inner();
    Ok(outcomes.map(|outcomes| {
        let mut answers: Vec<Answer> = outcomes.into_iter().map(Ok).collect();
        if !findings.is_empty() {
            let on = &shared.devices[device];
            let again = on.afresh();
            for Finding { suspect, operation } in findings {
                let index = indices[suspect.member];
                let again = again.as_deref();
                let again =
                    again.and_then(|device| run_again(device, &jobs[index], program, layout));
                shared.note_fault(FoundFault {
                    device: on.name(),
                    layout,
                    operation,
                    job: index,
                    word: suspect.word,
                    is_repaired: again.is_some(),
                });
                answers[suspect.member] = again.ok_or(EngineError::Fault { index });
            }
        }
        answers
    }))
}

/// Runs one job again, by itself, on a device that has nothing prepared yet: with plans and constants that are made
/// anew. `None` if it is found wrong again.
fn run_again(
    device: &dyn Device,
    job: &Job<'_>,
    program: &Program,
    layout: Layout,
) -> Option<Outcome> {
    let mut moduli = device.prepare(&[&job.modulus.value], job.modulus.class);
    let modulus = moduli.pop()?.ok()?;
    let constants = job.constants.map(|constants| {
        let forms: Vec<_> = constants.forms.iter().collect();
        device.prepare_constants(&*modulus, &constants.integers, &forms)
    });
    let notes = Notes::default();
    let outcomes = device.run(&Work {
        program,
        layout,
        members: &[Member {
            modulus: &*modulus,
            constants: constants.as_deref().map(|constants| constants as _),
            inputs: &job.inputs,
            scalars: &job.scalars,
        }],
        notes: &notes,
        #[cfg(any(test, feature = "testing"))]
        instrument: None,
    });
    if !notes.findings.into_inner().is_empty() {
        return None;
    }
    outcomes.ok()?.pop()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::formulas::weierstrass::DoubleJacobian;
    use crypto_bigint::BoxedUint;

    fn candidate(device: usize, layout: Layout, ns: f64) -> Candidate {
        Candidate { device, layout, ns }
    }

    /// Formulas take less in limbs where they are compiled, also for single numbers, and as long as elsewhere in residues.
    #[test]
    fn compiled_spans_take_less() {
        let engine = crate::Engine::new(crate::Backend::best()).unwrap();
        let key = crate::ProgramKey {
            bits: 256,
            kind: "test-compiled-spans",
            parameters: Vec::new(),
        };
        let programs = engine.programs(key, |builder| {
            let point = [(); 3].map(|()| builder.input(256));
            for coordinate in builder.apply(DoubleJacobian::<true>, point) {
                builder.output(coordinate);
            }
        });
        let programs = programs.unwrap();
        let candidates = |hex: &str| {
            let p = BoxedUint::from_str_radix_vartime(hex, 16).unwrap();
            candidates_for(&programs, &engine.shared, &engine.modulus(&p).unwrap())
        };
        let p256 = candidates("ffffffff00000001000000000000000000000000ffffffffffffffffffffffff");
        let other = candidates("a9fb57dba1eea9bc3e660a909d838d726e3bf623d52620282013481d1f6e5377");
        for (special, general) in p256.iter().zip(&other) {
            let device = &engine.shared.devices[special.device];
            if device.unit() == "limbs" {
                assert!(special.ns < general.ns, "{}", device.name());
            } else {
                assert_eq!(special, general, "{}", device.name());
            }
        }
    }

    /// Groups of one modulus in limbs go together, as far as their device says, and no others.
    #[test]
    fn groups_of_one_modulus_go_together() {
        let engine = crate::Engine::new(crate::Backend::best()).unwrap();
        let key = crate::ProgramKey {
            bits: 256,
            kind: "test-groups",
            parameters: Vec::new(),
        };
        let programs = engine.programs(key, |builder| {
            let x = builder.input(256);
            let square = builder.square(x);
            builder.output(square);
        });
        let programs = programs.unwrap();
        // The primes of P-256 and of brainpoolP256r1.
        let moduli = [
            "ffffffff00000001000000000000000000000000ffffffffffffffffffffffff",
            "a9fb57dba1eea9bc3e660a909d838d726e3bf623d52620282013481d1f6e5377",
        ];
        let moduli = moduli.map(|hex| {
            let p = BoxedUint::from_str_radix_vartime(hex, 16).unwrap();
            engine.modulus(&p).unwrap()
        });
        let one = BoxedUint::one();
        let jobs: Vec<_> = (0..1000)
            .map(|k| Job {
                programs: &programs,
                modulus: &moduli[k % 2],
                constants: None,
                inputs: vec![&one],
                scalars: vec![],
            })
            .collect();
        let groups = groups(&engine.shared, &jobs, 1).unwrap();
        for group in &groups {
            let device = &engine.shared.devices[group.candidate.device];
            let (width, count) = (group.candidate.layout.width(), group.jobs.len());
            let together = device.numbers_together();
            assert!(count <= width.max(together), "{}", device.name());
            let modulus = jobs[group.jobs[0]].modulus;
            let alike = |&&job: &&usize| Arc::ptr_eq(jobs[job].modulus, modulus);
            assert!(count <= width || group.jobs.iter().filter(alike).count() == count);
        }
        let are_joined = groups
            .iter()
            .any(|group| group.jobs.len() > group.candidate.layout.width());
        assert_eq!(are_joined, engine.has_batches_in_limbs());
    }

    /// The sum of the chosen split is at most that of any other split.
    #[test]
    fn the_cheapest_split() {
        let sets = [
            vec![
                candidate(0, Layout::Lanes(16), 900.0),
                candidate(0, Layout::Spread(2), 136.0),
                candidate(0, Layout::Spread(1), 83.0),
            ],
            vec![
                candidate(0, Layout::Lanes(64), 1800.0),
                candidate(0, Layout::Lanes(32), 1000.0),
                candidate(1, Layout::Lanes(16), 900.0),
                candidate(1, Layout::Spread(1), 83.0),
            ],
            vec![candidate(0, Layout::Single, 10.0)],
        ];
        for set in &sets {
            let mut least = vec![0.0f64];
            for n in 1..=200usize {
                let options = set
                    .iter()
                    .map(|c| c.ns + least[n.saturating_sub(c.layout.width())]);
                least.push(options.fold(f64::INFINITY, f64::min));
                let shares = split(set, n);
                assert_eq!(shares.iter().map(|share| share.numbers).sum::<usize>(), n);
                let sum: f64 = shares.iter().map(|share| share.candidate.ns).sum();
                assert!(sum <= least[n] * 1.001, "{n}: {sum} against {}", least[n]);
                for threads in 1..4 {
                    let shares = split_for_threads(set, n, threads).into_iter().flatten();
                    assert_eq!(shares.map(|share| share.numbers).sum::<usize>(), n);
                }
            }
        }
        assert!(split(&[], 5).is_empty());
    }
}
