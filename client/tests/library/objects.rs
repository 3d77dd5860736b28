//! S3's values of objects, composed by the service.

use hashlane_client::{Algorithm, Code, ObjectParts, Verdict};

use crate::support::Behaviour;
use crate::{serve, sha256};

#[tokio::test]
async fn objects_are_composed_and_compared_where_a_value_is_expected() {
    let (_fake, client) = serve(Behaviour::Honest).await;
    let digests = [sha256(b"a"), sha256(b"b")];
    let parts = ObjectParts::composite(Algorithm::Sha256, digests);
    let plain = client.compose(&parts).await.unwrap();
    assert_eq!(plain.digest, sha256(&digests.concat()));
    assert_eq!(plain.hex, format!("{}-2", plain.digest));
    assert!(plain.base64.ends_with("=-2"), "{}", plain.base64);
    assert_eq!(plain.verdict, None);
    for (expected, verdict) in [
        (plain.base64, Verdict::Match),
        (plain.hex, Verdict::Match),
        ("0".repeat(64), Verdict::Mismatch),
    ] {
        let asked = parts.clone().expecting(&expected);
        let answer = client.compose(&asked).await.unwrap();
        assert_eq!(answer.verdict, Some(verdict), "{expected}");
    }
    let error = client.compose(&parts.expecting("other")).await.unwrap_err();
    assert_eq!(error.code(), Code::InvalidArgument);

    // CRC-32 of "1234", of "56789" and of both.
    let halves = [([0x9b, 0xe3, 0xe0, 0xa3], 4), ([0x13, 0x1d, 0xa0, 0x70], 5)];
    let halves = halves.map(|(crc, bytes): ([u8; 4], u64)| (crc, bytes));
    let parts = ObjectParts::full_object(Algorithm::Crc32, halves).expecting("cbf43926");
    let whole = client.compose(&parts).await.unwrap();
    assert_eq!(
        (whole.hex.as_str(), whole.verdict),
        ("cbf43926", Some(Verdict::Match))
    );
}
