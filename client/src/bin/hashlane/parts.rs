//! S3's COMPOSITE values and ETag of a source as if it were uploaded in parts, computed while the
//! source is read.

use std::num::NonZeroU64;

use hashlane_engine::composite::{ObjectDigest, PARTS_MAX, PartsError};
use hashlane_engine::{Algorithm, Digest, Hasher};

/// The parts of one source. The single-stream function hashes them: only one part of a source is
/// read at a time.
pub(crate) struct Parts {
    part_bytes: NonZeroU64,
    /// Bytes that the current part still takes.
    room: u64,
    hashers: Vec<Hasher>,
    /// For each hasher's algorithm, the digests of the finished parts.
    ended: Vec<Vec<Digest>>,
    algorithms: Vec<Algorithm>,
    has_too_many: bool,
}

impl Parts {
    pub(crate) fn new(part_bytes: NonZeroU64, algorithms: &[Algorithm]) -> Self {
        Self {
            part_bytes,
            room: part_bytes.get(),
            hashers: algorithms.iter().copied().map(Hasher::new).collect(),
            ended: vec![Vec::new(); algorithms.len()],
            algorithms: algorithms.to_vec(),
            has_too_many: false,
        }
    }

    /// Whether S3 defines a value for this algorithm.
    pub(crate) fn check(algorithm: Algorithm) -> Result<(), PartsError> {
        let digest = vec![0_u8; algorithm.digest_bytes()];
        ObjectDigest::composite(algorithm, &[digest]).map(drop)
    }

    /// Takes the source's next bytes.
    pub(crate) fn update(&mut self, mut data: &[u8]) {
        while !data.is_empty() && !self.has_too_many {
            // A part ends only when the next one begins, so the last part is never empty.
            if self.room == 0 {
                self.end_part();
            }
            let bytes = usize::try_from(self.room).unwrap_or(usize::MAX);
            let (now, later) = data.split_at(bytes.min(data.len()));
            for hasher in &mut self.hashers {
                hasher.update(now);
            }
            self.room -= now.len() as u64;
            data = later;
        }
    }

    fn end_part(&mut self) {
        let hashers = self.hashers.iter_mut().zip(&self.algorithms);
        for ((hasher, algorithm), ended) in hashers.zip(&mut self.ended) {
            let hasher = std::mem::replace(hasher, Hasher::new(*algorithm));
            ended.push(hasher.finalize());
            // The value is an error already; more digests would waste memory.
            self.has_too_many = ended.len() > PARTS_MAX;
        }
        self.room = self.part_bytes.get();
    }

    /// The values as S3 writes them, in the order of the algorithms: the ETag of MD5 in hex,
    /// all others in base64.
    pub(crate) fn finish(mut self) -> Result<Vec<String>, PartsError> {
        if !self.has_too_many {
            self.end_part();
        }
        let values = self.algorithms.iter().zip(&self.ended);
        let value = |(algorithm, digests): (&Algorithm, &Vec<Digest>)| {
            let value = ObjectDigest::composite(*algorithm, digests)?;
            Ok(match algorithm {
                Algorithm::Md5 => value.to_hex(),
                _ => value.to_base64(),
            })
        };
        values.map(value).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(part_bytes: u64, pieces: &[&[u8]]) -> Result<Vec<String>, PartsError> {
        let part_bytes = NonZeroU64::new(part_bytes).unwrap();
        let mut parts = Parts::new(part_bytes, &[Algorithm::Md5, Algorithm::Crc32]);
        pieces.iter().for_each(|piece| parts.update(piece));
        parts.finish()
    }

    fn expected(parts: &[&[u8]]) -> Vec<String> {
        let digests = |algorithm| {
            let digest = |part: &&[u8]| {
                let mut hasher = Hasher::new(algorithm);
                hasher.update(part);
                hasher.finalize()
            };
            let digests: Vec<_> = parts.iter().map(digest).collect();
            ObjectDigest::composite(algorithm, &digests).unwrap()
        };
        vec![
            digests(Algorithm::Md5).to_hex(),
            digests(Algorithm::Crc32).to_base64(),
        ]
    }

    #[test]
    fn parts_end_where_they_should_however_the_source_is_read() {
        for pieces in [
            &[&b"abcdefgh"[..]][..],
            &[b"abc", b"defgh"],
            &[b"a", b"b", b"", b"cdefg", b"h"],
        ] {
            assert_eq!(values(3, pieces), Ok(expected(&[b"abc", b"def", b"gh"])));
            assert_eq!(values(4, pieces), Ok(expected(&[b"abcd", b"efgh"])));
            assert_eq!(values(8, pieces), Ok(expected(&[b"abcdefgh"])));
            assert_eq!(values(9, pieces), Ok(expected(&[b"abcdefgh"])));
        }
        // S3 has an object of one empty part.
        assert_eq!(values(3, &[]), Ok(expected(&[b""])));
    }

    #[test]
    fn more_parts_than_s3_takes_have_no_value() {
        let most = vec![0; PARTS_MAX];
        assert!(values(1, &[&most]).is_ok());
        let error = values(1, &[&most, b"x"]).unwrap_err();
        assert!(matches!(error, PartsError::PartCount { .. }), "{error}");
    }
}
