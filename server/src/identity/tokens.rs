//! Bearer tokens (RFC 6750): a file has the SHA-256 of each, and whose it is.
//!
//! The server never has a token of its own to compare with. It hashes what a client sent and looks
//! that digest up in a table with a random key. How long this takes tells at most how a digest
//! begins that is not the client's to choose, so nothing that helps to guess a token. Since SHA-256
//! is fast, tokens must be random: 128 bits or more.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use hashlane_engine::{Algorithm, Hasher};
use http::{HeaderMap, header};

use crate::client_id::Name;
use crate::config::FileError;

/// The setting that names the file.
const SETTING: &str = "clients.tokens_file";

/// Tokens of a file, each a line.
const TOKENS_MAX: usize = 10_000;

/// A longer file is not read: so long is one with as many tokens, and comments.
const FILE_BYTES_MAX: u64 = 8 << 20;

/// What is sent before a token, in any case.
const BEARER: &[u8] = b"bearer ";

type Digest = [u8; 32];

/// Whose tokens are known. A name may have several, so that one can follow another.
#[derive(Clone, Debug, Default)]
pub(super) struct Tokens(HashMap<Digest, Name>);

impl Tokens {
    /// Reads a file of lines `NAME SHA256`, in hexadecimal; `#` begins a comment.
    pub(super) fn read(path: &Path) -> Result<Self, FileError> {
        let text = FileError::read(SETTING, path, FILE_BYTES_MAX)?;
        let mut tokens = HashMap::new();
        for (at, line) in text.lines().enumerate() {
            let wrong = |reason: &str| FileError::at(SETTING, path, at + 1, reason);
            let line = line.split('#').next().unwrap_or_default().trim();
            if line.is_empty() {
                continue;
            }
            let (name, digest) = line
                .rsplit_once(char::is_whitespace)
                .ok_or_else(|| wrong("expected a name and the SHA-256 of a token"))?;
            let name = name.trim_end();
            let has_space = name.contains(char::is_whitespace);
            let name = Name::new(name).filter(|_| !has_space);
            let name = name.ok_or_else(|| wrong("a name has 1 to 256 bytes, and no spaces"))?;
            let digest = parse_hex(digest);
            let digest = digest.ok_or_else(|| wrong("a SHA-256 is 64 hexadecimal digits"))?;
            if digest == digest_of(b"") {
                return Err(wrong("this is the SHA-256 of nothing"));
            }
            if tokens.insert(digest, name).is_some() {
                return Err(wrong("this token is in an earlier line already"));
            }
            if tokens.len() > TOKENS_MAX {
                return Err(wrong(&format!("more than {TOKENS_MAX} tokens")));
            }
        }
        Ok(Self(tokens))
    }

    /// Whose token the headers bring, if it is the only one and known.
    pub(super) fn name_of(&self, headers: &HeaderMap) -> Option<Name> {
        let mut values = headers.get_all(header::AUTHORIZATION).iter();
        let (Some(value), None) = (values.next(), values.next()) else {
            return None;
        };
        let (scheme, token) = value.as_bytes().split_at_checked(BEARER.len())?;
        if !scheme.eq_ignore_ascii_case(BEARER) {
            return None;
        }
        self.0.get(&digest_of(token)).cloned()
    }

    /// Whose tokens are others than in `old`.
    pub(super) fn changes(&self, old: &Self) -> Vec<String> {
        let (old, new) = (old.by_name(), self.by_name());
        let names: BTreeSet<_> = old.keys().chain(new.keys()).collect();
        let changed = names.into_iter().filter_map(|name| {
            let what = match (old.get(*name), new.get(*name)) {
                (None, _) => "added",
                (_, None) => "removed",
                (old, new) if old != new => "changed",
                _ => return None,
            };
            Some(format!("token:{name} {what}"))
        });
        changed.collect()
    }

    fn by_name(&self) -> BTreeMap<&Name, BTreeSet<&Digest>> {
        let mut by_name = BTreeMap::<_, BTreeSet<_>>::new();
        for (digest, name) in &self.0 {
            by_name.entry(name).or_default().insert(digest);
        }
        by_name
    }
}

fn digest_of(token: &[u8]) -> Digest {
    let mut hasher = Hasher::new(Algorithm::Sha256);
    hasher.update(token);
    let mut digest = Digest::default();
    digest.copy_from_slice(hasher.finalize().as_ref());
    digest
}

fn parse_hex(text: &str) -> Option<Digest> {
    let mut digest = Digest::default();
    if text.len() != 2 * digest.len() || !text.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    for (at, byte) in digest.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&text[2 * at..2 * at + 2], 16).ok()?;
    }
    Some(digest)
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    const ABC: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    const OTHER: &str = "00000000000000000000000000000000000000000000000000000000000000ff";
    const EMPTY: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

    fn read(text: &str) -> Result<Tokens, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tokens");
        std::fs::write(&path, text).unwrap();
        let shown = |error: FileError| {
            let text = error.to_string();
            text.replace(&path.display().to_string(), "F")
        };
        Tokens::read(&path).map_err(shown)
    }

    fn name_of(tokens: &Tokens, values: &[&'static str]) -> Option<String> {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(header::AUTHORIZATION, HeaderValue::from_static(value));
        }
        tokens.name_of(&headers).map(|name| name.to_string())
    }

    #[test]
    fn a_token_is_known_by_its_digest() {
        let upper = ABC.to_uppercase();
        let tokens = read(&format!("# all\n\nbackup\t {upper} # of 2026\r\n")).unwrap();
        assert_eq!(name_of(&tokens, &["Bearer abc"]).as_deref(), Some("backup"));
        assert_eq!(name_of(&tokens, &["bEARER abc"]).as_deref(), Some("backup"));
        for wrong in [
            "Bearer abd",
            "Bearer",
            "Bearer ",
            "Basic abc",
            "abc",
            "",
            "Bearer abc ",
        ] {
            assert_eq!(name_of(&tokens, &[wrong]), None, "{wrong:?}");
        }
        assert_eq!(name_of(&tokens, &["Bearer abc", "Bearer abc"]), None);
        assert_eq!(name_of(&tokens, &[]), None);
    }

    #[test]
    fn what_is_wrong_with_a_file_is_told_with_its_line() {
        let wrong = |text: &str, line: u32, words: &str| {
            let error = read(text).unwrap_err();
            let place = format!("setting clients.tokens_file: F:{line}: ");
            assert!(error.starts_with(&place), "{error}");
            assert!(error.contains(words), "{error}");
        };
        wrong("a", 1, "expected a name");
        wrong(ABC, 1, "expected a name");
        wrong(&format!("\na {}", &ABC[1..]), 2, "64 hexadecimal");
        wrong(&format!("a +{}", &ABC[1..]), 1, "64 hexadecimal");
        wrong(&format!("a b {ABC}"), 1, "no spaces");
        wrong(&format!("{} {ABC}", "a".repeat(257)), 1, "256 bytes");
        wrong(&format!("a {ABC}\nb {ABC}"), 2, "earlier line");
        wrong(&format!("a {EMPTY}"), 1, "SHA-256 of nothing");
        let many: String = (0..=TOKENS_MAX).map(|n| format!("a {n:064x}\n")).collect();
        wrong(&many, 10_001, "more than 10000");
        assert!(read(&"#".repeat(9 << 20)).unwrap_err().contains("larger"));
    }

    #[test]
    fn changes_are_told_by_name() {
        let one = read(&format!("a {ABC}\nb {OTHER}")).unwrap();
        let other = read(&format!("a {OTHER}\nc {ABC}")).unwrap();
        assert_eq!(
            other.changes(&one),
            ["token:a changed", "token:b removed", "token:c added"]
        );
        assert!(one.changes(&one).is_empty());
    }
}
