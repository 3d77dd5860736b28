//! Uploads in parts, as S3 has them.

use crate::support::{Behaviour, Fake};
use hashlane_client::{Algorithm, AlgorithmDigest, Client, Error, Multipart};
use md5::{Digest as _, Md5};

const PARTS: [&str; 3] = ["one", "second", "last"];

async fn serve() -> (Fake, Client) {
    let fake = Fake::start(Behaviour::Honest).await;
    let client = Client::connect(&fake.url).await.unwrap();
    (fake, client)
}

fn begin(client: &Client) -> Multipart {
    let algorithms = [Algorithm::Md5, Algorithm::Crc64nvme, Algorithm::Crc32];
    client.multipart(algorithms).unwrap().part_bytes_min(3)
}

#[tokio::test]
async fn parts_in_any_order_at_the_same_time_make_one_object() {
    let (_fake, client) = serve().await;
    let upload = begin(&client);
    let (last, first, replaced) = tokio::join!(
        upload.part(7, PARTS[2]),
        upload.part(1, PARTS[0]),
        upload.part(2, "something else"),
    );
    assert!(last.is_ok() && first.is_ok() && replaced.is_ok());
    upload.part(2, PARTS[1]).await.unwrap();
    let object = upload.complete().await.unwrap();

    let md5s: Vec<u8> = PARTS.iter().flat_map(Md5::digest).collect();
    let md5: Vec<u8> = Md5::digest(&md5s).to_vec();
    let etag: String = md5.iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(object.etag(), Some(format!("{etag}-3").as_str()));
    let whole = client
        .digest("onesecondlast", [Algorithm::Crc64nvme, Algorithm::Crc32])
        .await;
    for digest in whole.unwrap().digests {
        let value = object.full_object(digest.algorithm()).unwrap();
        assert_eq!(value.digest, *digest.digest());
    }
    assert!(
        object
            .composite(Algorithm::Crc32)
            .unwrap()
            .hex
            .ends_with("-3")
    );
    assert_eq!(object.composite(Algorithm::Crc64nvme), None);
    assert_eq!(object.full_object(Algorithm::Md5), None);
    assert_eq!(object.size_bytes, 13);
    let numbers: Vec<_> = object.parts.iter().map(|(number, _)| *number).collect();
    assert_eq!(numbers, [1, 2, 7]);
}

#[tokio::test]
async fn a_part_that_does_not_match_is_not_taken() {
    let (_fake, client) = serve().await;
    let upload = client
        .multipart([Algorithm::Md5, Algorithm::Crc32])
        .unwrap();
    let of = |text: &str| {
        let md5 = AlgorithmDigest::new(Algorithm::Md5, &Md5::digest(text)).unwrap();
        let crc = [0x35, 0x24, 0x41, 0xc2];
        [AlgorithmDigest::new(Algorithm::Crc32, &crc).unwrap(), md5]
    };
    assert!(
        !upload
            .verify_part(1, "abc", &of("abd"))
            .await
            .unwrap()
            .is_match()
    );
    let error = upload.complete().await.unwrap_err();
    assert!(error.to_string().contains("no part"), "{error}");
    assert!(
        upload
            .verify_part(1, "abc", &of("abc"))
            .await
            .unwrap()
            .is_match()
    );
    let object = upload.complete().await.unwrap();
    assert_eq!(
        object.parts[0].1,
        client
            .digest("abc", [Algorithm::Md5, Algorithm::Crc32])
            .await
            .unwrap()
    );
    let missing = upload
        .verify_part(2, "abc", &of("abc")[..1])
        .await
        .unwrap_err();
    assert!(
        missing
            .to_string()
            .contains("one digest each of md5, crc32"),
        "{missing}"
    );
}

#[tokio::test]
async fn what_s3_does_not_allow_is_refused() {
    let (mut fake, client) = serve().await;
    let upload = begin(&client);
    for number in [0, 10_001] {
        let error = upload.part(number, "abc").await.unwrap_err();
        assert!(matches!(error, Error::Argument(_)), "{error:?}");
    }
    assert_eq!(fake.calls(), 0);
    upload.part(10_000, "x").await.unwrap();
    upload.part(3, "ab").await.unwrap();
    let error = upload.complete().await.unwrap_err().to_string();
    assert_eq!(
        error,
        "part 3 has 2 bytes: all parts but the last have 3 or more"
    );
    let twice = client.multipart([Algorithm::Md5, Algorithm::Md5]);
    assert!(matches!(twice, Err(Error::Argument(_))));
}
