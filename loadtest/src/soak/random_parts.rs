//! Random parts, the pool of their bytes, and the messages of calls with several parts.

use std::collections::BTreeMap;
use std::ops::Range;

use bytes::Bytes;
use hashlane_engine::Algorithm;
use hashlane_proto::v1::{AlgorithmDigest, PartOptions, VerifyRequest};
use rand::rngs::SmallRng;
use rand::seq::{IndexedRandom as _, SliceRandom as _};
use rand::{Rng as _, RngCore as _, SeedableRng as _};

use super::world::log_uniform;
use crate::args::Rpc;
use crate::driver::{Answer, Fault, Right};
use crate::load::algorithms::{digest, number};
use crate::protocol::grpc::frame;

/// Random bytes from which all parts are cut.
const POOL_BYTES: usize = 4 << 20;

/// Maximum of bytes in a part.
const PART_BYTES_MAX: usize = 512 << 10;

/// Maximum of parts in a call, and of digests in a part.
const PARTS_MAX: usize = 8;
const DIGESTS_MAX: usize = 3;

/// Approximate number of messages for a part's data.
const MESSAGES: usize = 12;

/// Algorithms with a separate crate.
const WITH_CRATES: [Algorithm; 6] = [
    Algorithm::Sha256,
    Algorithm::Sha512,
    Algorithm::Sha224,
    Algorithm::Sha384,
    Algorithm::Sha1,
    Algorithm::Md5,
];

/// One part: its range in the pool, and its expected digests.
#[derive(Clone, Debug)]
pub(super) struct RandomPart {
    number: u64,
    data: Range<usize>,
    algorithms: Vec<Algorithm>,
    /// For Verify: which expected digests are wrong.
    wrong: Vec<bool>,
}

/// The parts of a call.
#[derive(Debug)]
pub(super) struct RandomParts {
    parts: BTreeMap<u64, RandomPart>,
    /// The end of the call ends the last part.
    ends_with_call: bool,
}

impl RandomPart {
    fn random(rng: &mut SmallRng, number: u64, pool_bytes: usize) -> Self {
        let bytes = log_uniform(rng, 0, PART_BYTES_MAX);
        let start = rng.random_range(0..=pool_bytes - bytes);
        let mut algorithms = Vec::new();
        for _ in 0..rng.random_range(1..=DIGESTS_MAX) {
            let all: Vec<_> = Algorithm::all().collect();
            let from = if rng.random() { &WITH_CRATES[..] } else { &all };
            let algorithm = *from.choose(rng).expect("neither is empty");
            if !algorithms.contains(&algorithm) {
                algorithms.push(algorithm);
            }
        }
        Self {
            number,
            data: start..start + bytes,
            wrong: algorithms.iter().map(|_| rng.random_ratio(1, 4)).collect(),
            algorithms,
        }
    }

    fn digests(&self, pool: &Bytes) -> Vec<AlgorithmDigest> {
        let data = &pool[self.data.clone()];
        let digests = self.algorithms.iter().map(|&algorithm| AlgorithmDigest {
            algorithm: number(algorithm),
            digest: digest(algorithm, std::iter::once(data)).into(),
        });
        digests.collect()
    }

    /// The digests that a Verify call expects.
    fn expected(&self, mut digests: Vec<AlgorithmDigest>) -> Vec<AlgorithmDigest> {
        for (digest, wrong) in digests.iter_mut().zip(&self.wrong) {
            if *wrong {
                digest.digest = digest.digest.iter().map(|byte| !byte).collect();
            }
        }
        digests
    }

    /// A message with some of its data. For Digest, it has no expected digests, and is the same as
    /// a DigestRequest.
    fn message(&self, rpc: Rpc, pool: &Bytes, data: Bytes, is_first: bool, last: bool) -> Bytes {
        let open = is_first.then(|| PartOptions {
            algorithms: self.algorithms.iter().copied().map(number).collect(),
            size_bytes: None,
        });
        let expects = is_first && rpc == Rpc::Verify;
        frame(&VerifyRequest {
            part: self.number,
            open,
            expected: if expects {
                self.expected(self.digests(pool))
            } else {
                Vec::new()
            },
            last,
            data,
            memory: None,
        })
    }
}

impl RandomParts {
    pub(super) fn random(rng: &mut SmallRng, pool_bytes: usize) -> Self {
        let mut parts = BTreeMap::new();
        for _ in 0..log_uniform(rng, 1, PARTS_MAX) {
            let number = log_uniform(rng, 0, usize::MAX >> 1) as u64;
            parts.insert(number, RandomPart::random(rng, number, pool_bytes));
        }
        Self {
            parts,
            ends_with_call: rng.random_ratio(1, 4),
        }
    }

    /// The messages of all parts, in random order, but in sequence for each part.
    pub(super) fn messages(&self, rng: &mut SmallRng, pool: &Bytes, rpc: Rpc) -> Vec<Bytes> {
        let mut turns: Vec<_> = self.parts.values().collect();
        let of_part = |part: &RandomPart, rng: &mut SmallRng| pieces(rng, part.data.clone());
        let pieces: Vec<_> = turns.iter().map(|part| of_part(part, rng)).collect();
        let mut order: Vec<_> = (0..turns.len())
            .flat_map(|index| std::iter::repeat_n(index, pieces[index].len()))
            .collect();
        order.shuffle(rng);
        let mut next = vec![0; turns.len()];
        let mut messages = Vec::new();
        for (at, &index) in order.iter().enumerate() {
            let (part, piece) = (&mut turns[index], &pieces[index][next[index]]);
            let is_first = next[index] == 0;
            next[index] += 1;
            let ends_part = next[index] == pieces[index].len();
            let last = ends_part && !(self.ends_with_call && at == order.len() - 1);
            let data = pool.slice(piece.clone());
            messages.push(part.message(rpc, pool, data, is_first, last));
        }
        messages
    }

    /// Removes the part of `answer`, and checks the answer.
    ///
    /// # Errors
    /// What is wrong with the answer.
    pub(super) fn settle(&mut self, answer: &impl Answer, pool: &Bytes) -> Result<u64, String> {
        let (number, ..) = answer.told();
        let part = self.parts.remove(&number);
        let part = part.ok_or(format!("an answer for part {number}, which is not open"))?;
        let digests = part.digests(pool);
        let right = Right {
            part: number,
            size_bytes: part.data.len() as u64,
            digests: &digests,
            expected: &part.expected(digests.clone()),
        };
        match answer.check(&right) {
            Ok(()) => Ok(right.size_bytes),
            Err(Fault::Refused(text)) => Err(text),
            Err(Fault::Mismatch(text)) => Err(format!("{text}: {part:?}")),
        }
    }

    /// Number of parts without an answer.
    pub(super) fn left(&self) -> usize {
        self.parts.len()
    }
}

/// The bytes of all parts.
pub(super) fn pool(seed: u64) -> Bytes {
    let mut pool = vec![0; POOL_BYTES];
    SmallRng::seed_from_u64(seed).fill_bytes(&mut pool);
    pool.into()
}

/// Splits the data of a part; an empty part has one message too.
fn pieces(rng: &mut SmallRng, data: Range<usize>) -> Vec<Range<usize>> {
    let mut pieces = Vec::new();
    let mut at = data.start;
    while at < data.end {
        let bytes = rng.random_range(0..=1 + 2 * data.len() / MESSAGES);
        let end = (at + bytes).min(data.end);
        pieces.push(at..end);
        at = end;
    }
    if pieces.is_empty() {
        pieces.push(data);
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;
    use hashlane_proto::v1::{
        DigestRequest, DigestResponse, DigestVerdict, PartError, Verdict, VerifyResponse,
    };
    use prost::Message as _;

    fn some_parts(seed: u64) -> RandomParts {
        RandomParts::random(&mut SmallRng::seed_from_u64(seed), pool(1).len())
    }

    #[test]
    fn messages_are_those_of_the_parts() {
        let pool = pool(1);
        for seed in 0..50 {
            let parts = some_parts(seed);
            let mut rng = SmallRng::seed_from_u64(seed);
            let mut data: BTreeMap<u64, Vec<u8>> = BTreeMap::new();
            let mut ended = 0;
            for message in parts.messages(&mut rng, &pool, Rpc::Digest) {
                let message = DigestRequest::decode(&message[5..]).unwrap();
                let is_first = !data.contains_key(&message.part);
                assert_eq!(message.open.is_some(), is_first);
                data.entry(message.part).or_default().extend(&message.data);
                ended += usize::from(message.last);
            }
            assert_eq!(ended, parts.left() - usize::from(parts.ends_with_call));
            for (number, part) in &parts.parts {
                assert_eq!(data[number], pool[part.data.clone()]);
            }
        }
    }

    #[test]
    fn only_a_right_digest_is_right() {
        let pool = pool(1);
        let parts = some_parts(3);
        let (&number, part) = parts.parts.first_key_value().unwrap();
        let right = DigestResponse {
            part: number,
            size_bytes: part.data.len() as u64,
            digests: part.digests(&pool),
            error: None,
            memory_messages_read: 0,
        };
        let settle = |answer: &DigestResponse| some_parts(3).settle(answer, &pool);
        assert_eq!(settle(&right), Ok(right.size_bytes));
        let mut wrong = right.clone();
        wrong.digests[0].digest = vec![0; wrong.digests[0].digest.len()].into();
        settle(&wrong).unwrap_err();
        let mut wrong = right.clone();
        wrong.size_bytes += 1;
        settle(&wrong).unwrap_err();
        let mut wrong = right.clone();
        wrong.part = !wrong.part;
        settle(&wrong).unwrap_err();
        let mut wrong = right;
        wrong.error = Some(PartError::default());
        settle(&wrong).unwrap_err();
    }

    #[test]
    fn only_the_right_verdicts_are_right() {
        let pool = pool(1);
        let mut seen = [false; 2];
        for seed in 0..20 {
            let parts = some_parts(seed);
            let (&number, part) = parts.parts.first_key_value().unwrap();
            let computed = part.digests(&pool);
            let expected = part.expected(computed.clone());
            let verdict = |is_match| {
                if is_match {
                    Verdict::Match as i32
                } else {
                    Verdict::Mismatch as i32
                }
            };
            let verdicts = computed.iter().zip(&expected);
            let verdicts = verdicts.map(|(computed, expected)| DigestVerdict {
                algorithm: computed.algorithm,
                verdict: verdict(computed == expected),
                expected: expected.digest.clone(),
                computed: computed.digest.clone(),
            });
            let right = VerifyResponse {
                part: number,
                size_bytes: part.data.len() as u64,
                verdict: verdict(computed == expected),
                verdicts: verdicts.collect(),
                error: None,
                memory_messages_read: 0,
            };
            seen[usize::from(computed == expected)] = true;
            let settle = |answer: &VerifyResponse| some_parts(seed).settle(answer, &pool);
            assert_eq!(settle(&right), Ok(right.size_bytes));
            let mut wrong = right.clone();
            wrong.verdict = 3 - wrong.verdict;
            settle(&wrong).unwrap_err();
            let mut wrong = right;
            wrong.verdicts.pop();
            settle(&wrong).unwrap_err();
        }
        assert_eq!(seen, [true; 2]);
    }
}
