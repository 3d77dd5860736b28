//! Digests that are expected.

use hashlane_client::{Algorithm, AlgorithmDigest, Client};

/// The server compares. A mismatch is an answer, not an error.
pub(crate) async fn run(endpoint: &str) -> Result<(), Box<dyn std::error::Error>> {
    let client = Client::connect(endpoint).await?;
    let digest: hashlane_client::Digest = "900150983cd24fb0d6963f7d28e17f72".parse()?;
    let expected = [AlgorithmDigest::new(Algorithm::Md5, &digest)?];
    let good = client.verify("abc", &expected).await?;
    assert!(good.is_match());
    let bad = client.verify("abd", &expected).await?;
    assert!(bad.mismatches().eq([Algorithm::Md5]));
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let endpoint = std::env::args().nth(1);
    run(endpoint.as_deref().unwrap_or("127.0.0.1:50051")).await
}
