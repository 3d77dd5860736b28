//! Places for values that come and go, each under a small number that is used again.

/// No place.
pub(crate) const NONE: u32 = u32::MAX;

/// A table with a list of its free places. A free place keeps its last value until it is used
/// again, so that a look at a place needs no test whether it is used: who frees a place has
/// taken what is heavy from it, and looks at it no more.
#[derive(Debug)]
pub(crate) struct Arena<T> {
    values: Vec<T>,
    free: Vec<u32>,
}

impl<T> Arena<T> {
    pub(crate) const fn new() -> Self {
        Self {
            values: Vec::new(),
            free: Vec::new(),
        }
    }

    /// Values in it.
    pub(crate) const fn len(&self) -> usize {
        self.values.len() - self.free.len()
    }

    /// Puts a value into the place that was freed last, or behind all others.
    #[inline]
    pub(crate) fn insert(&mut self, value: T) -> u32 {
        if let Some(at) = self.free.pop() {
            self.values[at as usize] = value;
            return at;
        }
        let at = u32::try_from(self.values.len()).ok();
        self.values.push(value);
        at.filter(|at| *at != NONE)
            .expect("fewer than 2^32 - 1 values")
    }

    /// Frees a place.
    #[inline]
    pub(crate) fn free(&mut self, at: u32) {
        self.free.push(at);
    }

    /// The values of all places, free ones too.
    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.values.iter_mut()
    }

    /// The value there, or the last one that was, if there ever was one.
    #[inline]
    pub(crate) fn get(&self, at: u32) -> Option<&T> {
        self.values.get(at as usize)
    }

    /// As [`get`](Self::get).
    #[inline]
    pub(crate) fn get_mut(&mut self, at: u32) -> Option<&mut T> {
        self.values.get_mut(at as usize)
    }
}

impl<T> std::ops::Index<u32> for Arena<T> {
    type Output = T;

    #[inline]
    fn index(&self, at: u32) -> &T {
        &self.values[at as usize]
    }
}

impl<T> std::ops::IndexMut<u32> for Arena<T> {
    #[inline]
    fn index_mut(&mut self, at: u32) -> &mut T {
        &mut self.values[at as usize]
    }
}
