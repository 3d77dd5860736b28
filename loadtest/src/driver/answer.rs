//! How answers are checked.

use hashlane_proto::v1::{
    AlgorithmDigest, DigestBatchResponse, DigestResponse, PartError, Verdict, VerifyResponse,
};

/// What a right answer says of its part.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Right<'a> {
    pub(crate) part: u64,
    pub(crate) size_bytes: u64,
    /// The digests of the data, in the order of the request.
    pub(crate) digests: &'a [AlgorithmDigest],
    /// The digests that Verify expects.
    pub(crate) expected: &'a [AlgorithmDigest],
}

/// Why an answer is wrong.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The server refused the part.
    Refused(String),
    /// The server answered incorrectly.
    Mismatch(String),
}

/// The answer to one part.
pub(crate) trait Answer: prost::Message + Default + 'static {
    /// What it says of its part: number, bytes, error.
    fn told(&self) -> (u64, u64, Option<&PartError>);

    /// How many messages' data the server has read from shared memory since the call began (0: no
    /// change), and whether this is the answer to a part.
    fn memory_read(&self) -> (u64, bool);

    /// Whether its digests or verdicts are right; else what is wrong.
    fn check_digests(&self, right: &Right<'_>) -> Result<(), String>;

    /// Whether the server refused the part.
    fn refusal(&self) -> Result<(), Fault> {
        self.told().2.map_or(Ok(()), |error| {
            let text = format!("part refused: {}: {}", error.reason, error.message);
            Err(Fault::Refused(text))
        })
    }

    /// Whether the answer is exactly right.
    fn check(&self, right: &Right<'_>) -> Result<(), Fault> {
        self.refusal()?;
        let (part, size_bytes, _) = self.told();
        let outcome = if part != right.part {
            Err(format!("an answer for part {part}, which was not sent"))
        } else if size_bytes != right.size_bytes {
            Err("the answer's size is not the part's".into())
        } else {
            self.check_digests(right)
        };
        outcome.map_err(Fault::Mismatch)
    }
}

impl Answer for DigestResponse {
    fn told(&self) -> (u64, u64, Option<&PartError>) {
        (self.part, self.size_bytes, self.error.as_ref())
    }

    fn memory_read(&self) -> (u64, bool) {
        let count = self.memory_messages_read;
        let is_answer = count == 0 || !self.digests.is_empty() || self.error.is_some();
        (count, is_answer)
    }

    fn check_digests(&self, right: &Right<'_>) -> Result<(), String> {
        if self.digests == right.digests {
            return Ok(());
        }
        // The answer is wrong; now find out how.
        let given = self.digests.iter().map(|digest| digest.algorithm);
        same_algorithms(given, right)?;
        Err("the digest is wrong".into())
    }
}

/// The digests of all blobs.
impl Answer for DigestBatchResponse {
    fn told(&self) -> (u64, u64, Option<&PartError>) {
        (0, 0, None)
    }

    fn memory_read(&self) -> (u64, bool) {
        (0, true)
    }

    fn check_digests(&self, right: &Right<'_>) -> Result<(), String> {
        let digests = self.blobs.iter().flat_map(|blob| &blob.digests);
        if digests.eq(right.digests) {
            return Ok(());
        }
        Err("a blob's digest is wrong".into())
    }

    fn check(&self, right: &Right<'_>) -> Result<(), Fault> {
        self.check_digests(right).map_err(Fault::Mismatch)
    }
}

impl Answer for VerifyResponse {
    fn told(&self) -> (u64, u64, Option<&PartError>) {
        (self.part, self.size_bytes, self.error.as_ref())
    }

    fn memory_read(&self) -> (u64, bool) {
        let count = self.memory_messages_read;
        let is_answer = count == 0 || !self.verdicts.is_empty() || self.error.is_some();
        (count, is_answer)
    }

    fn check_digests(&self, right: &Right<'_>) -> Result<(), String> {
        same_algorithms(self.verdicts.iter().map(|one| one.algorithm), right)?;
        let digests = right.digests.iter().zip(right.expected);
        for (one, (digest, expected)) in self.verdicts.iter().zip(digests) {
            if one.computed != digest.digest {
                return Err("the digest is wrong".into());
            }
            if one.expected != expected.digest {
                return Err("the verdict is on another digest than the one expected".into());
            }
            same_verdict(one.verdict, digest == expected)?;
        }
        same_verdict(self.verdict, right.digests == right.expected)
    }
}

fn same_algorithms(given: impl Iterator<Item = i32>, right: &Right<'_>) -> Result<(), String> {
    let given: Vec<_> = given.collect();
    let asked: Vec<_> = right
        .digests
        .iter()
        .map(|digest| digest.algorithm)
        .collect();
    if given == asked {
        return Ok(());
    }
    Err(format!(
        "digests of algorithms {given:?} instead of {asked:?}"
    ))
}

fn same_verdict(given: i32, is_match: bool) -> Result<(), String> {
    let right = if is_match {
        Verdict::Match as i32
    } else {
        Verdict::Mismatch as i32
    };
    if given == right {
        return Ok(());
    }
    Err(format!("verdict {given} instead of {right}"))
}
