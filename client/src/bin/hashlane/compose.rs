//! `hashlane compose`: S3's value of an object that was uploaded in parts.

use std::fmt::Display;

use hashlane_client::{Digest, ObjectParts, Verdict};
use hashlane_engine::composite::{Expected, ObjectDigest};

use crate::args::{Compose, ObjectEncoding};
use crate::output::Output;
use crate::tasks::Stop;
use crate::{algorithms, remote, values};

/// The value in both of S3's encodings, and the verdict.
struct Composed {
    base64: String,
    hex: String,
    is_expected: bool,
}

/// Prints the value. Returns whether it is as expected.
pub(crate) fn run(arguments: &Compose, output: &mut Output) -> Result<bool, Stop> {
    let parts = parts(arguments).map_err(Stop::Trouble)?;
    let composed = if arguments.server.urls.is_empty() {
        here(arguments, &parts)?
    } else {
        there(arguments, &parts)?
    };
    // S3 writes the composite of MD5 as an ETag, everything else in base64.
    let by_default = if arguments.algorithm == hashlane_client::Algorithm::Md5 {
        ObjectEncoding::Hex
    } else {
        ObjectEncoding::Base64
    };
    let text = match arguments.encoding.unwrap_or(by_default) {
        ObjectEncoding::Hex => composed.hex,
        ObjectEncoding::Base64 => composed.base64,
    };
    output.write(format!("{text}\n").as_bytes())?;
    if !composed.is_expected {
        output.complain(format_args!("the value is not the expected one"))?;
    }
    Ok(composed.is_expected)
}

/// The parts' digests and, for a FULL_OBJECT value, their lengths in bytes; otherwise 0.
fn parts(arguments: &Compose) -> Result<Vec<(Digest, u64)>, String> {
    let wants_bytes = arguments.full_object;
    let part = |(index, text): (usize, &String)| {
        let wrong = |error: &dyn Display| format!("compose: part {}: {error}", index + 1);
        let (digest, bytes) = match text.split_once(':') {
            None if wants_bytes => {
                return Err(wrong(&"--full-object wants DIGEST:BYTES"));
            }
            None => (text.as_str(), 0),
            Some(_) if !wants_bytes => {
                return Err(wrong(&"DIGEST:BYTES goes with --full-object"));
            }
            Some((digest, bytes)) => {
                let bytes = bytes.parse::<u64>();
                (digest, bytes.map_err(|_| wrong(&"BYTES is no number"))?)
            }
        };
        let digest = values::decode(digest, arguments.algorithm).map_err(|e| wrong(&e))?;
        Ok((*digest.digest(), bytes))
    };
    arguments.parts.iter().enumerate().map(part).collect()
}

/// Computes the value with the engine's code, without a server.
fn here(arguments: &Compose, parts: &[(Digest, u64)]) -> Result<Composed, Stop> {
    let algorithm = arguments.algorithm;
    let refuse =
        |option: &str, error: &dyn Display| Stop::Trouble(format!("compose: {option}: {error}"));
    let engine = algorithms::of_engine(algorithm);
    let engine = engine.ok_or_else(|| refuse("--algorithm", &"only servers have it"))?;
    let value = if arguments.full_object {
        ObjectDigest::full_object(engine, parts)
    } else {
        let digests: Vec<_> = parts.iter().map(|(digest, _)| digest).collect();
        ObjectDigest::composite(engine, &digests)
    };
    let value = value.map_err(|error| refuse("--algorithm", &format!("{algorithm}: {error}")))?;
    let expected = arguments.expect.as_deref();
    let expected = expected.map(|text| Expected::parse(engine, text));
    let expected = expected.transpose().map_err(|e| refuse("--expect", &e))?;
    Ok(Composed {
        base64: value.to_base64(),
        hex: value.to_hex(),
        is_expected: expected.is_none_or(|expected| expected.matches(&value)),
    })
}

fn there(arguments: &Compose, parts: &[(Digest, u64)]) -> Result<Composed, Stop> {
    let algorithm = arguments.algorithm;
    let mut asked = if arguments.full_object {
        ObjectParts::full_object(algorithm, parts.iter().copied())
    } else {
        ObjectParts::composite(algorithm, parts.iter().map(|(digest, _)| digest))
    };
    if let Some(expected) = &arguments.expect {
        asked = asked.expecting(expected);
    }
    let builder = remote::builder(&arguments.server)?.connections(1);
    let runtime = remote::runtime()?;
    let connecting = builder.connect_all(&arguments.server.urls);
    let value = runtime.block_on(async { connecting.await?.compose(&asked).await })?;
    Ok(Composed {
        base64: value.base64,
        hex: value.hex,
        is_expected: value.verdict != Some(Verdict::Mismatch),
    })
}
