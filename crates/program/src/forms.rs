//! The powers of the Montgomery factor that constants carry.

use core::iter;

use crate::seal::{Checksum, Content};

/// For each of some constants the power of the Montgomery factor that it carries. Tables have thousands of constants of one
/// form, which are kept as one number: programs and constants are compared for each batch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Forms {
    /// A form that is unlike the one before it, and the number of constants up to the last one that has it.
    runs: Vec<(i32, usize)>,
}

impl Forms {
    /// Adds `count` constants of one form.
    pub fn push(&mut self, form: i32, count: usize) {
        let end = self.len() + count;
        match self.runs.last_mut() {
            Some(last) if last.0 == form => last.1 = end,
            _ if count > 0 => self.runs.push((form, end)),
            _ => {}
        }
    }

    /// Number of constants.
    pub fn len(&self) -> usize {
        self.runs.last().map_or(0, |&(_, end)| end)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// The form of a constant, if there is one of this number.
    pub fn get(&self, constant: usize) -> Option<i32> {
        let run = self.runs.partition_point(|&(_, end)| end <= constant);
        self.runs.get(run).map(|&(form, _)| form)
    }

    /// The form of each constant.
    pub fn iter(&self) -> impl Iterator<Item = i32> {
        let begins = iter::once(0).chain(self.runs.iter().map(|&(_, end)| end));
        let runs = self.runs.iter().zip(begins);
        runs.flat_map(|(&(form, end), begin)| iter::repeat_n(form, end.saturating_sub(begin)))
    }

    /// The bytes that it has on the heap.
    pub(crate) fn heap_bytes(&self) -> usize {
        size_of_val(&*self.runs)
    }
}

impl FromIterator<i32> for Forms {
    fn from_iter<I: IntoIterator<Item = i32>>(forms: I) -> Self {
        let mut all = Self::default();
        forms.into_iter().for_each(|form| all.push(form, 1));
        all
    }
}

impl Content for Forms {
    fn add_to(&self, sum: &mut Checksum) {
        for &(form, end) in &self.runs {
            sum.word(form as u64);
            sum.word(end as u64);
        }
        sum.word(self.runs.len() as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_in_a_list() {
        let lists: [&[i32]; 6] = [&[], &[0], &[1, 1, 1], &[0, 1, 1, 0], &[2, 0, 0], &[1, 2, 1]];
        for list in lists {
            let forms: Forms = list.iter().copied().collect();
            assert_eq!(forms.iter().collect::<Vec<_>>(), list);
            assert_eq!(
                (forms.len(), forms.is_empty()),
                (list.len(), list.is_empty())
            );
            for k in 0..=list.len() {
                assert_eq!(forms.get(k), list.get(k).copied());
            }
            let mut longer = forms.clone();
            longer.push(1, 0);
            assert_eq!(longer, forms);
            longer.push(1, 3);
            assert_eq!(longer.len(), list.len() + 3);
            assert_ne!(longer, forms);
        }
    }
}
