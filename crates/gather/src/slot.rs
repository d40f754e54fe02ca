//! The place where a waiting thread finds its answer.

use std::sync::{Arc, Mutex};
use std::thread::{self, Thread};

use crate::lock;

/// What a waiting thread is told.
pub(crate) enum News<R, A> {
    /// The answer; `None` if the caller is to compute alone.
    Answer(Option<A>),
    /// The thread is now a leader, with its own request.
    Lead(R),
}

/// A place for the news of one thread, which parks until they are there.
pub(crate) struct Slot<R, A> {
    news: Mutex<Option<News<R, A>>>,
    thread: Thread,
}

impl<R, A> Slot<R, A> {
    /// A slot for the calling thread.
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self {
            news: Mutex::new(None),
            thread: thread::current(),
        })
    }

    /// Leaves the news, and wakes the thread.
    pub(crate) fn tell(&self, news: News<R, A>) {
        *lock(&self.news) = Some(news);
        self.thread.unpark();
    }

    /// Waits for the news; only the thread that made the slot may.
    pub(crate) fn wait(&self) -> News<R, A> {
        loop {
            if let Some(news) = lock(&self.news).take() {
                return news;
            }
            thread::park();
        }
    }
}
