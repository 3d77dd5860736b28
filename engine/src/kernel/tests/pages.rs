//! Places inaccessible pages directly before and after all memory that a kernel reads or writes: an
//! access one byte outside ends the test.

use std::{ptr, slice};

use rustix::mm::{MapFlags, MprotectFlags, ProtFlags, mmap_anonymous, mprotect, munmap};

use super::*;

/// Room for everything that a test puts into one place, for any page size.
const ROOM_BYTES: usize = 1 << 16;

/// Memory with an inaccessible page on either side.
struct Guarded {
    mapping: *mut u8,
    page: usize,
}

impl Guarded {
    fn new() -> Self {
        let page = rustix::param::page_size();
        assert!(ROOM_BYTES.is_multiple_of(page), "whole pages");
        let bytes = ROOM_BYTES + 2 * page;
        // SAFETY: a mapping of its own, in which nothing is; the room is within it.
        let mapping = unsafe {
            let mapping = mmap_anonymous(
                ptr::null_mut(),
                bytes,
                ProtFlags::empty(),
                MapFlags::PRIVATE,
            )
            .expect("memory")
            .cast::<u8>();
            let access = MprotectFlags::READ | MprotectFlags::WRITE;
            mprotect(mapping.add(page).cast(), ROOM_BYTES, access).expect("accessible");
            mapping
        };
        Self { mapping, page }
    }

    /// A copy of `bytes` at the start or at the end of the room.
    fn hold(&mut self, bytes: &[u8], at_end: bool) -> &mut [u8] {
        let from = if at_end { ROOM_BYTES - bytes.len() } else { 0 };
        // SAFETY: the room is accessible and borrowed.
        let room = unsafe { slice::from_raw_parts_mut(self.mapping.add(self.page), ROOM_BYTES) };
        let held = &mut room[from..from + bytes.len()];
        held.copy_from_slice(bytes);
        held
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        // SAFETY: the mapping is this value's alone.
        let unmapped = unsafe { munmap(self.mapping.cast(), ROOM_BYTES + 2 * self.page) };
        unmapped.expect("a mapping");
    }
}

/// The guarded memory of a lane's pieces.
struct GuardedLane {
    head: Guarded,
    body: Guarded,
    foot: Guarded,
}

impl GuardedLane {
    fn new() -> Self {
        Self {
            head: Guarded::new(),
            body: Guarded::new(),
            foot: Guarded::new(),
        }
    }

    /// Copies the blocks to their pieces. Bits 0 to 2 of `places` select the pieces that end with
    /// their room.
    fn hold<H: Compression>(
        &mut self,
        blocks: &[u8],
        (head, foot): (bool, bool),
        places: usize,
    ) -> Input<'_> {
        let size = H::BLOCK_BYTES;
        // One block cannot be both head and foot.
        let foot = foot && (blocks.len() > size || !head);
        let start = if head { size } else { 0 };
        let end = blocks.len() - if foot { size } else { 0 };
        Input {
            head: self.head.hold(&blocks[..start], places & 1 == 1),
            body: self.body.hold(&blocks[start..end], places & 2 == 2),
            foot: self.foot.hold(&blocks[end..], places & 4 == 4),
        }
    }
}

for_each_compression! {
    chains_between_inaccessible_pages;
    one_state_between_inaccessible_pages;
    dealt_words_between_inaccessible_pages;
}

/// Every piece at both ends of its room, with and without heads and feet, in chains of one to three
/// segments, the last with idle lanes.
fn chains_between_inaccessible_pages<H: Tested>() {
    let mut random = SmallRng::seed_from_u64(9);
    let mut guarded: Vec<GuardedLane> = (0..LANES_MAX).map(|_| GuardedLane::new()).collect();
    for kernel in available::<H>() {
        let lanes = kernel.lanes();
        for case in 0..4 * 8 * 5 {
            let (apart, places) = ((case & 1 == 1, case & 2 == 2), case >> 2 & 7);
            let blocks = 1 + (case >> 5);
            let segments = (1 + case % 3).min(LANES_MAX / lanes);
            let active = segments * lanes - case % lanes;
            // The first lane follows the case; the others are random.
            let mut data = Vec::new();
            for lane in 0..active {
                let apart = if lane == 0 { apart } else { random.random() };
                let places = if lane == 0 {
                    places
                } else {
                    random.random_range(0..8)
                };
                let blocks = blocks + lane / lanes;
                data.push((
                    random_bytes(&mut random, blocks * H::BLOCK_BYTES),
                    apart,
                    places,
                ));
            }
            let inputs: Vec<Input<'_>> = guarded
                .iter_mut()
                .zip(&data)
                .map(|(guarded, (blocks, apart, places))| {
                    guarded.hold::<H>(blocks, *apart, *places)
                })
                .collect();
            let before = random_states(&mut random);
            let mut got: States<H::Word> = before.clone();
            let states = got.cells().chunks(lanes);
            let chain = inputs.chunks(lanes).zip(states).enumerate();
            let chain = chain.map(|(segment, (inputs, states))| {
                (states.iter().zip(inputs.iter().copied()), blocks + segment)
            });
            compress_chain::<H, _>(kernel, chain);
            for (lane, (data, ..)) in data.iter().enumerate() {
                let mut expected = before.0[lane];
                expect::<H>(&mut expected, data);
                assert_state::<H>(&got.0[lane], &expected, (kernel, lane, case));
            }
        }
    }
}

/// State and blocks.
fn one_state_between_inaccessible_pages<H: Tested>() {
    let mut random = SmallRng::seed_from_u64(10);
    let (mut state_room, mut room) = (Guarded::new(), Guarded::new());
    for kernel in available::<H>().filter(|kernel| kernel.lanes() == 1) {
        for case in 0..4 * 5 {
            let blocks = random_bytes(&mut random, case / 4 * H::BLOCK_BYTES);
            let before: State<H::Word> = random_state(&mut random);
            let mut expected = before;
            H::oracle(&mut expected, &blocks);
            let bytes = size_of_val(&before);
            // SAFETY: a word may be anything, and every page is aligned to it; the room is
            // borrowed for as long.
            let state: &mut State<H::Word> = unsafe {
                &mut *state_room
                    .hold(&vec![0; bytes], case & 1 == 1)
                    .as_mut_ptr()
                    .cast()
            };
            *state = before;
            compress_one::<H>(kernel, state, room.hold(&blocks, case & 2 == 2));
            assert_state::<H>(state, &expected, (kernel, case));
        }
    }
}

fn dealt_words_between_inaccessible_pages<H: Tested>() {
    let mut random = SmallRng::seed_from_u64(11);
    let mut room = Guarded::new();
    for kernel in available::<H>() {
        for lanes in [kernel.lanes(), (2 * kernel.lanes()).min(LANES_MAX)] {
            for case in 0..2 * 4 {
                let message = random_bytes(&mut random, case / 2 * lanes * H::BLOCK_BYTES);
                let before = random_states(&mut random);
                let (mut got, mut expected) = (before.clone(), before);
                let held = room.hold(&message, case & 1 == 1);
                compress_dealt::<H>(kernel, &mut got, lanes, held);
                let portable = Kernel::portable(H::FAMILY);
                compress_dealt::<H>(portable, &mut expected, lanes, &message);
                for lane in 0..lanes {
                    assert_state::<H>(&got.0[lane], &expected.0[lane], (kernel, lane, case));
                }
            }
        }
    }
}

/// Tests the guard: a read one byte before or after the room ends the process. Not under emulation,
/// where a process cannot start itself again.
#[cfg(target_arch = "x86_64")]
#[test]
fn the_pages_are_inaccessible() {
    const STRAY: &str = "HASHLANE_TEST_STRAY";
    if let Some(stray) = std::env::var_os(STRAY) {
        let mut guarded = Guarded::new();
        let room = guarded.hold(&[7; ROOM_BYTES], true).as_ptr();
        let at = match stray.to_str() {
            Some("before") => room.wrapping_sub(1),
            Some("behind") => room.wrapping_add(ROOM_BYTES),
            _ => room,
        };
        // SAFETY: none: it is to fail, in a process that has no other purpose.
        let byte = unsafe { at.read_volatile() };
        assert_eq!(byte, 7);
        return;
    }
    for (stray, survives) in [("within", true), ("before", false), ("behind", false)] {
        let program = std::env::current_exe().expect("this program");
        let name = format!("{}::the_pages_are_inaccessible", module_path!());
        let name = name.split_once("::").expect("a crate").1;
        let status = std::process::Command::new(program)
            .args(["--exact", name])
            .env(STRAY, stray)
            .output()
            .expect("it runs");
        assert_eq!(status.status.success(), survives, "{stray}: {status:?}");
        if survives {
            let text = String::from_utf8_lossy(&status.stdout);
            assert!(text.contains("1 passed"), "{text}");
        }
    }
}
