//! State that belongs to one process.

use once_cell::race::OnceBox;

/// State of the process that made it. In a forked child the first use makes new state, and leaves the parent's as it
/// is, locks included.
///
/// The states of a line of processes, each forked from the one before, are a list that only grows. No step of it takes
/// a lock. (Were a child given the number of a dead ancestor that made the last state, it would take that for its own:
/// all other numbers would have to be used up in between.)
pub struct PerProcess<S> {
    first: Epoch<S>,
}

struct Epoch<S> {
    process: u32,
    state: S,
    next: OnceBox<Epoch<S>>,
}

impl<S> Epoch<S> {
    fn new(process: u32, state: S) -> Self {
        Self {
            process,
            state,
            next: OnceBox::new(),
        }
    }
}

impl<S> PerProcess<S> {
    /// With this state of the process that calls.
    pub fn new(state: S) -> Self {
        Self {
            first: Epoch::new(std::process::id(), state),
        }
    }

    /// The state of this process, and its number. If there is none yet, `make` makes it.
    pub fn get(&self, make: impl Fn() -> S) -> (u32, &S) {
        let process = std::process::id();
        let mut epoch = &self.first;
        while let Some(next) = epoch.next.get() {
            epoch = next;
        }
        if epoch.process != process {
            // Two threads of a child may both make one: the first is kept.
            epoch = epoch
                .next
                .get_or_init(|| Box::new(Epoch::new(process, make())));
        }
        (process, &epoch.state)
    }
}
