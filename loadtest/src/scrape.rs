//! The server's counters, read from its admin port.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};
use bytes::Bytes;
use http::StatusCode;
use http_body_util::{BodyExt as _, Empty, Limited};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;

/// Time for one request.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Maximum length of an answer.
const ANSWER_BYTES_MAX: usize = 32 << 20;

/// GETs `path` from `address` (`host:port`).
///
/// # Errors
/// No answer in time, no HTTP, or an answer that is too long.
pub async fn get(address: &str, path: &str) -> Result<(StatusCode, String)> {
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

/// Lane-blocks of one kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LaneBlocks {
    /// With a job.
    pub active: f64,
    /// Without.
    pub idle: f64,
}

/// Seconds in steps of one algorithm.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LaneSeconds {
    /// The seconds they took.
    pub taken: f64,
    /// The seconds that the same bytes would have taken at the best rate of full lanes.
    pub best: f64,
}

/// The server's metrics for the report, summed over its workers. Metrics that the server lacks stay
/// empty.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ServerCounters {
    /// `process_cpu_seconds_total`.
    pub cpu_seconds: Option<f64>,
    /// `hashlane_hashed_bytes_total`.
    pub hashed_bytes: Option<f64>,
    /// `hashlane_streams`: open streams, at the time of the scrape.
    pub streams: Option<f64>,
    /// `hashlane_lane_blocks_total` by kernel: `avx512x16` for SHA-256, `md5:avx512x16` for other
    /// algorithms, because several have kernels of the same name.
    pub lane_blocks: BTreeMap<String, LaneBlocks>,
    /// `hashlane_lane_seconds_total` and `hashlane_lane_best_seconds_total` by algorithm.
    pub lane_seconds: BTreeMap<String, LaneSeconds>,
    /// `hashlane_worker_seconds_total` by phase.
    pub worker_seconds: BTreeMap<String, f64>,
}

impl ServerCounters {
    /// Scrapes `/metrics`.
    ///
    /// # Errors
    /// It cannot be read, or is not in Prometheus' text format.
    pub async fn scrape(address: &str) -> Result<Self> {
        let (status, text) = get(address, "/metrics").await?;
        ensure!(
            status == StatusCode::OK,
            "http://{address}/metrics answered {status}"
        );
        Self::parse(&text)
    }

    /// Extracts the counters from Prometheus' text format.
    ///
    /// # Errors
    /// Names the first line that is not in that format.
    pub fn parse(text: &str) -> Result<Self> {
        let mut counters = Self::default();
        for sample in samples(text) {
            counters.add(&sample?);
        }
        Ok(counters)
    }

    fn add(&mut self, sample: &Sample) {
        match sample.name.as_str() {
            "process_cpu_seconds_total" => *self.cpu_seconds.get_or_insert(0.0) += sample.value,
            "hashlane_hashed_bytes_total" => *self.hashed_bytes.get_or_insert(0.0) += sample.value,
            "hashlane_streams" => *self.streams.get_or_insert(0.0) += sample.value,
            "hashlane_worker_seconds_total" => {
                *self
                    .worker_seconds
                    .entry(sample.label("phase"))
                    .or_default() += sample.value;
            }
            "hashlane_lane_seconds_total" => self.lanes_of(sample).taken += sample.value,
            "hashlane_lane_best_seconds_total" => self.lanes_of(sample).best += sample.value,
            "hashlane_lane_blocks_total" => {
                let blocks = self.lane_blocks.entry(sample.kernel()).or_default();
                match sample.label("state").as_str() {
                    "active" => blocks.active += sample.value,
                    "idle" => blocks.idle += sample.value,
                    _ => {}
                }
            }
            _ => {}
        }
    }

    fn lanes_of(&mut self, sample: &Sample) -> &mut LaneSeconds {
        let algorithm = sample.label("algorithm");
        self.lane_seconds.entry(algorithm).or_default()
    }

    /// The counts since `before`.
    pub fn since(&self, before: &Self) -> Self {
        let option = |now: Option<f64>, then: Option<f64>| now.map(|now| now - then.unwrap_or(0.0));
        Self {
            cpu_seconds: option(self.cpu_seconds, before.cpu_seconds),
            hashed_bytes: option(self.hashed_bytes, before.hashed_bytes),
            streams: self.streams,
            lane_blocks: self
                .lane_blocks
                .iter()
                .map(|(kernel, now)| {
                    let then = before.lane_blocks.get(kernel).copied().unwrap_or_default();
                    (
                        kernel.clone(),
                        LaneBlocks {
                            active: now.active - then.active,
                            idle: now.idle - then.idle,
                        },
                    )
                })
                .collect(),
            lane_seconds: self
                .lane_seconds
                .iter()
                .map(|(algorithm, now)| {
                    let then = before.lane_seconds.get(algorithm);
                    let then = then.copied().unwrap_or_default();
                    let seconds = LaneSeconds {
                        taken: now.taken - then.taken,
                        best: now.best - then.best,
                    };
                    (algorithm.clone(), seconds)
                })
                .collect(),
            worker_seconds: self
                .worker_seconds
                .iter()
                .map(|(phase, now)| {
                    (
                        phase.clone(),
                        now - before.worker_seconds.get(phase).copied().unwrap_or(0.0),
                    )
                })
                .collect(),
        }
    }
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

/// Metrics of [`ZERO_AT_REST`] that are not zero, with their values.
///
/// # Errors
/// A line is not in Prometheus' text format, or one of these metrics is missing.
pub(crate) fn left_over(text: &str) -> Result<Vec<String>> {
    let samples = samples(text).collect::<Result<Vec<_>>>()?;
    let mut left = Vec::new();
    for name in ZERO_AT_REST {
        let mut own = samples
            .iter()
            .filter(|sample| sample.name == name)
            .peekable();
        ensure!(own.peek().is_some(), "the server has no metric {name}");
        for sample in own.filter(|sample| sample.value != 0.0) {
            let labels: Vec<_> = sample
                .labels
                .iter()
                .map(|(_, value)| value.as_str())
                .collect();
            left.push(format!("{name} {} {}", labels.join(" "), sample.value));
        }
    }
    Ok(left)
}

/// The samples of Prometheus' text format.
fn samples(text: &str) -> impl Iterator<Item = Result<Sample>> {
    let lines = text.lines().map(str::trim).enumerate();
    let lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    lines.map(|(index, line)| {
        Sample::parse(line).with_context(|| format!("metrics line {} is malformed", index + 1))
    })
}

/// One line: `name{label="value",...} value [timestamp]`.
#[derive(Debug, PartialEq)]
struct Sample {
    name: String,
    labels: Vec<(String, String)>,
    value: f64,
}

impl Sample {
    fn parse(line: &str) -> Result<Self> {
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
        let value = rest
            .split_whitespace()
            .next()
            .context("there is no value")?;
        Ok(Self {
            name: name.to_owned(),
            labels,
            value: value.parse().context("the value is no number")?,
        })
    }

    /// The kernel's name, prefixed with the algorithm or the family unless it is SHA-256.
    fn kernel(&self) -> String {
        let kernel = self.label("kernel");
        let family = [self.label("family"), self.label("algorithm")]
            .into_iter()
            .find(|family| !family.is_empty());
        match family.as_deref() {
            None | Some("sha256") => kernel,
            Some(family) => format!("{family}:{kernel}"),
        }
    }

    fn label(&self, name: &str) -> String {
        self.labels
            .iter()
            .find(|(label, _)| label == name)
            .map(|(_, value)| value.clone())
            .unwrap_or_default()
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
        assert_eq!(window.cpu_seconds, Some(2.25));
        assert_eq!(window.hashed_bytes, Some(4096.0));
        assert_eq!(window.lane_blocks["md5:avx512x16"].active, 9.0);
        assert_eq!(
            window.lane_blocks["avx512x16"],
            LaneBlocks {
                active: 64.0,
                idle: 20.0
            }
        );
        assert_eq!(
            window.lane_blocks["shani_x2"],
            LaneBlocks {
                active: 7.0,
                idle: 0.0
            }
        );
        let seconds = |taken, best| LaneSeconds { taken, best };
        assert_eq!(window.lane_seconds["md5"], seconds(4.0, 1.5));
        assert_eq!(window.lane_seconds["sha256"], seconds(0.25, 0.25));
        assert_eq!(window.worker_seconds["hash"], 2.0);
        assert_eq!(window.worker_seconds["idle"], 2.0);
    }

    #[test]
    fn a_server_without_lanes_has_none() {
        let counters = ServerCounters::parse("up 1\n").unwrap();
        assert_eq!(counters, ServerCounters::default());
    }

    #[test]
    fn what_is_left_is_named() {
        let zeros: String = ZERO_AT_REST
            .iter()
            .map(|name| format!("{name} 0\n"))
            .collect();
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
        let sample = Sample::parse(r#"m{a="x,y}\"z\\",b="line\nend",} -1.5"#).unwrap();
        assert_eq!(sample.label("a"), r#"x,y}"z\"#);
        assert_eq!(sample.label("b"), "line\nend");
        assert_eq!(sample.label("c"), "");
        assert_eq!(sample.value, -1.5);
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
