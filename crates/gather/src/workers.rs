//! Threads that lead for operations that no thread waits for. They start when they are first needed.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;

use crate::lock;

/// Threads that run the jobs they are given, each as soon as one of them is idle. A job that is given while none is idle
/// starts another thread: the giver bounds their number by the number of jobs at a time.
pub(crate) struct Workers<J> {
    sender: Sender<J>,
    receiver: Arc<Mutex<Receiver<J>>>,
    /// Threads that wait for a job, less the jobs that wait for a thread.
    idle: Arc<AtomicUsize>,
}

impl<J: Send + 'static> Workers<J> {
    pub(crate) fn new() -> Self {
        let (sender, receiver) = channel();
        Self {
            sender,
            receiver: Arc::new(Mutex::new(receiver)),
            idle: Arc::default(),
        }
    }

    /// Gives a job to a thread, which runs it by `run`; runs it here if no thread can be started.
    pub(crate) fn give(&self, job: J, run: impl Fn(J) + Send + Clone + 'static) {
        let claim = |idle: usize| idle.checked_sub(1);
        let claimed = self
            .idle
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, claim);
        if claimed.is_err() && !self.start(run.clone()) {
            run(job);
            return;
        }
        // The receiver is there as long as its workers.
        if let Err(unsent) = self.sender.send(job) {
            run(unsent.0);
        }
    }

    /// Starts a thread, which one job is meant for.
    fn start(&self, run: impl Fn(J) + Send + 'static) -> bool {
        let (receiver, idle) = (Arc::clone(&self.receiver), Arc::clone(&self.idle));
        let work = move || {
            loop {
                let job = lock(&receiver).recv();
                let Ok(job) = job else { return };
                run(job);
                idle.fetch_add(1, Ordering::Relaxed);
            }
        };
        thread::Builder::new()
            .name("sunzi-gather".into())
            .spawn(work)
            .is_ok()
    }
}
