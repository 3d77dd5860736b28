//! Writes the instruction streams of `generated/`. The rounds of a hash run once with a vector that
//! records operations; the list is then interleaved and given registers.
//!
//! ```text
//! trace     a vector whose operations are recorded; the rounds of a block, and the transpose
//!           of the next block
//! schedule  the same for G groups of lanes, in the order in which they begin
//! emit      registers: a value has one from where it is made to its last use
//! ```
//!
//! ```text
//! zmm         chaining value i of group g enters and leaves in register g * words + i
//! rdi         chaining values, parked: row i of group g at 64 * (8g + i)
//! rsi         inputs         r8   offset of the block to load     r12  bytes of an input
//! rdx         words of this block, 1 KiB a group                  r9   of the next block
//! r10         constants      r11  order of bytes                  r13  bodies left
//! rax         scratch        r15  offset of the block to prefetch; none from r12 on
//! ```
//!
//! Why generated: the compiler spills registers when groups are interleaved, and a hand-written
//! stream would repeat each round for each number of groups. The streams take 6 to 20% fewer cycles
//! than the compiler's order, and 91 to 96% of the CPU's floor with the best number of groups
//! (docs/measurements.md, Kernels alone). MD5 needs four groups, because one group is bound by
//! latency. The files are checked in, so a build needs no generator; a test compares them with a
//! fresh run.

use std::{collections::BTreeSet, fs, path::Path};

use super::{
    compression::Compression,
    md5, sha1,
    sha2::{Sha2, sixteen},
    sha256, sha512,
    word::Word as _,
};

mod emit;
mod schedule;
mod trace;

use emit::generate;
use trace::{Body, Operation, TracedWord, body, next_block};

/// The settings for one generated file.
struct Plan {
    file: &'static str,
    groups: usize,
    tuning: Tuning,
    suffix: char,
    state_words: usize,
    word_bytes: usize,
    constants: Vec<u64>,
    /// The last body is interleaved with the next block's transpose.
    bodies: Vec<Body>,
    next: Vec<Operation>,
}

/// How a stream is ordered. The best values were found by measurement (Zen 4).
#[derive(Clone, Copy)]
struct Tuning {
    /// Words of the block that stay in registers: the last ones read or made. 16 means all.
    keep: usize,
    /// The next block's transpose is spread over this part of the last body's operations, in
    /// hundredths; and how many of its operations stay together.
    transpose: (usize, usize, usize),
    /// How far `schedule` looks ahead; 0 keeps the order of the rounds.
    window: usize,
    /// Latency of a load in cycles; 0 if the CPU loads early enough by itself.
    load: usize,
    /// Cycles that `schedule` fills at a time.
    step: usize,
    /// Whether rotations come first in a step: the CPU assigns units as instructions arrive, and
    /// runs of one kind may spread them more evenly than alternation does.
    rotations_first: bool,
    /// Whether the operation with the longest path to the end goes first, instead of the next in
    /// the order of the rounds.
    by_height: bool,
    /// The most values that `schedule` keeps alive. Moving rotations to the front of a step takes
    /// more registers.
    live: usize,
}

fn plan<H: Compression<Word: TracedWord>>(
    file: &'static str,
    groups: usize,
    tuning: Tuning,
    constants: &[H::Word],
    bodies: Vec<Body>,
) -> Plan {
    Plan {
        file,
        groups,
        tuning,
        suffix: H::Word::SUFFIX,
        state_words: H::STATE_WORDS,
        word_bytes: H::Word::BYTES,
        constants: constants.iter().map(|word| (*word).into()).collect(),
        bodies,
        next: next_block::<H::Word>(H::BIG_ENDIAN),
    }
}

/// A stream with all rounds of a block unrolled.
fn straight<H: Compression<Word: TracedWord>>(
    file: &'static str,
    groups: usize,
    constants: &[H::Word],
    tuning: Tuning,
) -> Plan {
    let all = body::<H>(1, true, tuning.keep, |state, words| {
        // SAFETY: recording needs no instruction set.
        unsafe { H::rounds(state, words) }
    });
    plan::<H>(file, groups, tuning, constants, vec![all])
}

/// SHA-2: a loop over sixteen rounds, then the last sixteen. Fully unrolled, two groups would not
/// fit the cache of decoded instructions.
fn looped<H: Sha2<Word: TracedWord>>(
    file: &'static str,
    groups: usize,
    constants: &[H::Word],
    tuning: Tuning,
) -> Plan {
    let scheduled = body::<H>(H::ROUNDS / 16 - 1, false, tuning.keep, |state, words| {
        // SAFETY: recording needs no instruction set.
        unsafe { sixteen::<H, _, true>(state, words, 0) }
    });
    let last = body::<H>(1, true, 0, |state, words| {
        // SAFETY: recording needs no instruction set.
        unsafe { sixteen::<H, _, false>(state, words, 0) }
    });
    plan::<H>(file, groups, tuning, constants, vec![scheduled, last])
}

/// Every generated file.
#[rustfmt::skip]
fn plans() -> Vec<Plan> {
    let tuning = |keep, transpose, window, load, step, rotations_first, by_height, live| Tuning {
        keep, transpose, window, load, step, rotations_first, by_height, live,
    };
    vec![
        straight::<md5::Md5>("md5_avx512x16.s", 1, &md5::constants::K.0,
            tuning(16, (75, 90, 32), 0, 0, 12, false, false, 30)),
        straight::<md5::Md5>("md5_avx512x32.s", 2, &md5::constants::K.0,
            tuning(0, (50, 80, 8), 0, 0, 3, false, false, 31)),
        straight::<md5::Md5>("md5_avx512x64.s", 4, &md5::constants::K.0,
            tuning(0, (0, 95, 16), 32, 0, 4, false, false, 26)),
        straight::<sha1::Sha1>("sha1_avx512x16.s", 1, &sha1::constants::K,
            tuning(16, (0, 60, 4), 16, 0, 6, false, false, 31)),
        straight::<sha1::Sha1>("sha1_avx512x32.s", 2, &sha1::constants::K,
            tuning(3, (0, 80, 16), 0, 0, 3, true, true, 25)),
        straight::<sha256::Sha256>("sha256_avx512x16.s", 1, &sha256::constants::K.0,
            tuning(16, (88, 90, 8), 24, 0, 10, false, false, 26)),
        looped::<sha256::Sha256>("sha256_avx512x32.s", 2, &sha256::constants::K.0,
            tuning(6, (0, 70, 32), 96, 6, 5, true, false, 26)),
        straight::<sha512::Sha512>("sha512_avx512x8.s", 1, &sha512::constants::K.0,
            tuning(16, (75, 80, 32), 64, 6, 2, true, false, 28)),
        looped::<sha512::Sha512>("sha512_avx512x16.s", 2, &sha512::constants::K.0,
            tuning(0, (20, 95, 4), 96, 0, 3, true, false, 29)),
    ]
}

#[test]
fn generated_kernels_are_current() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/kernel/generated");
    for plan in plans() {
        let path = folder.join(plan.file);
        let fresh = generate(&plan);
        if std::env::var_os("HASHLANE_REGENERATE").is_some() {
            fs::write(&path, &fresh).expect("writable");
        }
        assert!(
            fs::read_to_string(&path).unwrap_or_default() == fresh,
            "{} is stale: run HASHLANE_REGENERATE=1 cargo test -p hashlane-engine",
            plan.file
        );
    }
}

/// The registers that a stream writes: the first operand of all instructions except comparisons and
/// jumps.
fn written(stream: &str) -> BTreeSet<String> {
    let mut written = BTreeSet::new();
    for line in stream
        .lines()
        .map(str::trim)
        .filter(|line| !line.ends_with(':'))
    {
        let (instruction, operands) = line.split_once(' ').expect("an operand");
        let mut operands = operands.split(',').map(str::trim);
        let count = match instruction {
            "cmp" | "jae" | "jb" | "jnz" => 0,
            "xchg" => 2,
            _ => 1,
        };
        for operand in operands
            .by_ref()
            .take(count)
            .filter(|operand| !operand.contains('['))
        {
            // Writes to a part count as writes to the whole register.
            let name = match operand.strip_prefix("ymm") {
                Some(number) => format!("zmm{number}"),
                None if operand.starts_with('e') => operand.replacen('e', "r", 1),
                None => operand.trim_end_matches('d').to_owned(),
            };
            written.insert(name);
        }
    }
    written
}

/// `streams.rs` declares to the compiler which registers the streams write.
#[test]
fn written_registers_are_declared() {
    let source = include_str!("streams.rs");
    let declared: BTreeSet<String> = ["out(\"", "inout(\""]
        .iter()
        .flat_map(|start| source.split(start).skip(1))
        .map(|rest| rest.split('"').next().expect("a name").to_owned())
        .collect();
    assert_eq!(declared.len(), 32 + 8, "{declared:?}");
    for plan in plans() {
        let undeclared: Vec<_> = written(&generate(&plan))
            .into_iter()
            .filter(|name| !declared.contains(name))
            .collect();
        assert!(undeclared.is_empty(), "{}: {undeclared:?}", plan.file);
    }
}

/// Each line of the block ahead is prefetched once, after a jump that skips it beyond the end; and
/// no instruction separates a comparison from its jump.
#[test]
fn streams_prefetch_each_line_once_and_none_beyond_the_end() {
    for plan in plans() {
        let text = generate(&plan);
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        let block = 16 * plan.word_bytes;
        let begin = lines.iter().position(|line| *line == "2:").expect("a loop");
        let (mut lane, mut is_guarded, mut prefetched) = (None, false, Vec::new());
        for (i, line) in lines.iter().enumerate() {
            let before = |expected: &str| assert_eq!(lines[i - 1], expected, "{}", plan.file);
            match line.split(' ').next().expect("a word") {
                "cmovb" => before("cmp r14, r12"),
                "jae" => {
                    before("cmp r15, r12");
                    is_guarded = true;
                }
                "jb" => before("cmp r14, r12"),
                "jnz" => before("dec r13d"),
                "4:" => is_guarded = false,
                "mov" => lane = line.strip_prefix("mov rax, qword ptr [rsi + "),
                "prefetcht0" => {
                    assert!(is_guarded && i > begin, "{}", plan.file);
                    let at = line.strip_prefix("prefetcht0 byte ptr [rax + r15 + ");
                    prefetched.push((lane.expect("a pointer"), at.expect("ahead")));
                }
                _ => assert!(!is_guarded, "{}: {line} is jumped over", plan.file),
            }
        }
        let uses = lines.iter().filter(|line| line.contains(" r15, "));
        let (comparisons, changes): (Vec<&str>, Vec<&str>) =
            uses.copied().partition(|line| line.starts_with("cmp"));
        assert_eq!(changes, [format!("add r15, {block}")], "{}", plan.file);
        assert_eq!(lines[begin + 2], changes[0], "once for each block");
        let lanes = plan.groups * 64 / plan.word_bytes;
        assert_eq!(comparisons.len() * 4, lanes, "{}", plan.file);
        let number =
            |text: &str| -> usize { text.trim_end_matches(']').parse().expect("a number") };
        let places = prefetched
            .iter()
            .map(|(lane, at)| (number(lane), number(at)));
        let places: BTreeSet<_> = places.collect();
        let all = (0..lanes).flat_map(|lane| (0..block / 64).map(move |i| (8 * lane, 64 * i)));
        assert_eq!(places, all.collect(), "{}", plan.file);
        assert_eq!(prefetched.len(), places.len(), "{}: one twice", plan.file);
    }
}
