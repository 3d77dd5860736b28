//! The two calls and how their answers are judged.

use hashlane_proto::v1::{DigestResponse, PartError, Verdict, VerifyResponse};

use crate::payload::Part;

/// `ALGORITHM_SHA256`.
const SHA256: i32 = hashlane_proto::v1::Algorithm::Sha256 as i32;

/// Why an answer does not count as right.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The server would not answer this part.
    Refused(String),
    /// The server answered something wrong.
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
    const PATH: &'static str = "/hashlane.v1.HashService/Digest";

    fn refusal(&self) -> Result<(), Fault> {
        refused(self.error.as_ref())
    }

    fn check(&self, part: &Part) -> Result<(), Fault> {
        self.refusal()?;
        same_part(self.part, self.size_bytes, part)?;
        let [digest] = self.digests.as_slice() else {
            return mismatch(format!("{} digests instead of one", self.digests.len()));
        };
        if digest.algorithm != SHA256 {
            return mismatch(format!(
                "a digest of algorithm {} instead of {SHA256}",
                digest.algorithm
            ));
        }
        same_digest(&digest.digest, part)
    }
}

impl Answer for VerifyResponse {
    const PATH: &'static str = "/hashlane.v1.HashService/Verify";

    fn refusal(&self) -> Result<(), Fault> {
        refused(self.error.as_ref())
    }

    fn check(&self, part: &Part) -> Result<(), Fault> {
        self.refusal()?;
        same_part(self.part, self.size_bytes, part)?;
        let [verdict] = self.verdicts.as_slice() else {
            return mismatch(format!("{} verdicts instead of one", self.verdicts.len()));
        };
        same_digest(&verdict.computed, part)?;
        if verdict.expected[..] != part.expected {
            return mismatch("the verdict is on another digest than the one expected".into());
        }
        let right = if part.expected == part.digest {
            Verdict::Match
        } else {
            Verdict::Mismatch
        };
        if verdict.verdict != right as i32 || self.verdict != right as i32 {
            return mismatch(format!(
                "verdict {} instead of {}",
                self.verdict, right as i32
            ));
        }
        Ok(())
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

fn same_digest(digest: &[u8], part: &Part) -> Result<(), Fault> {
    if digest == part.digest {
        Ok(())
    } else {
        mismatch("the digest is wrong".into())
    }
}

fn mismatch(text: String) -> Result<(), Fault> {
    Err(Fault::Mismatch(text))
}
