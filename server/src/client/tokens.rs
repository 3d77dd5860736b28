//! Bearer tokens (RFC 6750). A file holds the SHA-256 of each token and its client's name.
//!
//! The server stores digests instead of tokens. It hashes the token that a client sent, and looks
//! the digest up in a table with a random key. The look-up time leaks at most the beginning of a
//! digest. A client cannot choose digests, so that does not help to guess a token. SHA-256 is fast,
//! so tokens must be random: 128 bits or more.
//!
//! Why no slow hash (bcrypt): it protects secrets that people choose. Here it would let any client
//! keep the workers busy.

use std::collections::{BTreeSet, HashMap};

use hashlane_engine::{Algorithm, Hasher};
use http::{HeaderMap, header};

use super::id::{ClientId, Name};

/// Maximum of tokens in a file, one per line.
const TOKENS_MAX: usize = 10_000;

/// The prefix of a token in its header, in upper or lower case.
const BEARER: &[u8] = b"bearer ";

/// The name of each token. A name may have several tokens, so that one can replace another.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tokens(HashMap<[u8; 32], Name>);

impl Tokens {
    /// Parses lines of `NAME SHA256`, with the digest in hexadecimal; `#` begins a comment.
    ///
    /// # Errors
    /// The number of the faulty line, and the reason.
    pub(crate) fn parse(text: &str) -> Result<Self, (usize, String)> {
        let mut tokens = HashMap::new();
        // Some editors begin a file with a byte order mark.
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        for (at, line) in text.lines().enumerate() {
            let wrong = |reason: &str| (at + 1, reason.to_owned());
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
            let name = name.ok_or_else(|| {
                wrong("a name has 1 to 256 bytes, and neither spaces nor control characters")
            })?;
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

    /// The name of the token in the headers, if there is exactly one and it is known.
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

    /// The tokens of each client.
    pub(super) fn by_client(&self) -> HashMap<ClientId, BTreeSet<&[u8; 32]>> {
        let mut by_client = HashMap::<_, BTreeSet<_>>::new();
        for (digest, name) in &self.0 {
            let client = ClientId::Token(name.clone());
            by_client.entry(client).or_default().insert(digest);
        }
        by_client
    }
}

fn digest_of(token: &[u8]) -> [u8; 32] {
    let mut hasher = Hasher::new(Algorithm::Sha256);
    hasher.update(token);
    let mut digest = [0; 32];
    digest.copy_from_slice(hasher.finalize().as_ref());
    digest
}

fn parse_hex(text: &str) -> Option<[u8; 32]> {
    let mut digest = [0; 32];
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

    use super::super::id::changes;
    use super::*;

    const ABC: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    const OTHER: &str = "00000000000000000000000000000000000000000000000000000000000000ff";
    const EMPTY: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

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
        let tokens = Tokens::parse(&format!("# all\n\nbackup\t {upper} # of 2026\r\n")).unwrap();
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
        let wrong = |text: &str, line: usize, words: &str| {
            let (at, reason) = Tokens::parse(text).unwrap_err();
            assert_eq!(at, line, "{reason}");
            assert!(reason.contains(words), "{reason}");
        };
        wrong("a", 1, "expected a name");
        wrong(ABC, 1, "expected a name");
        wrong(&format!("\na {}", &ABC[1..]), 2, "64 hexadecimal");
        wrong(&format!("a +{}", &ABC[1..]), 1, "64 hexadecimal");
        wrong(&format!("a b {ABC}"), 1, "neither spaces");
        wrong(&format!("{} {ABC}", "a".repeat(257)), 1, "256 bytes");
        wrong(&format!("a {ABC}\nb {ABC}"), 2, "earlier line");
        wrong(&format!("a {EMPTY}"), 1, "SHA-256 of nothing");
        let many: String = (0..=TOKENS_MAX).map(|n| format!("a {n:064x}\n")).collect();
        wrong(&many, 10_001, "more than 10000");
    }

    #[test]
    fn changes_are_told_by_name() {
        let one = Tokens::parse(&format!("a {ABC}\nb {OTHER}")).unwrap();
        let other = Tokens::parse(&format!("a {OTHER}\nc {ABC}")).unwrap();
        let (one, other) = (one.by_client(), other.by_client());
        assert_eq!(
            changes(&one, &other),
            ["token:a changed", "token:b removed", "token:c added"]
        );
        assert!(changes(&one, &one).is_empty());
    }
}
