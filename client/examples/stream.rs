//! Many parts on one stream.

use hashlane_client::{Algorithm, AlgorithmDigest, Client, PartOptions};

/// Many parts on one stream. Parts are written interleaved, from any task, and each is answered as
/// soon as it ends.
pub(crate) async fn run(endpoint: &str) -> Result<(), Box<dyn std::error::Error>> {
    let client = Client::connect(endpoint).await?;
    let stream = client.open_verify_stream();
    let mut first = stream.part(PartOptions::from(Algorithm::Crc32)).await?;
    let mut second = stream
        .part(PartOptions::from(Algorithm::Crc32).with_size(3))
        .await?;
    first.write("1234").await?;
    second.write("abc").await?;
    // Ends the part; the answer is a future.
    let crc32 = |digest: [u8; 4]| AlgorithmDigest::new(Algorithm::Crc32, &digest);
    let second = second.finish(&[crc32([0x35, 0x24, 0x41, 0xc2])?]);
    first.write("56789").await?;
    let first = first.finish(&[crc32([0xcb, 0xf4, 0x39, 0x26])?]);
    assert!(first.await?.is_match() && second.await?.is_match());
    // A whole part: sent again on another server, if this one drains or is lost.
    let third = stream
        .verify("abd", &[crc32([0x35, 0x24, 0x41, 0xc2])?])
        .await?;
    assert!(!third.is_match());
    stream.finish().await?;
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let endpoint = std::env::args().nth(1);
    run(endpoint.as_deref().unwrap_or("127.0.0.1:50051")).await
}
