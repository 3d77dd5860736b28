//! A slab: each value has a small number, which is reused after the value is removed.

/// No place.
pub(crate) const NONE: u32 = u32::MAX;

/// Places of a page.
const PAGE: usize = 256;

/// Number of pages that keep their memory even if few are used.
const PAGES_KEPT: usize = 4;

/// A table that gives out its lowest free place. So values gather at its start, and free pages at
/// its end are returned to the system, except a few.
///
/// It grows by a page, and no value ever moves: moving the values of ten thousand streams would
/// take milliseconds.
///
/// A free place keeps its last value until it is reused or removed, so that an access needs no
/// check whether the place is in use. The caller takes large fields out of a value before it frees
/// the place, and does not access it afterwards.
#[derive(Debug)]
pub(crate) struct Arena<T> {
    /// All full, except the last one in use.
    pages: Vec<Vec<T>>,
    /// Values in the pages, including free ones.
    places: usize,
    free: Free,
}

impl<T> Arena<T> {
    pub(crate) const fn new() -> Self {
        Self {
            pages: Vec::new(),
            places: 0,
            free: Free::new(),
        }
    }

    /// Number of values in use.
    pub(crate) const fn len(&self) -> usize {
        self.places - self.free.count
    }

    /// Puts a value into the lowest free place, or at the end.
    #[inline]
    pub(crate) fn insert(&mut self, value: T) -> u32 {
        if let Some(at) = self.free.take_lowest() {
            self[at] = value;
            return at;
        }
        let at = u32::try_from(self.places).ok();
        let page = self.places / PAGE;
        if page == self.pages.len() {
            self.pages.push(Vec::with_capacity(PAGE));
        }
        self.pages[page].push(value);
        self.places += 1;
        at.filter(|at| *at != NONE)
            .expect("fewer than 2^32 - 1 values")
    }

    /// Frees a place.
    #[inline]
    pub(crate) fn free(&mut self, at: u32) {
        self.free.insert(at);
        if at as usize + 1 == self.places {
            self.shorten();
        }
    }

    /// Drops the free places after the last used one. Each place was freed once, so this takes
    /// constant time per place. Frees empty pages, except one more than is used.
    fn shorten(&mut self) {
        while let Some(last) = self.places.checked_sub(1)
            && self.free.remove(last)
        {
            self.pages[last / PAGE].pop();
            self.places = last;
        }
        let kept = (self.places.div_ceil(PAGE) + 1).max(PAGES_KEPT);
        if kept < self.pages.len() {
            self.pages.truncate(kept);
            if kept <= self.pages.capacity() / 4 {
                self.pages.shrink_to(2 * kept);
                self.free.shrink(2 * kept * PAGE);
            }
        }
    }

    /// The values of all places, including free ones.
    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.pages.iter_mut().flatten()
    }

    /// The value at a place, or the last one there. `None` if the place never existed or was
    /// removed.
    #[inline]
    pub(crate) fn get(&self, at: u32) -> Option<&T> {
        self.pages.get(at as usize / PAGE)?.get(at as usize % PAGE)
    }

    /// As [`get`](Self::get).
    #[inline]
    pub(crate) fn get_mut(&mut self, at: u32) -> Option<&mut T> {
        let page = self.pages.get_mut(at as usize / PAGE)?;
        page.get_mut(at as usize % PAGE)
    }
}

impl<T> std::ops::Index<u32> for Arena<T> {
    type Output = T;

    #[inline]
    fn index(&self, at: u32) -> &T {
        &self.pages[at as usize / PAGE][at as usize % PAGE]
    }
}

impl<T> std::ops::IndexMut<u32> for Arena<T> {
    #[inline]
    fn index_mut(&mut self, at: u32) -> &mut T {
        &mut self.pages[at as usize / PAGE][at as usize % PAGE]
    }
}

/// A set of places: a bit per place, and above them a bit per non-zero word.
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

    /// Removes a place. Returns whether it was in the set.
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

    /// Shrinks the memory to `places` places. The set has none beyond them.
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
            // Grows for some time, then shrinks.
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
            assert_eq!(arena.places, end, "no free place at the end");
            if round % 100 == 0 {
                assert!(used.iter().all(|(at, value)| arena[*at] == *value));
            }
        }
        assert!(cfg!(miri) || most > 2 * PAGES_KEPT * PAGE, "{most}");
    }

    #[test]
    fn no_value_moves() {
        let mut arena = Arena::new();
        let first = arena.insert(0);
        let address: *const i32 = &raw const arena[first];
        for value in 1..100_000 {
            arena.insert(value);
        }
        assert_eq!(address, &raw const arena[first]);
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
        // In any order, and with one left at the front.
        let orders: [Vec<u32>; 2] = [(0..PLACES).collect(), (1..PLACES).rev().collect()];
        for order in orders {
            let mut arena = full();
            for place in order {
                arena.free(place);
            }
            assert_eq!(arena.pages.len(), PAGES_KEPT);
            assert!(arena.pages.capacity() < 8 * PAGES_KEPT);
            assert!(arena.free.places.capacity() < PAGES_KEPT * PAGE);
        }
        // A value at the end is removed eventually; others have taken low places.
        let mut arena = full();
        for place in 0..PLACES - 1 {
            arena.free(place);
        }
        assert_eq!(arena.places, PLACES as usize);
        assert_eq!([arena.insert(7), arena.insert(8)], [0, 1]);
        arena.free(PLACES - 1);
        assert_eq!((arena[0], arena[1], arena.len()), (7, 8, 2));
        assert_eq!(arena.pages.len(), PAGES_KEPT);
        assert_eq!(arena.insert(9), 2);
    }
}
