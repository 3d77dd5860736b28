//! The admin port as a client of HTTP/1.1 sees it, and its metrics.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use super::PATIENCE;

/// One HTTP/1.1 request.
pub(crate) fn get(address: SocketAddr, path: &str) -> std::io::Result<(u16, String)> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    write!(
        stream,
        "GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n"
    )?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer)?;
    let text = String::from_utf8(answer).map_err(std::io::Error::other)?;
    let status = text[9..12].parse().unwrap();
    let (_, body) = text.split_once("\r\n\r\n").unwrap();
    Ok((status, body.to_owned()))
}

/// A scrape.
pub(crate) struct Metrics(pub(crate) String);

impl Metrics {
    /// The sum of the samples of `name` that have all `labels`.
    pub(crate) fn sum(&self, name: &str, labels: &[(&str, &str)]) -> f64 {
        let samples = self.0.lines().filter_map(|line| {
            let (sample, value) = line.rsplit_once(' ')?;
            let (found, rest) = sample.split_once('{').unwrap_or((sample, ""));
            let matches = found == name
                && labels
                    .iter()
                    .all(|(label, value)| rest.contains(&format!("{label}=\"{value}\"")));
            matches.then(|| value.parse::<f64>().unwrap())
        });
        samples.sum()
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.contains(&format!("# TYPE {name} "))
    }
}

/// Scrapes until the metrics satisfy `condition`.
pub(super) async fn until(
    scrape: impl Fn() -> Metrics,
    what: &str,
    condition: impl Fn(&Metrics) -> bool,
) -> Metrics {
    let start = Instant::now();
    loop {
        let metrics = scrape();
        if condition(&metrics) {
            return metrics;
        }
        assert!(start.elapsed() < PATIENCE, "{what}:\n{}", metrics.0);
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}
