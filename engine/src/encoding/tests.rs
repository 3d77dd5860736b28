use proptest::prelude::*;

use super::*;

/// SHA-256 of `abc` (FIPS 180-4's example).
const SHA256_HEX: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

fn sha256() -> Digest {
    parse_hex(SHA256_HEX).expect("hexadecimal")
}

fn digest_of(bytes: usize) -> Digest {
    let byte = |i| u8::try_from(i * 37 % 251).expect("below 251");
    Digest::new(&(1..=bytes).map(byte).collect::<Vec<u8>>())
}

fn sha256_of(encoding: Encoding) -> String {
    encoding
        .encode(Algorithm::Sha256, &sha256())
        .expect("every encoding has SHA-256")
}

#[test]
fn sha256_as_the_specifications_write_it() {
    let base64 = "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=";
    assert_eq!(sha256_of(Encoding::Hex), SHA256_HEX);
    assert_eq!(sha256_of(Encoding::Base64), base64);
    assert_eq!(sha256_of(Encoding::Oci), format!("sha256:{SHA256_HEX}"));
    assert_eq!(sha256_of(Encoding::Sri), format!("sha256-{base64}"));
    assert_eq!(sha256_of(Encoding::Rfc9530), format!("sha-256=:{base64}:"));
}

#[test]
fn which_algorithms_each_encoding_has() {
    let names = |encoding: Encoding| {
        let has = |algorithm: &Algorithm| {
            let digest = digest_of(algorithm.digest_bytes());
            encoding.encode(*algorithm, &digest).is_some()
        };
        let names: Vec<&str> = Algorithm::all().filter(has).map(Algorithm::name).collect();
        names.join(" ")
    };
    let all: Vec<&str> = Algorithm::all().map(Algorithm::name).collect();
    assert_eq!(names(Encoding::Hex), all.join(" "));
    assert_eq!(names(Encoding::Base64), all.join(" "));
    assert_eq!(names(Encoding::Oci), "sha256 sha512 blake3");
    assert_eq!(names(Encoding::Sri), "sha256 sha512 sha384");
    assert_eq!(names(Encoding::Rfc9530), "sha256 sha512");
    assert_eq!(
        Encoding::Oci.encode(Algorithm::Sha256, &[1; 31]),
        None,
        "not a SHA-256 digest"
    );
}

#[test]
fn what_is_written_is_read() {
    for algorithm in Algorithm::all() {
        let bytes = algorithm.digest_bytes();
        let digest = digest_of(bytes);
        for encoding in Encoding::ALL {
            let Some(text) = encoding.encode(algorithm, &digest) else {
                continue;
            };
            let unlabelled = matches!(encoding, Encoding::Hex | Encoding::Base64);
            let algorithm = Some(algorithm).filter(|_| !unlabelled);
            let expected = Ok(vec![Labelled { algorithm, digest }]);
            assert_eq!(encoding.parse(&text), expected, "{text}");
            assert_eq!(parse(&text), expected, "{text}");
            if unlabelled {
                assert_eq!(decode(&text, bytes), Ok(digest), "{text}");
            }
        }
    }
}

#[test]
fn hex_and_base64_of_one_length() {
    // CRC32's digests have 8 characters in both encodings.
    assert_eq!(
        decode("cbf43926", 4),
        Ok(Digest::new(&[0xcb, 0xf4, 0x39, 0x26]))
    );
    assert_eq!(
        decode("CBF43926", 4),
        Ok(Digest::new(&[0xcb, 0xf4, 0x39, 0x26]))
    );
    assert_eq!(
        decode("y/Q5Jg==", 4),
        Ok(Digest::new(&[0xcb, 0xf4, 0x39, 0x26]))
    );
    // Only hexadecimal digits, but the length shows that it is base64.
    let digest = decode("abcdef012345abcd", 12).expect("base64 of 12 bytes");
    assert_eq!(base64(&digest), "abcdef012345abcd");
    assert_eq!(
        parse("abcdef012345abcd").map(|all| all[0].digest.len()),
        Ok(8)
    );
}

#[test]
fn decode_says_what_is_wrong() {
    let length = |expected, actual| EncodingError::DigestLength {
        algorithm: None,
        expected,
        actual,
    };
    let cases = [
        ("", 4, EncodingError::Empty),
        ("cbf439", 4, length(4, 3)),
        ("y/Q5JgA=", 4, length(4, 5)),
        ("y/Q5Jg=", 4, EncodingError::NotHexOrBase64),
        // Non-zero bits beyond the digest: another text for the same bytes.
        ("y/Q5Jh==", 4, EncodingError::NotHexOrBase64),
        ("y_Q5Jg==", 4, EncodingError::NotHexOrBase64),
        ("cbf4392 ", 4, EncodingError::NotHexOrBase64),
        ("ébf43926", 4, EncodingError::NotHexOrBase64),
    ];
    for (text, bytes, error) in cases {
        assert_eq!(decode(text, bytes), Err(error), "{text}");
    }
    // The length is checked before decoding: this is not base64 either.
    assert_eq!(decode(&"!".repeat(129), 32), Err(EncodingError::TooLong));
    assert_eq!(
        decode(&"0".repeat(1 << 20), 32),
        Err(EncodingError::TooLong)
    );
    assert_eq!(
        Encoding::Base64.parse(&"A".repeat(120)),
        Err(EncodingError::TooLong)
    );
}

#[test]
fn oci_is_strict() {
    let error = |text: &str| Encoding::Oci.parse(text).expect_err("malformed");
    assert_eq!(error(SHA256_HEX), EncodingError::NoAlgorithm);
    assert_eq!(
        error(&format!("sha256:{}", SHA256_HEX.to_uppercase())),
        EncodingError::NotHex
    );
    assert_eq!(
        error(&format!("sha256:{SHA256_HEX}0")),
        EncodingError::NotHex
    );
    assert_eq!(error("sha256:"), EncodingError::Empty);
    assert_eq!(
        error(&format!("sha512:{SHA256_HEX}")).to_string(),
        "a digest of sha512 has 64 bytes, not 32"
    );
    // Valid in OCI's grammar, but not a registered algorithm.
    assert_eq!(
        error(&format!("sha384:{SHA256_HEX}")).to_string(),
        "\"sha384\" is no algorithm that this encoding has"
    );
    let name = "multihash+base58-and-a-great-deal-more";
    let head = "multihash+base58-and".to_owned();
    assert_eq!(
        error(&format!("{name}:00")),
        EncodingError::UnknownAlgorithm { name: head }
    );
}

#[test]
fn sri_takes_several_options_and_unknown_algorithms() {
    let sha256_text = sha256_of(Encoding::Sri);
    let sha512 = digest_of(64);
    let sha512_text = Encoding::Sri
        .encode(Algorithm::Sha512, &sha512)
        .expect("SRI has SHA-512");
    let text = format!(" {sha256_text}?foo-bar\n md9-AAAA\t{sha512_text} {sha256_text} ");
    let expected = [
        (Algorithm::Sha256, sha256()),
        (Algorithm::Sha512, sha512),
        (Algorithm::Sha256, sha256()),
    ];
    let label = |(algorithm, digest)| Labelled {
        algorithm: Some(algorithm),
        digest,
    };
    assert_eq!(parse(&text), Ok(expected.map(label).to_vec()));

    let error = |text: &str| Encoding::Sri.parse(text).expect_err("malformed");
    assert_eq!(error(" \n"), EncodingError::Empty);
    assert_eq!(error("sha256"), EncodingError::NoAlgorithm);
    assert_eq!(error("sha256-"), EncodingError::Empty);
    assert_eq!(error("sha256-ungW!"), EncodingError::NotBase64);
    assert_eq!(
        error("md9-AAAA"),
        EncodingError::UnknownAlgorithm {
            name: "md9".to_owned()
        }
    );
    assert_eq!(
        error("sha384-ungW"),
        EncodingError::DigestLength {
            algorithm: Some(Algorithm::Sha384),
            expected: 48,
            actual: 3
        }
    );
}

#[test]
fn rfc9530_examples() {
    // RFC 9530, appendix B.1: `{"hello": "world"}` and a line feed.
    let text = "sha-256=:RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=:";
    let digests = parse(text).expect("RFC 9530's own");
    assert_eq!(digests[0].algorithm, Some(Algorithm::Sha256));
    assert_eq!(
        hex(&digests[0].digest),
        "44aff4ab2d7c3250525675a08f0cfa9591168cffe51791c5f5bbc417c15a6c38"
    );
}

#[test]
fn rfc9530_is_a_dictionary() {
    let sha256_text = sha256_of(Encoding::Rfc9530);
    let sha512 = digest_of(64);
    let sha512_text = Encoding::Rfc9530
        .encode(Algorithm::Sha512, &sha512)
        .expect("it has SHA-512");
    let label = |algorithm, digest| Labelled {
        algorithm: Some(algorithm),
        digest,
    };
    let both = Ok(vec![
        label(Algorithm::Sha256, sha256()),
        label(Algorithm::Sha512, sha512),
    ]);
    assert_eq!(parse(&format!("{sha256_text}, {sha512_text}")), both);
    assert_eq!(parse(&format!("  {sha256_text}\t,\t{sha512_text}  ")), both);
    // Deprecated and unknown algorithms are skipped, and so are parameters.
    assert_eq!(
        parse(&format!("md5=:AAAA:,{sha256_text},{sha512_text}")),
        both
    );
    let parameters = ";a;b=1; c=\"x, \\\" \\\\ ;\";*d=:AA==:";
    assert_eq!(
        parse(&format!("{sha256_text}{parameters}, {sha512_text}")),
        both
    );
    // The last of a kind counts, but keeps the place of the first.
    let zero = format!("sha-256=:{}=:", "A".repeat(43));
    assert_eq!(
        parse(&format!("{zero}, {sha512_text}, {sha256_text}")),
        both
    );
    // Padding may be missing.
    let unpadded = format!("{}:", sha256_text.trim_end_matches("=:"));
    assert_eq!(
        parse(&unpadded),
        Ok(vec![label(Algorithm::Sha256, sha256())])
    );
}

#[test]
fn rfc9530_says_where_it_is_wrong() {
    let good = sha256_of(Encoding::Rfc9530);
    let error = |text: &str| {
        let error = Encoding::Rfc9530.parse(text).expect_err("malformed");
        error.to_string()
    };
    assert_eq!(error(""), "there is no digest");
    assert_eq!(
        error("SHA-256=:AA:"),
        "expected a key in lower case at byte 0"
    );
    assert_eq!(error("sha-256"), "expected `=` at byte 7");
    assert_eq!(
        error("sha-256=1"),
        "expected a byte sequence, `:base64:` at byte 8"
    );
    assert_eq!(
        error("sha-256=:AA"),
        "expected the `:` that ends a byte sequence at byte 11"
    );
    assert_eq!(
        error("sha-256=:AA:"),
        "a digest of sha256 has 32 bytes, not 1"
    );
    assert_eq!(error("sha-256=::"), "there is no digest");
    assert_eq!(
        error("sha-256=:A_:"),
        "not base64 with standard alphabet and padding"
    );
    assert_eq!(
        error("md5=:AA:"),
        "\"md5\" is no algorithm that this encoding has"
    );
    assert_eq!(
        error(&format!("{good},")),
        "expected a member after the last `,` at byte 55"
    );
    assert_eq!(
        error(&format!("{good} x")),
        "expected `,` or the end at byte 55"
    );
    assert_eq!(
        error(&format!("{good};")),
        "expected a key in lower case at byte 55"
    );
    assert_eq!(
        error(&format!("{good};a=")),
        "expected a parameter's value at byte 57"
    );
    assert_eq!(
        error(&format!("{good};a=\"b")),
        "expected the `\"` that ends a string at byte 59"
    );
    assert_eq!(
        error(&format!("{good};a=\"\\b")),
        "expected an escaped `\"` or `\\` at byte 58"
    );
}

#[test]
fn encodings_have_names() {
    for encoding in Encoding::ALL {
        assert_eq!(encoding.name().parse(), Ok(encoding));
    }
    let error = "b64".parse::<Encoding>().expect_err("no encoding's name");
    let expected = "unknown encoding \"b64\", expected one of hex base64 oci sri rfc9530";
    assert_eq!(error.to_string(), expected);
}

proptest! {
    /// Any text gets an answer. A digest that was read is written as the same text, or in its
    /// canonical form.
    #[test]
    fn no_text_panics(text in prop_oneof![
        any::<String>(),
        "(sha-?(256|384|512)|md5|blake3)?[-:=]{0,2}[a-fA-F0-9+/=:;, \"\\\\?é-]{0,90}",
    ]) {
        for encoding in Encoding::ALL {
            let _ = encoding.parse(&text);
        }
        let _ = parse(&text);
        if let Ok(digest) = decode(&text, 32) {
            let lower = text.to_ascii_lowercase();
            prop_assert!(hex(&digest) == lower || base64(&digest) == text);
        }
    }
}
