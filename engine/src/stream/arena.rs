//! Places for values that come and go, each under a small number that is used again.

/// No place.
pub(crate) const NONE: u32 = u32::MAX;

/// Places for which memory is kept however few are used.
const PLACES_KEPT: usize = 1024;

/// A table that gives out its lowest free place. So values gather at its begin, and what is free
/// at its end goes back to the system, a few places at each end of a burst aside.
///
/// A free place keeps its last value until it is used again or gone, so that a look at a place
/// needs no test whether it is used: who frees a place has taken what is heavy from it, and
/// looks at it no more.
#[derive(Debug)]
pub(crate) struct Arena<T> {
    values: Vec<T>,
    free: Free,
}

impl<T> Arena<T> {
    pub(crate) const fn new() -> Self {
        Self {
            values: Vec::new(),
            free: Free::new(),
        }
    }

    /// Values in it.
    pub(crate) const fn len(&self) -> usize {
        self.values.len() - self.free.count
    }

    /// Puts a value into the lowest free place, or behind all others.
    #[inline]
    pub(crate) fn insert(&mut self, value: T) -> u32 {
        if let Some(at) = self.free.take_lowest() {
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
        self.free.insert(at);
        if at as usize + 1 == self.values.len() {
            self.shorten();
        }
    }

    /// Drops the free places behind the last that is used: each was freed once for that. Gives
    /// memory back when a quarter of it would do.
    fn shorten(&mut self) {
        while let Some(last) = self.values.len().checked_sub(1)
            && self.free.remove(last)
        {
            self.values.pop();
        }
        let wanted = self.values.len().max(PLACES_KEPT);
        if wanted <= self.values.capacity() / 4 {
            self.values.shrink_to(2 * wanted);
            self.free.shrink(2 * wanted);
        }
    }

    /// The values of all places, free ones too.
    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.values.iter_mut()
    }

    /// The value there, or the last one that was, if there ever was one and the place is not gone.
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

/// A set of places: a bit for each, and above them a bit for each word that has one.
#[derive(Debug)]
struct Free {
    places: Vec<u64>,
    words: Vec<u64>,
    /// All words of `words` before this one are 0.
    lowest: usize,
    count: usize,
}

impl Free {
    const fn new() -> Self {
        Self {
            places: Vec::new(),
            words: Vec::new(),
            lowest: 0,
            count: 0,
        }
    }

    #[inline]
    fn insert(&mut self, at: u32) {
        let word = at as usize / 64;
        if word >= self.places.len() {
            self.places.resize(word + 1, 0);
            self.words.resize(word / 64 + 1, 0);
        }
        let bit = 1 << (at % 64);
        debug_assert!(self.places[word] & bit == 0, "freed twice");
        self.places[word] |= bit;
        self.words[word / 64] |= 1 << (word % 64);
        self.lowest = self.lowest.min(word / 64);
        self.count += 1;
    }

    #[inline]
    fn take_lowest(&mut self) -> Option<u32> {
        if self.count == 0 {
            return None;
        }
        while self.words[self.lowest] == 0 {
            self.lowest += 1;
        }
        let word = 64 * self.lowest + self.words[self.lowest].trailing_zeros() as usize;
        let at = 64 * word + self.places[word].trailing_zeros() as usize;
        self.remove(at);
        u32::try_from(at).ok()
    }

    /// Whether it was in the set.
    #[inline]
    fn remove(&mut self, at: usize) -> bool {
        let word = at / 64;
        let bit = 1 << (at % 64);
        let Some(places) = self
            .places
            .get_mut(word)
            .filter(|places| **places & bit != 0)
        else {
            return false;
        };
        *places &= !bit;
        if *places == 0 {
            self.words[word / 64] &= !(1 << (word % 64));
        }
        self.count -= 1;
        true
    }

    /// Keeps memory for so many places; there are no more.
    fn shrink(&mut self, places: usize) {
        self.places.truncate(places.div_ceil(64));
        self.places.shrink_to_fit();
        self.words.truncate(self.places.len().div_ceil(64));
        self.words.shrink_to_fit();
        self.lowest = 0;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use rand::{Rng as _, SeedableRng as _, rngs::SmallRng};

    use super::*;

    /// The lowest place that is not in the map.
    fn lowest(used: &BTreeMap<u32, usize>) -> u32 {
        let free = (0..).zip(used.keys()).find(|(place, used)| place != *used);
        free.map_or_else(
            || u32::try_from(used.len()).expect("few"),
            |(place, _)| place,
        )
    }

    #[test]
    fn places_are_those_of_a_map() {
        let mut random = SmallRng::seed_from_u64(3);
        let mut arena = Arena::new();
        let mut used = BTreeMap::new();
        let mut most = 0;
        for round in 0..if cfg!(miri) { 300 } else { 60_000 } {
            // Grows for a while, then shrinks.
            let grows = if round / 10_000 % 2 == 0 { 0.7 } else { 0.3 };
            if used.is_empty() || random.random_bool(grows) {
                let expected = lowest(&used);
                assert_eq!(arena.insert(round), expected);
                used.insert(expected, round);
            } else {
                let at = *used
                    .keys()
                    .nth(random.random_range(0..used.len()))
                    .expect("one");
                arena.free(at);
                used.remove(&at);
            }
            most = most.max(used.len());
            assert_eq!(arena.len(), used.len());
            let end = used.last_key_value().map_or(0, |(at, _)| *at as usize + 1);
            assert_eq!(arena.values.len(), end, "no free place at the end");
            if round % 100 == 0 {
                assert!(used.iter().all(|(at, value)| arena[*at] == *value));
            }
        }
        assert!(cfg!(miri) || most > 2 * PLACES_KEPT, "{most}");
    }

    #[test]
    fn memory_goes_back() {
        const PLACES: u32 = 100_000;
        let full = || {
            let mut arena = Arena::new();
            for place in 0..PLACES {
                assert_eq!(arena.insert(place), place);
            }
            arena
        };
        // In any order, and with one left in front.
        let orders: [Vec<u32>; 2] = [(0..PLACES).collect(), (1..PLACES).rev().collect()];
        for order in orders {
            let mut arena = full();
            for place in order {
                arena.free(place);
            }
            assert!(arena.values.capacity() < 8 * PLACES_KEPT);
            assert!(arena.free.places.capacity() < PLACES_KEPT);
        }
        // One that is left at the end goes some day, and others have taken low places.
        let mut arena = full();
        for place in 0..PLACES - 1 {
            arena.free(place);
        }
        assert_eq!(arena.values.len(), PLACES as usize);
        assert_eq!([arena.insert(7), arena.insert(8)], [0, 1]);
        arena.free(PLACES - 1);
        assert_eq!((arena[0], arena[1], arena.len()), (7, 8, 2));
        assert!(arena.values.capacity() < 8 * PLACES_KEPT);
        assert_eq!(arena.insert(9), 2);
    }
}
