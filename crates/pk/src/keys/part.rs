//! Mixed batches, taken apart by algorithm.

/// Requests of one algorithm in a mixed batch, with their places in it.
pub(super) struct Part<Request> {
    places: Vec<usize>,
    requests: Vec<Request>,
}

impl<Request> Default for Part<Request> {
    fn default() -> Self {
        Self {
            places: Vec::new(),
            requests: Vec::new(),
        }
    }
}

impl<Request> Part<Request> {
    /// Adds a request that has this place in the batch.
    pub(super) fn push(&mut self, place: usize, request: Request) {
        self.places.push(place);
        self.requests.push(request);
    }

    /// Puts the answers of this part in their places.
    pub(super) fn answer<Answer>(
        &self,
        answers: &mut [Option<Answer>],
        compute: impl FnOnce(&[Request]) -> Vec<Answer>,
    ) {
        if self.requests.is_empty() {
            return;
        }
        for (&place, answer) in self.places.iter().zip(compute(&self.requests)) {
            answers[place] = Some(answer);
        }
    }
}
