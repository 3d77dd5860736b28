//! An upload in parts.

use hashlane_client::{Algorithm, Client};

/// An upload in parts, as S3 has them: in any order, at the same time.
pub(crate) async fn run(endpoint: &str) -> Result<(), Box<dyn std::error::Error>> {
    let client = Client::connect(endpoint).await?;
    let upload = client.multipart([Algorithm::Md5, Algorithm::Crc64nvme])?;
    let upload = upload.part_bytes_min(4); // Of S3 it is 5 MiB.
    let (last, first) = tokio::join!(upload.part(2, "56789"), upload.part(1, "1234"));
    assert_eq!((last?.size_bytes, first?.size_bytes), (5, 4));
    let object = upload.complete().await?;
    assert_eq!(object.etag(), Some("d8399932ce6023ac3365f50fbbcde132-2"));
    let crc = object.full_object(Algorithm::Crc64nvme);
    assert_eq!(
        crc.map(|value| value.hex.as_str()),
        Some("ae8b14860a799888")
    );
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let endpoint = std::env::args().nth(1);
    run(endpoint.as_deref().unwrap_or("127.0.0.1:50051")).await
}
