//! The value of a Content-Digest or Repr-Digest field: a dictionary of byte
//! sequences (RFC 9651 sections 3.2 and 4.2).
//!
//! ```text
//!   field      = member *( OWS "," OWS member )
//!   member     = key "=" ":" base64 ":" *( ";" key [ "=" bare-item ] )
//! ```

use base64::{
    Engine as _, alphabet,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};

use super::error::EncodingError;

/// RFC 9651 section 4.2.7 allows a parser to accept base64 without padding, and asks it to accept
/// non-zero bits in the last digit.
const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// Decodes a member's base64.
pub(super) fn decode(base64: &str) -> Result<Vec<u8>, EncodingError> {
    LENIENT.decode(base64).map_err(|_| EncodingError::NotBase64)
}

/// The text, and how far it has been read.
pub(super) struct Field<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Field<'a> {
    pub(super) const fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// The next member's key and base64; `None` at the end.
    pub(super) fn member(&mut self) -> Result<Option<(&'a str, &'a str)>, EncodingError> {
        if self.at == 0 {
            self.skip(b" ");
        } else {
            self.skip(b" \t");
            if self.peek().is_some() {
                self.expect(b',', "`,` or the end")?;
                self.skip(b" \t");
                if self.peek().is_none() {
                    return Err(self.error("a member after the last `,`"));
                }
            }
        }
        if self.peek().is_none() {
            return Ok(None);
        }
        let key = self.key()?;
        self.expect(b'=', "`=`")?;
        self.expect(b':', "a byte sequence, `:base64:`")?;
        let value = self.until(b":");
        self.expect(b':', "the `:` that ends a byte sequence")?;
        self.parameters()?;
        Ok(Some((key, value)))
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn error(&self, expected: &'static str) -> EncodingError {
        EncodingError::Field {
            at: self.at,
            expected,
        }
    }

    fn expect(&mut self, byte: u8, name: &'static str) -> Result<(), EncodingError> {
        if self.peek() != Some(byte) {
            return Err(self.error(name));
        }
        self.at += 1;
        Ok(())
    }

    fn skip(&mut self, bytes: &[u8]) {
        self.take(|byte| bytes.contains(&byte));
    }

    fn until(&mut self, ends: &[u8]) -> &'a str {
        self.take(|byte| !ends.contains(&byte))
    }

    /// The bytes up to the first that `wanted` refuses. `wanted` must accept only ASCII or stop at
    /// ASCII, so that the result ends between characters.
    fn take(&mut self, wanted: impl Fn(u8) -> bool) -> &'a str {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let len = rest
            .bytes()
            .position(|byte| !wanted(byte))
            .unwrap_or(rest.len());
        self.at += len;
        rest.get(..len).unwrap_or_default()
    }

    fn key(&mut self) -> Result<&'a str, EncodingError> {
        if !self
            .peek()
            .is_some_and(|byte| byte.is_ascii_lowercase() || byte == b'*')
        {
            return Err(self.error("a key in lower case"));
        }
        let of_key = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
        Ok(self.take(|byte| of_key(byte) || b"_-.*".contains(&byte)))
    }

    /// Skips parameters: RFC 9530 defines none, and new ones are not errors.
    fn parameters(&mut self) -> Result<(), EncodingError> {
        while self.peek() == Some(b';') {
            self.at += 1;
            self.skip(b" ");
            self.key()?;
            if self.peek() == Some(b'=') {
                self.at += 1;
                self.bare_item()?;
            }
        }
        Ok(())
    }

    fn bare_item(&mut self) -> Result<(), EncodingError> {
        if self.peek() != Some(b'"') {
            return match self.until(b"\",; \t") {
                "" => Err(self.error("a parameter's value")),
                _ => Ok(()),
            };
        }
        self.at += 1;
        loop {
            self.until(b"\"\\");
            match self.peek() {
                Some(b'"') => break,
                // The escaped character is `"` or `\`.
                Some(_) if matches!(self.text.as_bytes().get(self.at + 1), Some(b'"' | b'\\')) => {
                    self.at += 2;
                }
                Some(_) => return Err(self.error("an escaped `\"` or `\\`")),
                None => return Err(self.error("the `\"` that ends a string")),
            }
        }
        self.at += 1;
        Ok(())
    }
}
