//! The published vectors through sha1, sha2 and md-5: these crates are the oracle of the kernels
//! and run where there is no kernel, so they are tested too, and the files of vectors are shown to
//! be complete.
//!
//! NIST CAVP (SHAVS, byte-oriented, CAVS 11.0); RFC 1321, appendix A.5.

use digest::Digest;

/// The short, long and Monte Carlo files of an algorithm, and how many messages
/// the first two hold.
macro_rules! shavs {
    ($($test:ident: $hash:ty, $name:literal, $messages:literal;)+) => {
        $(#[test]
        fn $test() {
            let short = include_str!(concat!("vectors/", $name, "ShortMsg.rsp"));
            let long = include_str!(concat!("vectors/", $name, "LongMsg.rsp"));
            assert_eq!(messages::<$hash>(short) + messages::<$hash>(long), $messages);
            monte_carlo::<$hash>(include_str!(concat!("vectors/", $name, "Monte.rsp")));
        })+
    };
}

shavs! {
    sha1: sha1::Sha1, "SHA1", 129;
    sha224: sha2::Sha224, "SHA224", 129;
    sha256: sha2::Sha256, "SHA256", 129;
    sha384: sha2::Sha384, "SHA384", 257;
    sha512: sha2::Sha512, "SHA512", 257;
}

#[test]
fn md5() {
    assert_eq!(messages::<md5::Md5>(include_str!("vectors/MD5.rsp")), 7);
}

fn hex(text: &str) -> Vec<u8> {
    base16ct::lower::decode_vec(text).expect("lower-case hexadecimal")
}

/// The `name = value` lines of a response file.
fn fields(file: &str) -> impl Iterator<Item = (&str, &str)> {
    file.lines()
        .filter_map(|line| line.trim().split_once(" = "))
}

/// Hashes every message of the file, and returns how many there were.
fn messages<H: Digest>(file: &str) -> usize {
    let (mut bits, mut message, mut count) = (0, Vec::new(), 0);
    for (name, value) in fields(file) {
        match name {
            "Len" => bits = value.parse().expect("a number"),
            "Msg" => message = hex(value),
            "MD" => {
                // The empty message stands there as `00`.
                message.truncate(bits / 8);
                assert_eq!(message.len() * 8, bits);
                assert_eq!(H::digest(&message).as_slice(), hex(value), "{bits} bits");
                count += 1;
            }
            _ => {}
        }
    }
    count
}

/// SHAVS section 6.4: a thousand digests of the last three, a hundred times over.
fn monte_carlo<H: Digest>(file: &str) {
    let of = |name| {
        fields(file)
            .filter(move |field| field.0 == name)
            .map(|field| hex(field.1))
    };
    let mut seed = of("Seed").next().expect("a seed");
    assert_eq!(of("MD").count(), 100, "the file is whole");
    for expected in of("MD") {
        let mut last = [seed.clone(), seed.clone(), seed];
        for _ in 0..1000 {
            let digest = H::digest(last.concat()).to_vec();
            last.rotate_left(1);
            last[2] = digest;
        }
        [_, _, seed] = last;
        assert_eq!(seed, expected);
    }
}
