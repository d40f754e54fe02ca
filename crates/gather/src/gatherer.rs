//! The gatherer: calls in, batches to whoever computes them, answers out.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::thread;
use std::time::Instant;

use crate::per_process::PerProcess;
use crate::queue::{Entered, Queue, Taker, Waiting};
use crate::slot::{News, Slot};
use crate::statistics::{Counters, KindStatistics, Statistics, add};
use crate::workers::Workers;

/// Computes batches. One object serves all threads of a process.
pub trait Compute: Send + Sync {
    /// A request, with all that its computation takes: another thread may compute it. Requests are dropped by that
    /// thread; those with secrets wipe themselves.
    type Request: Send;
    /// An answer, which may be an error of the operation's own.
    type Answer: Send;

    /// The smallest number of requests of this kind that are computed together; fewer are computed alone.
    /// `usize::MAX`: this kind is never gathered.
    fn least(&self, kind: usize) -> usize;

    /// The answers to requests of one kind, in order; `None` for a request that has none because of a fault, and is to
    /// be computed alone. A missing answer counts as `None`, as do all answers of a call that panics. No list at all
    /// says that the batch does not pay after all.
    fn compute(
        &self,
        kind: usize,
        requests: Vec<Self::Request>,
    ) -> Option<Vec<Option<Self::Answer>>>;
}

/// Limits of a gatherer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The largest number of leaders, L: threads that compute at a time. At least 1.
    pub leaders: usize,
    /// The largest number of requests that wait. Further ones are computed alone at once.
    pub waiting: usize,
    /// The largest number of requests that a leader takes at a time. At least 1.
    pub batch: usize,
}

impl Default for Limits {
    /// A leader for every two processors that this process may use, 4,096 that wait, batches of at most 1,024. On two
    /// processors one leader made batches three times as large as two did, and handshakes took less processor time.
    fn default() -> Self {
        let processors = thread::available_parallelism().map_or(1, usize::from);
        Self {
            leaders: processors.div_ceil(2),
            waiting: 4096,
            batch: 1024,
        }
    }
}

/// Makes batches of single calls, in every process anew. See the crate's page.
pub struct Gatherer<C: Compute, M = fn() -> C> {
    limits: Limits,
    kinds: usize,
    make: M,
    states: PerProcess<Arc<State<C>>>,
}

/// What waits in a queue for this compute.
type WaitingFor<C> = Waiting<<C as Compute>::Request, <C as Compute>::Answer>;

/// What a gatherer has in one process.
struct State<C: Compute> {
    compute: C,
    batch: usize,
    queue: Queue<C::Request, C::Answer>,
    counters: Vec<Counters>,
    workers: Workers<WaitingFor<C>>,
}

impl<C: Compute + 'static, M: Fn() -> C> Gatherer<C, M> {
    /// A gatherer for requests of the kinds 0 to `kinds - 1`. `make` makes what computes, in each process that
    /// comes here, when it first does.
    pub fn new(limits: Limits, kinds: usize, make: M) -> Self {
        let limits = Limits {
            leaders: limits.leaders.max(1),
            batch: limits.batch.max(1),
            ..limits
        };
        let states = PerProcess::new(State::new(limits, kinds, &make));
        Self {
            limits,
            kinds,
            make,
            states,
        }
    }

    fn state(&self) -> (u32, &Arc<State<C>>) {
        self.states
            .get(|| State::new(self.limits, self.kinds, &self.make))
    }

    /// What computes in this process.
    pub fn compute(&self) -> &C {
        &self.state().1.compute
    }

    /// Whether as many leaders compute as may: another call would wait.
    pub fn is_busy(&self) -> bool {
        self.state().1.queue.is_busy()
    }

    /// Number of requests that wait at this moment.
    pub fn waiting(&self) -> usize {
        self.state().1.queue.waiting()
    }

    /// The answer to a request of this kind; the thread waits. `request` makes the request, and is only called if the
    /// call has to wait or pays by itself; `None`, for a key that is refused, say, has it computed alone. `alone` computes without the
    /// gatherer, in this thread. A kind that was not announced is computed alone.
    pub fn call(
        &self,
        kind: usize,
        request: impl FnOnce() -> Option<C::Request>,
        alone: impl FnOnce() -> C::Answer,
    ) -> C::Answer {
        let (_, state) = self.state();
        let Some(counters) = state.counters.get(kind) else {
            return alone();
        };
        let one = |counter: &AtomicU64| {
            add(counter, 1);
            counters.batch(1);
        };
        if state.compute.least(kind) == usize::MAX {
            one(&counters.unpaid);
            return alone();
        }
        let slot = Slot::new();
        let waiting = |request| Waiting {
            kind,
            request,
            taker: Taker::thread(Arc::clone(&slot)),
        };
        if state.queue.lead() {
            let lead = Lead(state);
            // One that pays by itself is a batch, with whatever comes meanwhile.
            let pays = state.compute.least(kind) == 1;
            let Some(request) = pays.then(request).flatten() else {
                one(&counters.lone);
                return alone();
            };
            return lead.answer(waiting(request), &slot, alone);
        }
        let Some(request) = request() else {
            // It may have turned out only now that the kind does not pay.
            let is_unpaid = state.compute.least(kind) == usize::MAX;
            one(if is_unpaid {
                &counters.unpaid
            } else {
                &counters.refused
            });
            return alone();
        };
        match state.queue.enter(waiting(request)) {
            Entered::Full(_) => {
                one(&counters.full);
                alone()
            }
            Entered::Leads(own) => Lead(state).answer(own, &slot, alone),
            Entered::Waits => match slot.wait() {
                News::Answer(answer) => answer.unwrap_or_else(alone),
                News::Lead(request) => Lead(state).answer(waiting(request), &slot, alone),
            },
        }
    }

    /// Has a request answered without waiting: `done` gets the answer, in whichever thread has it. `alone` computes it
    /// without the gatherer, in any thread, if the batch does not; also here, if the queue is full. Neither may panic.
    /// `false`, with nothing computed, for a kind that was not announced.
    pub fn submit(
        &self,
        kind: usize,
        request: C::Request,
        alone: impl FnOnce() -> C::Answer + Send + 'static,
        done: impl FnOnce(C::Answer) + Send + 'static,
    ) -> bool {
        let (_, state) = self.state();
        let Some(counters) = state.counters.get(kind) else {
            return false;
        };
        let waiting = Waiting {
            kind,
            request,
            taker: Taker::function(Box::new(alone), Box::new(done)),
        };
        match state.queue.enter(waiting) {
            Entered::Waits => {}
            Entered::Leads(waiting) => state.lead_elsewhere(waiting),
            Entered::Full(waiting) => {
                add(&counters.full, 1);
                counters.batch(1);
                waiting.taker.take(None);
            }
        }
        true
    }

    /// The counts of this process so far.
    pub fn statistics(&self) -> Statistics {
        let (process, state) = self.state();
        let kinds: Vec<KindStatistics> = state.counters.iter().map(Counters::read).collect();
        Statistics { process, kinds }
    }
}

/// A place among the leaders, which ends with this: another leads, or the place is free.
struct Lead<'a, C: Compute + 'static>(&'a Arc<State<C>>);

impl<C: Compute + 'static> Drop for Lead<'_, C> {
    fn drop(&mut self) {
        self.0.hand_over();
    }
}

impl<C: Compute + 'static> Lead<'_, C> {
    /// The answer to this thread's own request, which has this slot, computed with all that wait; `alone` if there is
    /// none, while this still leads.
    fn answer(
        self,
        waiting: WaitingFor<C>,
        slot: &Slot<C::Request, C::Answer>,
        alone: impl FnOnce() -> C::Answer,
    ) -> C::Answer {
        self.0.compute_with(waiting);
        match slot.wait() {
            News::Answer(Some(answer)) => answer,
            _ => alone(),
        }
    }
}

impl<C: Compute + 'static> State<C> {
    fn new(limits: Limits, kinds: usize, make: impl Fn() -> C) -> Arc<Self> {
        Arc::new(Self {
            compute: make(),
            batch: limits.batch,
            queue: Queue::new(limits.leaders, limits.waiting),
            counters: (0..kinds).map(|_| Counters::default()).collect(),
            workers: Workers::new(),
        })
    }

    /// Ends a leader.
    fn hand_over(self: &Arc<Self>) {
        if let Some(waiting) = self.queue.hand_over().and_then(Waiting::lead) {
            self.lead_elsewhere(waiting);
        }
    }

    /// Has a thread of the gatherer's own lead, with this request.
    fn lead_elsewhere(self: &Arc<Self>, waiting: WaitingFor<C>) {
        let state = Arc::clone(self);
        self.workers.give(waiting, move |waiting| {
            let _lead = Lead(&state);
            state.compute_with(waiting);
        });
    }

    /// Answers this request and, with it, all that wait. The thread is a leader.
    fn compute_with(&self, first: WaitingFor<C>) {
        let mut kinds: BTreeMap<usize, Vec<WaitingFor<C>>> = BTreeMap::new();
        let others = self.queue.take(self.batch - 1);
        for waiting in core::iter::once(first).chain(others) {
            kinds.entry(waiting.kind).or_default().push(waiting);
        }
        // What returns to its threads first: they compute meanwhile.
        let (together, few): (Vec<_>, Vec<_>) = kinds
            .into_iter()
            .partition(|(kind, waiting)| waiting.len() >= self.compute.least(*kind));
        for (kind, waiting) in few {
            let counters = &self.counters[kind];
            counters.batch(waiting.len());
            add(&counters.few, waiting.len() as u64);
            for waiting in waiting {
                waiting.taker.take(None);
            }
        }
        for (kind, waiting) in together {
            self.compute_together(kind, waiting);
        }
    }

    /// Computes a batch, and hands its answers over.
    fn compute_together(&self, kind: usize, waiting: Vec<WaitingFor<C>>) {
        let counters = &self.counters[kind];
        let (requests, takers): (Vec<_>, Vec<_>) = waiting
            .into_iter()
            .map(|waiting| (waiting.request, waiting.taker))
            .unzip();
        counters.batch(takers.len());
        let start = Instant::now();
        let compute = AssertUnwindSafe(|| self.compute.compute(kind, requests));
        let computed = catch_unwind(compute).unwrap_or_else(|_| {
            add(&counters.panics, 1);
            Some(Vec::new())
        });
        let Some(answers) = computed else {
            add(&counters.few, takers.len() as u64);
            for taker in takers {
                taker.take(None);
            }
            return;
        };
        add(&counters.batches, 1);
        let microseconds = start.elapsed().as_micros();
        add(&counters.batch_microseconds, microseconds as u64);
        let answers = answers.into_iter().chain(core::iter::repeat_with(|| None));
        for (taker, answer) in takers.into_iter().zip(answers) {
            let counter = match answer {
                Some(_) => &counters.together,
                None => &counters.faults,
            };
            add(counter, 1);
            taker.take(answer);
        }
    }
}
