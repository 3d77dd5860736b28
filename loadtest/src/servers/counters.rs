//! The server's counters, read from its admin port.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};
use bytes::Bytes;
use http::StatusCode;
use http_body_util::{BodyExt as _, Empty, Limited};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;

use crate::load::sizes::data_lines;

/// Time for one request.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Maximum length of an answer.
const ANSWER_BYTES_MAX: usize = 32 << 20;

/// GETs `path` from `address` (`host:port`).
///
/// # Errors
/// No answer in time, no HTTP, or an answer that is too long.
pub(crate) async fn get(address: &str, path: &str) -> Result<(StatusCode, String)> {
    tokio::time::timeout(TIMEOUT, get_without_limit(address, path))
        .await
        .with_context(|| format!("no answer from http://{address}{path} within {TIMEOUT:?}"))?
        .with_context(|| format!("cannot read http://{address}{path}"))
}

async fn get_without_limit(address: &str, path: &str) -> Result<(StatusCode, String)> {
    let stream = TcpStream::connect(address).await?;
    let (mut sender, connection) =
        hyper::client::conn::http1::handshake(TokioIo::new(stream)).await?;
    let request = http::Request::get(path)
        .header(http::header::HOST, address)
        .body(Empty::<Bytes>::new())?;
    let exchange = async {
        let response = sender.send_request(request).await?;
        let status = response.status();
        let body = Limited::new(response.into_body(), ANSWER_BYTES_MAX)
            .collect()
            .await;
        let body = body.map_err(|error| anyhow::anyhow!(error))?.to_bytes();
        // Dropping the sender ends the connection.
        drop(sender);
        anyhow::Ok((status, body))
    };
    let (exchange, _closed) = tokio::join!(exchange, connection);
    let (status, body) = exchange?;
    Ok((
        status,
        String::from_utf8(body.into()).context("the answer is not UTF-8")?,
    ))
}

/// The samples of a scrape. What the server does not count is not there.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ServerCounters(BTreeMap<Sample, f64>);

impl ServerCounters {
    /// Scrapes `/metrics`.
    ///
    /// # Errors
    /// It cannot be read, or is not in Prometheus' text format.
    pub(crate) async fn scrape(address: &str) -> Result<Self> {
        let (status, text) = get(address, "/metrics").await?;
        ensure!(
            status == StatusCode::OK,
            "http://{address}/metrics answered {status}"
        );
        Self::parse(&text)
    }

    /// Reads Prometheus' text format.
    ///
    /// # Errors
    /// Names the first line that is not in that format.
    pub(crate) fn parse(text: &str) -> Result<Self> {
        let samples = data_lines(text).map(|(number, line)| {
            Sample::parse(line).with_context(|| format!("metrics line {number} is malformed"))
        });
        samples.collect::<Result<_>>().map(Self)
    }

    /// What was counted since `before`.
    pub(crate) fn since(&self, before: &Self) -> Self {
        let then = |sample| before.0.get(sample).copied().unwrap_or_default();
        let samples = self.0.iter();
        let samples = samples.map(|(sample, now)| (sample.clone(), now - then(sample)));
        Self(samples.collect())
    }

    /// These and those of another server.
    pub(crate) fn plus(mut self, other: Self) -> Self {
        for (sample, value) in other.0 {
            *self.0.entry(sample).or_default() += value;
        }
        self
    }

    /// The labels of a metric's first sample.
    pub(crate) fn labels(&self, name: &str) -> BTreeMap<String, String> {
        let first = self.of(name).next();
        let labels = first.map(|(sample, _)| sample.labels.iter().cloned());
        labels.into_iter().flatten().collect()
    }

    /// The sum of a metric over its labels; `None` if the server does not have it.
    pub(crate) fn sum(&self, name: &str) -> Option<f64> {
        let values = self.of(name).map(|(_, value)| value);
        values.reduce(|sum, value| sum + value)
    }

    /// The sums of a metric by one label.
    pub(crate) fn by(&self, name: &str, label: &str) -> BTreeMap<String, f64> {
        grouped(self.of(name), |sample| sample.label(label))
    }

    /// Lane-blocks by kernel: all, and those with a job. The names are `avx512x16` for SHA-256, and
    /// `md5:avx512x16` for other algorithms, because several have kernels of the same name.
    pub(crate) fn lane_blocks(&self) -> [BTreeMap<String, f64>; 2] {
        let blocks = || self.of("hashlane_lane_blocks_total");
        let active = blocks().filter(|(sample, _)| sample.label("state") == "active");
        [
            grouped(blocks(), Sample::kernel),
            grouped(active, Sample::kernel),
        ]
    }

    fn of(&self, name: &str) -> impl Iterator<Item = (&Sample, f64)> {
        let samples = self.0.iter().filter(move |(sample, _)| sample.name == name);
        samples.map(|(sample, value)| (sample, *value))
    }

    /// Metrics that should be zero after all clients have left but are not, with their values.
    ///
    /// # Errors
    /// The server does not have one of these metrics.
    pub(crate) fn left_over(&self) -> Result<Vec<String>> {
        let mut left = Vec::new();
        for name in ZERO_AT_REST {
            ensure!(self.sum(name).is_some(), "the server has no metric {name}");
            for (sample, value) in self.of(name).filter(|(_, value)| *value != 0.0) {
                let labels: Vec<_> = sample.labels.iter().map(|(_, label)| &**label).collect();
                left.push(format!("{name} {} {value}", labels.join(" ")));
            }
        }
        Ok(left)
    }
}

fn grouped<'a>(
    samples: impl Iterator<Item = (&'a Sample, f64)>,
    key: impl Fn(&Sample) -> String,
) -> BTreeMap<String, f64> {
    let mut sums = BTreeMap::new();
    for (sample, value) in samples {
        *sums.entry(key(sample)).or_default() += value;
    }
    sums
}

/// Metrics that are zero after all clients have left, unless the server leaked something.
const ZERO_AT_REST: [&str; 9] = [
    "hashlane_connections",
    "hashlane_streams",
    "hashlane_open_jobs",
    "hashlane_ready_jobs",
    "hashlane_buffered_bytes",
    "hashlane_budget_used",
    "hashlane_panics_total",
    "hashlane_worker_restarts_total",
    "hashlane_worker_hung",
];

/// A metric and its labels.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Sample {
    name: String,
    labels: Vec<(String, String)>,
}

impl Sample {
    /// One line: `name{label="value",...} value [timestamp]`.
    fn parse(line: &str) -> Result<(Self, f64)> {
        let name_end = line.find(['{', ' ', '\t']).context("there is no value")?;
        let (name, mut rest) = line.split_at(name_end);
        ensure!(!name.is_empty(), "there is no name");
        let mut labels = Vec::new();
        if let Some(after) = rest.strip_prefix('{') {
            rest = after;
            loop {
                rest = rest.trim_start_matches([' ', ',']);
                if let Some(after) = rest.strip_prefix('}') {
                    rest = after;
                    break;
                }
                let (label, after) = rest.split_once("=\"").context("a label has no value")?;
                let (value, after) = unquote(after)?;
                labels.push((label.trim().to_owned(), value));
                rest = after;
            }
        }
        let value = rest.split_whitespace().next();
        let value = value.context("there is no value")?.parse();
        let name = name.to_owned();
        Ok((
            Self { name, labels },
            value.context("the value is no number")?,
        ))
    }

    /// The kernel's name, prefixed with the algorithm or the family unless it is SHA-256.
    fn kernel(&self) -> String {
        let kernel = self.label("kernel");
        let families = [self.label("family"), self.label("algorithm")];
        match families.iter().find(|family| !family.is_empty()) {
            Some(family) if family != "sha256" => format!("{family}:{kernel}"),
            _ => kernel,
        }
    }

    fn label(&self, name: &str) -> String {
        let found = self.labels.iter().find(|(label, _)| label == name);
        found.map_or_else(String::new, |(_, value)| value.clone())
    }
}

/// Reads a label's value up to its closing quote; returns the rest.
fn unquote(text: &str) -> Result<(String, &str)> {
    let mut value = String::new();
    let mut chars = text.char_indices();
    while let Some((at, char)) = chars.next() {
        match char {
            '"' => return Ok((value, &text[at + 1..])),
            '\\' => match chars.next() {
                Some((_, 'n')) => value.push('\n'),
                Some((_, escaped)) => value.push(escaped),
                None => break,
            },
            other => value.push(other),
        }
    }
    bail!("a label's value does not end")
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEFORE: &str = r#"
# HELP hashlane_lane_blocks_total Lane-blocks hashed.
# TYPE hashlane_lane_blocks_total counter
hashlane_lane_blocks_total{worker="0",algorithm="sha256",kernel="avx512x16",state="active"} 100
hashlane_lane_blocks_total{worker="0",algorithm="sha256",kernel="avx512x16",state="idle"} 10
process_cpu_seconds_total 1
hashlane_worker_seconds_total{worker="0",phase="hash"} 0.5
hashlane_lane_seconds_total{worker="0",algorithm="md5"} 1
hashlane_lane_best_seconds_total{worker="0",algorithm="md5"} 0.5
"#;

    const AFTER: &str = r#"
hashlane_lane_blocks_total{worker="0",algorithm="sha256",kernel="avx512x16",state="active"} 160
hashlane_lane_blocks_total{worker="0",algorithm="sha256",kernel="avx512x16",state="idle"} 30
hashlane_lane_blocks_total{worker="1",algorithm="sha256",kernel="avx512x16",state="active"} 4
hashlane_lane_blocks_total{worker="1",algorithm="sha256",kernel="shani_x2",state="active"} 7
hashlane_lane_blocks_total{worker="1",algorithm="md5",kernel="avx512x16",state="active"} 9
process_cpu_seconds_total 3.25 1700000000000
hashlane_worker_seconds_total{worker="0",phase="hash"} 1.5
hashlane_worker_seconds_total{worker="1",phase="hash"} 1e0
hashlane_worker_seconds_total{worker="1",phase="idle"} 2
hashlane_hashed_bytes_total{worker="0",algorithm="sha256"} 4096
hashlane_lane_seconds_total{worker="0",algorithm="md5"} 4
hashlane_lane_seconds_total{worker="1",algorithm="md5"} 1
hashlane_lane_best_seconds_total{worker="0",algorithm="md5"} 1.5
hashlane_lane_best_seconds_total{worker="1",algorithm="md5"} 0.5
hashlane_lane_seconds_total{worker="1",algorithm="sha256"} 0.25
hashlane_lane_best_seconds_total{worker="1",algorithm="sha256"} 0.25
other_bucket{le="+Inf"} 3
other_ratio NaN
"#;

    #[test]
    fn a_window_is_the_difference_over_all_workers() {
        let before = ServerCounters::parse(BEFORE).unwrap();
        let window = ServerCounters::parse(AFTER).unwrap().since(&before);
        assert_eq!(window.sum("process_cpu_seconds_total"), Some(2.25));
        assert_eq!(window.sum("hashlane_hashed_bytes_total"), Some(4096.0));
        let [all, active] = window.lane_blocks();
        assert_eq!(active["md5:avx512x16"], 9.0);
        assert_eq!((active["avx512x16"], all["avx512x16"]), (64.0, 84.0));
        assert_eq!((active["shani_x2"], all["shani_x2"]), (7.0, 7.0));
        let seconds = window.by("hashlane_lane_seconds_total", "algorithm");
        assert_eq!((seconds["md5"], seconds["sha256"]), (4.0, 0.25));
        let phases = window.by("hashlane_worker_seconds_total", "phase");
        assert_eq!((phases["hash"], phases["idle"]), (2.0, 2.0));
    }

    #[test]
    fn a_server_without_lanes_has_none() {
        let counters = ServerCounters::parse("up 1\n").unwrap();
        assert_eq!(counters.lane_blocks(), <[BTreeMap<_, _>; 2]>::default());
        assert_eq!(counters.sum("hashlane_streams"), None);
    }

    #[test]
    fn what_is_left_is_named() {
        let zeros: String = ZERO_AT_REST
            .iter()
            .map(|name| format!("{name} 0\n"))
            .collect();
        let left_over = |text: &str| ServerCounters::parse(text).unwrap().left_over();
        assert_eq!(left_over(&zeros).unwrap(), [""; 0]);
        let more = format!("{zeros}hashlane_budget_used{{budget=\"streams\"}} 2\n");
        let left = left_over(&more).unwrap();
        assert_eq!(left, ["hashlane_budget_used streams 2"]);
        let fewer = zeros.replace("hashlane_streams 0\n", "");
        let error = left_over(&fewer).unwrap_err().to_string();
        assert_eq!(error, "the server has no metric hashlane_streams");
    }

    #[test]
    fn labels_may_hold_anything() {
        let (sample, value) = Sample::parse(r#"m{a="x,y}\"z\\",b="line\nend",} -1.5"#).unwrap();
        assert_eq!(sample.label("a"), r#"x,y}"z\"#);
        assert_eq!(sample.label("b"), "line\nend");
        assert_eq!(sample.label("c"), "");
        assert_eq!(value, -1.5);
    }

    #[test]
    fn malformed_lines_are_named() {
        for line in [
            "name",
            "name{",
            "name{a}",
            r#"name{a="b} 1"#,
            "name x",
            "{} 1",
            "name{} ",
        ] {
            let error = ServerCounters::parse(&format!("up 1\n{line}\n")).unwrap_err();
            assert!(error.to_string().contains("line 2"), "{line}: {error}");
        }
    }
}
