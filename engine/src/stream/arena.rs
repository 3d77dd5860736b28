//! Places for values that come and go, each under a small number that is used again.

/// No place.
pub(crate) const NONE: u32 = u32::MAX;

/// A table with a list of its free places.
#[derive(Debug)]
pub(crate) struct Arena<T> {
    slots: Vec<Slot<T>>,
    free: u32,
    len: usize,
}

#[derive(Debug)]
enum Slot<T> {
    Used(T),
    /// The next free place.
    Free(u32),
}

impl<T> Arena<T> {
    pub(crate) const fn new() -> Self {
        Self {
            slots: Vec::new(),
            free: NONE,
            len: 0,
        }
    }

    /// Values in it.
    pub(crate) const fn len(&self) -> usize {
        self.len
    }

    /// Puts a value into the place that was freed last, or behind all others.
    #[inline]
    pub(crate) fn insert(&mut self, value: T) -> u32 {
        self.len += 1;
        let at = self.free;
        if let Some(slot) = self.slots.get_mut(at as usize) {
            if let Slot::Free(next) = *slot {
                self.free = next;
            }
            *slot = Slot::Used(value);
            return at;
        }
        let at = u32::try_from(self.slots.len())
            .ok()
            .filter(|at| *at != NONE);
        self.slots.push(Slot::Used(value));
        at.expect("fewer than 2^32 - 1 values")
    }

    /// Takes a value out.
    ///
    /// # Panics
    /// If there is none.
    #[inline]
    pub(crate) fn remove(&mut self, at: u32) -> T {
        let slot = std::mem::replace(&mut self.slots[at as usize], Slot::Free(self.free));
        let Slot::Used(value) = slot else {
            panic!("a free place");
        };
        self.free = at;
        self.len -= 1;
        value
    }

    /// The value there, if there is one.
    #[inline]
    pub(crate) fn get(&self, at: u32) -> Option<&T> {
        match self.slots.get(at as usize) {
            Some(Slot::Used(value)) => Some(value),
            _ => None,
        }
    }
}

impl<T> Arena<T> {
    /// The value there, if there is one.
    #[inline]
    pub(crate) fn get_mut(&mut self, at: u32) -> Option<&mut T> {
        match self.slots.get_mut(at as usize) {
            Some(Slot::Used(value)) => Some(value),
            _ => None,
        }
    }
}

impl<T> std::ops::Index<u32> for Arena<T> {
    type Output = T;

    #[inline]
    fn index(&self, at: u32) -> &T {
        match &self.slots[at as usize] {
            Slot::Used(value) => value,
            Slot::Free(_) => panic!("a free place"),
        }
    }
}

impl<T> std::ops::IndexMut<u32> for Arena<T> {
    #[inline]
    fn index_mut(&mut self, at: u32) -> &mut T {
        match &mut self.slots[at as usize] {
            Slot::Used(value) => value,
            Slot::Free(_) => panic!("a free place"),
        }
    }
}
