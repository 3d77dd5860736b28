//! Digests of bytes.

use hashlane_client::{Algorithm, Client};

/// One pass over the bytes, however many digests are wanted.
pub(crate) async fn run(endpoint: &str) -> Result<(), Box<dyn std::error::Error>> {
    let client = Client::connect(endpoint).await?;
    let wanted = [Algorithm::Sha1, Algorithm::Md5];
    let answer = client.digest("abc", wanted).await?;
    assert_eq!(answer.size_bytes, 3);
    let shown: Vec<String> = answer.digests.iter().map(ToString::to_string).collect();
    assert_eq!(
        shown,
        [
            "sha1:a9993e364706816aba3e25717850c26c9cd0d89d",
            "md5:900150983cd24fb0d6963f7d28e17f72",
        ]
    );
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let endpoint = std::env::args().nth(1);
    run(endpoint.as_deref().unwrap_or("127.0.0.1:50051")).await
}
