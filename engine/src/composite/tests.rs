use proptest::prelude::*;

use super::*;

/// The digest of a single part or object.
fn digest(algorithm: Algorithm, bytes: &[u8]) -> Digest {
    let mut hash = Hash::new(algorithm);
    hash.update(bytes);
    hash.finalize()
}

/// Algorithms whose values combine.
const CRCS: [Algorithm; 3] = [Algorithm::Crc32, Algorithm::Crc32c, Algorithm::Crc64Nvme];

/// Three parts of 5 MiB of `A`, `B` and `C`.
fn abc() -> [Vec<u8>; 3] {
    [b'A', b'B', b'C'].map(|letter| vec![letter; 5 << 20])
}

fn composite_of(algorithm: Algorithm, parts: &[Vec<u8>]) -> ObjectDigest {
    let digests: Vec<_> = parts.iter().map(|part| digest(algorithm, part)).collect();
    ObjectDigest::composite(algorithm, &digests).expect("sound parts")
}

fn full_object_of(algorithm: Algorithm, parts: &[Vec<u8>]) -> ObjectDigest {
    let with_length = |part: &Vec<u8>| (digest(algorithm, part), part.len() as u64);
    let parts: Vec<_> = parts.iter().map(with_length).collect();
    ObjectDigest::full_object(algorithm, &parts).expect("sound parts")
}

#[test]
fn golden_values() {
    let sha256 = composite_of(Algorithm::Sha256, &abc());
    assert_eq!(
        sha256.to_base64(),
        "uWBwpe1dxI4Vw8Gf0X9ynOdw/SS6VBzfWm9giiv1sf4=-3"
    );
    assert_eq!(sha256.parts(), Some(3));
    let etag = composite_of(Algorithm::Md5, &abc());
    assert_eq!(etag.to_hex(), "b2add96cc9702bbf4efb0ccdfc6b7747-3");

    // The same parts, by Python's hashlib and zlib.
    let others = [
        (Algorithm::Md5, "sq3ZbMlwK79O+wzN/Gt3Rw==-3"),
        (Algorithm::Sha1, "sizjvY4eud3MrcHdZM3cQ/ol39o=-3"),
        (
            Algorithm::Sha512,
            "PH03HCWRnF1eRwkRZ5QuNX3xANlUNUHDq0dAGemjeDEbg7gVRN2hK5S55dEz50kChtflb+eosNGPUdZBGj\
             /24w==-3",
        ),
        (Algorithm::Crc32, "Z+ry2Q==-3"),
    ];
    for (algorithm, expected) in others {
        assert_eq!(composite_of(algorithm, &abc()).to_base64(), expected);
    }
    assert_eq!(
        full_object_of(Algorithm::Crc32, &abc()).to_base64(),
        "WgDhBQ=="
    );
}

#[test]
fn which_algorithms_have_which_values() {
    let digests = |row: &Row| [Digest::new(&vec![1; row.algorithm.digest_bytes()])];
    let composite = |row: &&Row| ObjectDigest::composite(row.algorithm, &digests(row)).is_ok();
    let full_object = |row: &&Row| {
        let parts = digests(row).map(|digest| (digest, 1));
        ObjectDigest::full_object(row.algorithm, &parts).is_ok()
    };
    let names = |rows: Vec<&Row>| {
        rows.iter()
            .map(|row| row.algorithm.name())
            .collect::<Vec<_>>()
            .join(" ")
    };
    assert_eq!(
        names(ROWS.iter().filter(composite).collect()),
        "md5 sha1 sha256 sha512 xxhash64 xxhash3 xxhash128 crc32 crc32c"
    );
    assert_eq!(
        names(ROWS.iter().filter(full_object).collect()),
        "crc32 crc32c crc64nvme"
    );
    for row in &ROWS {
        assert_eq!(
            digest(row.algorithm, b"").len(),
            row.algorithm.digest_bytes(),
            "{}",
            row.algorithm
        );
    }
}

#[test]
fn an_algorithm_without_the_value() {
    for algorithm in [
        Algorithm::Crc64Nvme,
        Algorithm::Sha224,
        Algorithm::Sha384,
        Algorithm::Blake3,
    ] {
        let error = ObjectDigest::composite(algorithm, &[[0; 8]]).expect_err("no composite");
        assert_eq!(error, PartsError::NoComposite, "{algorithm}");
    }
    for algorithm in [
        Algorithm::Sha256,
        Algorithm::Md5,
        Algorithm::Xxh64,
        Algorithm::Blake3,
    ] {
        let error = ObjectDigest::full_object(algorithm, &[([0; 8], 1)]).expect_err("no value");
        assert_eq!(error, PartsError::NoFullObject, "{algorithm}");
    }
    assert_eq!(
        PartsError::NoFullObject.to_string(),
        "values of this algorithm do not combine, only those of crc32 crc32c crc64nvme"
    );
    assert_eq!(
        Expected::parse(Algorithm::Blake3, "00"),
        Err(ExpectedError::Algorithm)
    );
}

#[test]
fn one_to_ten_thousand_parts() {
    let parts = |count: usize| ObjectDigest::composite(Algorithm::Crc32, &vec![[0; 4]; count]);
    assert_eq!(parts(0), Err(PartsError::PartCount { parts: 0 }));
    assert_eq!(parts(1).map(|value| value.parts()), Ok(Some(1)));
    assert_eq!(parts(10_000).map(|value| value.parts()), Ok(Some(10_000)));
    assert_eq!(parts(10_001), Err(PartsError::PartCount { parts: 10_001 }));
    let parts =
        |count: usize| ObjectDigest::full_object(Algorithm::Crc32, &vec![([0; 4], 1); count]);
    assert_eq!(parts(0), Err(PartsError::PartCount { parts: 0 }));
    assert!(parts(10_000).is_ok());
    assert_eq!(parts(10_001), Err(PartsError::PartCount { parts: 10_001 }));
}

#[test]
fn errors_name_the_part() {
    let digests: [&[u8]; 4] = [&[1; 20], &[2; 20], &[], &[3; 19]];
    let missing =
        ObjectDigest::composite(Algorithm::Sha1, &digests).expect_err("a digest is missing");
    assert_eq!(missing, PartsError::NoDigest { index: 2 });
    assert_eq!(missing.index(), Some(2));
    assert_eq!(
        missing.to_string(),
        "the digest of part 2 (from 0) is missing"
    );

    let short =
        ObjectDigest::composite(Algorithm::Sha1, &digests[3..]).expect_err("a digest is short");
    assert_eq!(short.index(), Some(0));
    assert_eq!(
        short.to_string(),
        "a digest of sha1 has 20 bytes, part 0 (from 0) has 19"
    );

    let crcs: [(&[u8], u64); 2] = [(&[1; 4], 5), (&[1; 8], 5)];
    let long = ObjectDigest::full_object(Algorithm::Crc32c, &crcs).expect_err("a digest is long");
    assert_eq!(long.index(), Some(1));
}

#[test]
fn full_object_values_leave_no_trace_of_parts() {
    for algorithm in CRCS {
        let whole = full_object_of(algorithm, &[abc().concat()]);
        assert_eq!(full_object_of(algorithm, &abc()), whole, "{algorithm}");
        assert_eq!(
            *whole.digest(),
            digest(algorithm, &abc().concat()),
            "{algorithm}"
        );
        assert_eq!(whole.parts(), None);
        assert!(!whole.to_base64().contains('-'));
    }
}

#[test]
fn expected_values_in_every_form() {
    let value = composite_of(Algorithm::Sha256, &abc());
    let base64 = value.to_base64();
    let bare = base64.trim_end_matches("-3");
    let hex = value.to_hex();
    for text in [
        &base64,
        bare,
        &hex,
        &hex.to_uppercase(),
        &format!("\"{hex}\""),
    ] {
        let expected = Expected::parse(Algorithm::Sha256, text).expect("well formed");
        assert!(expected.matches(&value), "{text}");
    }
    let others = [
        base64.replace("-3", "-2"),
        base64.replace("-3", "-30"),
        base64.replacen('u', "v", 1),
        "0".repeat(64),
    ];
    for text in others {
        let expected = Expected::parse(Algorithm::Sha256, &text).expect("well formed");
        assert!(!expected.matches(&value), "{text}");
    }
    let whole = full_object_of(Algorithm::Crc32, &abc());
    let parse = |text: &str| Expected::parse(Algorithm::Crc32, text).expect("well formed");
    assert!(parse(&whole.to_base64()).matches(&whole));
    assert!(parse(&whole.to_hex()).matches(&whole));
    // The expected value is a composite, but this one is not.
    assert!(!parse(&format!("{}-3", whole.to_base64())).matches(&whole));
}

#[test]
fn malformed_expectations_are_errors() {
    let etag = "b2add96cc9702bbf4efb0ccdfc6b7747";
    let error = |text: &str| Expected::parse(Algorithm::Md5, text).expect_err("malformed");
    for count in [
        "",
        "0",
        "03",
        "+3",
        "-3",
        "3 ",
        "3a",
        "10001",
        "99999999999999999999",
    ] {
        assert_eq!(
            error(&format!("{etag}-{count}")),
            ExpectedError::PartCount,
            "{count}"
        );
    }
    for text in [
        format!("\"{etag}-3"),
        format!("{etag}-3\""),
        "\"".to_owned(),
    ] {
        assert_eq!(error(&text), ExpectedError::Quotes, "{text}");
    }
    let digest = |error| ExpectedError::Digest(error);
    assert_eq!(error(""), digest(EncodingError::Empty));
    assert_eq!(error("\"\""), digest(EncodingError::Empty));
    assert_eq!(error("-3"), digest(EncodingError::Empty));
    assert_eq!(error("W/\"00\""), ExpectedError::Quotes);
    assert_eq!(
        error(&format!("{}!-3", &etag[1..])),
        digest(EncodingError::NotHexOrBase64)
    );
    assert_eq!(
        error(&etag[2..]).to_string(),
        "a digest has 16 bytes, not 15",
        "a digest cut short is not a mismatch"
    );
    assert!(Expected::parse(Algorithm::Md5, &format!("{etag}-10000")).is_ok());
}

proptest! {
    #[test]
    fn combined_crcs_are_the_crc_of_the_whole(parts in prop::collection::vec(
        prop_oneof![Just(Vec::new()), prop::collection::vec(any::<u8>(), 0..3000)], 1..9)) {
        for algorithm in CRCS {
            let whole = digest(algorithm, &parts.concat());
            prop_assert_eq!(*full_object_of(algorithm, &parts).digest(), whole);
        }
    }

    #[test]
    fn what_is_written_is_expected(parts in prop::collection::vec(any::<Vec<u8>>(), 1..5)) {
        for row in ROWS.iter().filter(|row| row.composite) {
            let value = composite_of(row.algorithm, &parts);
            for text in [value.to_base64(), value.to_hex(), format!("\"{}\"", value.to_hex())] {
                let expected = Expected::parse(row.algorithm, &text);
                prop_assert!(expected.expect("well formed").matches(&value));
            }
        }
    }

    #[test]
    fn no_text_panics(text in prop_oneof![
        any::<String>(),
        "\"?[a-f0-9A-F+/=é]{0,70}(-[0-9+-]{0,6})?\"?",
    ]) {
        for row in &ROWS {
            let _ = Expected::parse(row.algorithm, &text);
        }
    }
}
