//! Where bytes come from.

use std::io;

use hashlane_client::{Algorithm, Client, Source};

/// Where bytes can come from. The first four are sent again if a server is lost; what a reader or a
/// stream gave is gone.
pub(crate) async fn run(endpoint: &str) -> Result<(), Box<dyn std::error::Error>> {
    let client = Client::connect(endpoint).await?;
    let path = std::env::temp_dir().join(format!("hashlane-{}", std::process::id()));
    std::fs::write(&path, "123456789")?;
    let pieces = ["1234", "", "56789"].map(Ok::<_, io::Error>);
    let sources = [
        Source::from(b"123456789"),
        Source::from(vec![49, 50, 51, 52, 53, 54, 55, 56, 57]),
        Source::file(&path),
        Source::reopen(|| tokio::fs::File::open(&path)),
        Source::reader(&b"123456789"[..]).sized(9),
        Source::stream(tokio_stream::iter(pieces)),
    ];
    for source in sources {
        let answer = client.digest(source, Algorithm::Crc32).await?;
        assert_eq!(answer.digests[0].to_string(), "crc32:cbf43926");
    }
    std::fs::remove_file(&path)?;
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let endpoint = std::env::args().nth(1);
    run(endpoint.as_deref().unwrap_or("127.0.0.1:50051")).await
}
