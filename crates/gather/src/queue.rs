//! The queue: leaders, and who waits for them.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use crate::lock;
use crate::slot::{News, Slot};

/// An operation that is computed alone, by whoever runs it.
pub(crate) type Alone<A> = Box<dyn FnOnce() -> A + Send>;
/// What takes the answer of an operation that no thread waits for.
pub(crate) type Done<A> = Box<dyn FnOnce(A) + Send>;

/// Who takes an answer. A thread always gets news: one that is forgotten, by a panic, is to compute alone.
pub(crate) struct Taker<R, A>(Option<Whom<R, A>>);

enum Whom<R, A> {
    /// A thread that waits.
    Thread(Arc<Slot<R, A>>),
    /// Nobody waits: the answer is handed on, and computed here if the batch has none.
    Function(Alone<A>, Done<A>),
}

impl<R, A> Taker<R, A> {
    pub(crate) fn thread(slot: Arc<Slot<R, A>>) -> Self {
        Self(Some(Whom::Thread(slot)))
    }

    pub(crate) fn function(alone: Alone<A>, done: Done<A>) -> Self {
        Self(Some(Whom::Function(alone, done)))
    }

    /// Hands the answer over. `None` has the operation computed alone: by its thread, or here.
    pub(crate) fn take(mut self, answer: Option<A>) {
        match self.0.take() {
            Some(Whom::Thread(slot)) => slot.tell(News::Answer(answer)),
            Some(Whom::Function(alone, done)) => done(answer.unwrap_or_else(alone)),
            None => {}
        }
    }
}

impl<R, A> Drop for Taker<R, A> {
    fn drop(&mut self) {
        if let Some(Whom::Thread(slot)) = &self.0 {
            slot.tell(News::Answer(None));
        }
    }
}

/// A request that waits.
pub(crate) struct Waiting<R, A> {
    pub(crate) kind: usize,
    pub(crate) request: R,
    pub(crate) taker: Taker<R, A>,
}

impl<R, A> Waiting<R, A> {
    /// Has the thread that waits lead. If none waits, the request is returned.
    pub(crate) fn lead(mut self) -> Option<Self> {
        match self.taker.0.take() {
            Some(Whom::Thread(slot)) => {
                slot.tell(News::Lead(self.request));
                None
            }
            function => {
                self.taker.0 = function;
                Some(self)
            }
        }
    }
}

/// Leaders, and requests that wait. While there are fewer leaders than may be, nobody waits.
pub(crate) struct Queue<R, A> {
    inner: Mutex<Inner<R, A>>,
    most_leaders: usize,
    most_waiting: usize,
}

struct Inner<R, A> {
    leaders: usize,
    waiting: VecDeque<Waiting<R, A>>,
}

/// What became of a request that came to the queue.
pub(crate) enum Entered<R, A> {
    /// It waits.
    Waits,
    /// It leads, as there was a place for a leader.
    Leads(Waiting<R, A>),
    /// The queue is full.
    Full(Waiting<R, A>),
}

impl<R, A> Queue<R, A> {
    pub(crate) fn new(most_leaders: usize, most_waiting: usize) -> Self {
        Self {
            inner: Mutex::new(Inner {
                leaders: 0,
                waiting: VecDeque::new(),
            }),
            most_leaders,
            most_waiting,
        }
    }

    /// Takes a place as a leader, if there is one.
    pub(crate) fn lead(&self) -> bool {
        let mut inner = lock(&self.inner);
        let is_free = inner.leaders < self.most_leaders;
        inner.leaders += usize::from(is_free);
        is_free
    }

    /// Whether no more leaders may be.
    pub(crate) fn is_busy(&self) -> bool {
        lock(&self.inner).leaders >= self.most_leaders
    }

    /// Number of requests that wait.
    pub(crate) fn waiting(&self) -> usize {
        lock(&self.inner).waiting.len()
    }

    /// Lets a request wait, if it cannot lead.
    pub(crate) fn enter(&self, waiting: Waiting<R, A>) -> Entered<R, A> {
        let mut inner = lock(&self.inner);
        if inner.leaders < self.most_leaders {
            inner.leaders += 1;
            return Entered::Leads(waiting);
        }
        if inner.waiting.len() >= self.most_waiting {
            return Entered::Full(waiting);
        }
        inner.waiting.push_back(waiting);
        Entered::Waits
    }

    /// All that wait, up to `most`, for a leader.
    pub(crate) fn take(&self, most: usize) -> Vec<Waiting<R, A>> {
        let mut inner = lock(&self.inner);
        let count = inner.waiting.len().min(most);
        inner.waiting.drain(..count).collect()
    }

    /// Ends a leader: the first that waits, which is returned, leads in its place; if none waits, a place is free.
    pub(crate) fn hand_over(&self) -> Option<Waiting<R, A>> {
        let mut inner = lock(&self.inner);
        let next = inner.waiting.pop_front();
        inner.leaders -= usize::from(next.is_none());
        next
    }
}
