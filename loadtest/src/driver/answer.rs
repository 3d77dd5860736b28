//! The two calls, and how their answers are checked.

use hashlane_proto::v1::{DigestResponse, PartError, Verdict, VerifyResponse};

use crate::grpc::{DIGEST_PATH, VERIFY_PATH};
use crate::payload::Part;

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
    /// The method's path.
    const PATH: &'static str;

    /// Whether the server refused the part.
    fn refusal(&self) -> Result<(), Fault>;

    /// Whether the answer is exactly right for `part`.
    fn check(&self, part: &Part) -> Result<(), Fault>;
}

impl Answer for DigestResponse {
    const PATH: &'static str = DIGEST_PATH;

    fn refusal(&self) -> Result<(), Fault> {
        refused(self.error.as_ref())
    }

    fn check(&self, part: &Part) -> Result<(), Fault> {
        self.refusal()?;
        same_part(self.part, self.size_bytes, part)?;
        if self.digests == part.digests {
            return Ok(());
        }
        // The answer is wrong; now find out how.
        let given = self.digests.iter().map(|digest| digest.algorithm);
        same_algorithms(given, part)?;
        mismatch("the digest is wrong".into())
    }
}

impl Answer for VerifyResponse {
    const PATH: &'static str = VERIFY_PATH;

    fn refusal(&self) -> Result<(), Fault> {
        refused(self.error.as_ref())
    }

    fn check(&self, part: &Part) -> Result<(), Fault> {
        self.refusal()?;
        same_part(self.part, self.size_bytes, part)?;
        same_algorithms(self.verdicts.iter().map(|one| one.algorithm), part)?;
        let right = |is_match: bool| {
            if is_match {
                Verdict::Match as i32
            } else {
                Verdict::Mismatch as i32
            }
        };
        let digests = part.digests.iter().zip(&part.expected);
        for (one, (digest, expected)) in self.verdicts.iter().zip(digests) {
            if one.computed != digest.digest {
                return mismatch("the digest is wrong".into());
            }
            if one.expected != expected.digest {
                return mismatch("the verdict is on another digest than the one expected".into());
            }
            same_verdict(one.verdict, right(digest == expected))?;
        }
        same_verdict(self.verdict, right(part.digests == part.expected))
    }
}

fn refused(error: Option<&PartError>) -> Result<(), Fault> {
    match error {
        None => Ok(()),
        Some(error) => Err(Fault::Refused(format!(
            "part refused: {}: {}",
            error.reason, error.message
        ))),
    }
}

fn same_part(number: u64, size_bytes: u64, part: &Part) -> Result<(), Fault> {
    if number != 0 {
        return mismatch(format!("an answer for part {number}, which was not sent"));
    }
    if size_bytes != part.size_bytes {
        return mismatch("the answer's size is not the part's".into());
    }
    Ok(())
}

fn same_algorithms(given: impl Iterator<Item = i32>, part: &Part) -> Result<(), Fault> {
    let given: Vec<_> = given.collect();
    let asked: Vec<_> = part.digests.iter().map(|digest| digest.algorithm).collect();
    if given == asked {
        return Ok(());
    }
    mismatch(format!(
        "digests of algorithms {given:?} instead of {asked:?}"
    ))
}

fn same_verdict(given: i32, right: i32) -> Result<(), Fault> {
    if given == right {
        return Ok(());
    }
    mismatch(format!("verdict {given} instead of {right}"))
}

fn mismatch(text: String) -> Result<(), Fault> {
    Err(Fault::Mismatch(text))
}
