//! Runs wrapped around the lanes of a kernel (R. McNaughton, "Scheduling with deadlines and loss
//! functions", 1959). Any number of runs fills any number of lanes, if no run is longer than a
//! lane's share of all blocks.
//!
//! ```text
//! runs a to e on one line         aaaaabbbbbcccccdddddeeeee
//! cut into four lanes of seven    aaaaabb|bbbcccc|cddddde|eeee
//!
//! lane 0     aaaaabb     its piece of b is the end of b: lane 1 has hashed the beginning by then
//! lane 1     bbbcccc
//! lane 2     cddddde
//! lane 3     eeee
//! segments   a segment ends when a piece ends in any lane
//! ```

use crate::kernel::LANES_MAX;

/// A part of an item's run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Piece {
    item: u8,
    from: u32,
    blocks: u32,
}

impl Piece {
    pub(crate) const fn item(&self) -> usize {
        self.item as usize
    }

    /// Its first block.
    pub(crate) const fn from(&self) -> usize {
        self.from as usize
    }
}

/// The unhashed pieces of runs that are wrapped around lanes.
pub(crate) struct Wrapped {
    /// The pieces of a lane are adjacent.
    pieces: [Piece; 2 * LANES_MAX],
    /// The range of each lane's remaining pieces.
    lanes: [(u8, u8); LANES_MAX],
    /// Lanes with pieces.
    count: usize,
}

impl Wrapped {
    /// Wraps runs, at most [`LANES_MAX`] of at least one block each, around `lanes` lanes.
    pub(crate) fn new(lanes: usize, runs: impl Iterator<Item = u32> + Clone) -> Self {
        let (longest, all) = runs.clone().fold((0, 0), |(longest, all), blocks| {
            (blocks.max(longest), all + u64::from(blocks))
        });
        let room = Self::blocks(lanes, longest, all);
        let mut wrapped = Self {
            pieces: [Piece::default(); 2 * LANES_MAX],
            lanes: [(0, 0); LANES_MAX],
            count: 0,
        };
        let (mut used, mut end) = (room, 0);
        for (item, blocks) in (0..).zip(runs) {
            // If the lane is too short for the run, it takes the run's end. The run's beginning
            // becomes the next lane's first piece.
            let here = u32::try_from(room - used).map_or(blocks, |left| left.min(blocks));
            let from = blocks - here;
            for (from, blocks) in [(from, here), (0, from)] {
                if blocks == 0 {
                    continue;
                }
                if used == room {
                    (wrapped.count, used) = (wrapped.count + 1, 0);
                    wrapped.lanes[wrapped.count - 1] = (end, end);
                }
                wrapped.pieces[usize::from(end)] = Piece { item, from, blocks };
                end += 1;
                wrapped.lanes[wrapped.count - 1].1 = end;
                used += u64::from(blocks);
            }
        }
        wrapped
    }

    /// Blocks per lane, from those of the longest run and of all runs.
    pub(crate) fn blocks(lanes: usize, longest: u32, all: u64) -> u64 {
        u64::from(longest).max(all.div_ceil(lanes as u64))
    }

    /// The next segment: each lane's current piece, until a lane reaches its next piece. Returns
    /// the number of lanes and of blocks in each; 0 at the end.
    pub(crate) fn next(&mut self, segment: &mut [Piece]) -> (usize, usize) {
        let lanes = &mut self.lanes[..self.count];
        let mut active = 0;
        let mut blocks = u32::MAX;
        for (first, _) in lanes.iter().filter(|(first, end)| first < end) {
            segment[active] = self.pieces[usize::from(*first)];
            blocks = blocks.min(segment[active].blocks);
            active += 1;
        }
        for (first, _) in lanes.iter_mut().filter(|(first, end)| first < end) {
            let piece = &mut self.pieces[usize::from(*first)];
            piece.from += blocks;
            piece.blocks -= blocks;
            *first += u8::from(piece.blocks == 0);
        }
        (active, blocks as usize)
    }
}

#[cfg(test)]
mod tests {
    use rand::{Rng as _, SeedableRng as _, rngs::SmallRng};

    use super::*;

    /// Checks that every block of every run is hashed once and in order, and that a run is in only
    /// one lane at a time.
    #[track_caller]
    fn check(lanes: usize, runs: &[u32]) -> usize {
        let all: u64 = runs.iter().copied().map(u64::from).sum();
        let room = Wrapped::blocks(lanes, *runs.iter().max().unwrap(), all);
        let mut wrapped = Wrapped::new(lanes, runs.iter().copied());
        let mut hashed = vec![0; runs.len()];
        let (mut time, mut segments) = (0, 0);
        loop {
            let mut segment = [Piece::default(); LANES_MAX];
            let (active, blocks) = wrapped.next(&mut segment);
            if active == 0 {
                break;
            }
            assert!(active <= lanes && blocks > 0, "{lanes} {runs:?}");
            let before = hashed.clone();
            for piece in &segment[..active] {
                assert_eq!(piece.from, before[piece.item()], "{lanes} {runs:?}");
                assert_eq!(piece.from, hashed[piece.item()], "{lanes} {runs:?}");
                hashed[piece.item()] += u32::try_from(blocks).expect("few");
            }
            time += blocks as u64;
            segments += 1;
        }
        assert_eq!(hashed, runs, "{lanes}");
        assert_eq!(time, room.min(all), "{lanes} {runs:?}");
        assert!(segments <= runs.len() + lanes, "{lanes} {runs:?}");
        segments
    }

    #[test]
    fn equal_runs_are_cut_once_a_lane() {
        assert_eq!(check(4, &[257; 4]), 1);
        assert_eq!(check(4, &[256; 5]), 5);
        assert_eq!(check(8, &[256; 9]), 9);
        assert_eq!(check(1, &[3, 1, 2]), 3);
        assert_eq!(check(8, &[5]), 1);
    }

    #[test]
    fn any_runs_fit_any_lanes() {
        let mut random = SmallRng::seed_from_u64(12);
        for round in 0..if cfg!(miri) { 20 } else { 20_000 } {
            let lanes = 1 << random.random_range(0..=6);
            let longest = [1, 4, 300][round % 3];
            let runs: Vec<u32> = (0..random.random_range(1..=LANES_MAX))
                .map(|_| random.random_range(1..=longest))
                .collect();
            check(lanes, &runs);
        }
    }
}
