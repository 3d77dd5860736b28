//! `hashlane info`: the abilities of a server, or of the embedded engine.

use hashlane_client::{Algorithm, ServerInfo};
use hashlane_engine::{Backend, Crossover};
use hashlane_proto::v1;
use serde_json::{Value, json};

use crate::args::Info;
use crate::output::Output;
use crate::remote;
use crate::tasks::Stop;

/// Shows the server's report, or the built-in engine's.
pub(crate) fn run(arguments: &Info, output: &mut Output) -> Result<bool, Stop> {
    let urls = &arguments.server.urls;
    let info = if urls.is_empty() {
        here()
    } else {
        let builder = remote::builder(&arguments.server)?.connections(1);
        let runtime = remote::runtime()?;
        runtime.block_on(async { builder.connect_all(urls).await?.server_info().await })?
    };
    let text = if arguments.json {
        format!("{:#}\n", as_json(&info))
    } else {
        as_tables(&info)
    };
    output.write(text.as_bytes())?;
    Ok(true)
}

/// The engine's algorithms and this CPU's kernels, as a server would report them.
fn here() -> ServerInfo {
    let backend = Backend::detect();
    let algorithms = hashlane_engine::Algorithm::all().map(|algorithm| {
        let family = algorithm.family();
        let kernels = family.map_or(&[][..], |family| backend.kernels(family));
        let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        let name = format!("ALGORITHM_{}", algorithm.name().to_uppercase());
        let wire = v1::Algorithm::from_str_name(&name).unwrap_or_default();
        v1::AlgorithmInfo {
            algorithm: wire.into(),
            kernels: kernels.iter().map(|k| k.name().to_owned()).collect(),
            lanes: number(family.map_or(1, |_| Crossover::LANES)),
            digest_bytes: number(algorithm.digest_bytes()),
            name: algorithm.name().to_owned(),
        }
    });
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    ServerInfo {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        algorithms: algorithms.collect(),
        workers: u32::try_from(cores).unwrap_or(u32::MAX),
        limits: None,
    }
}

/// Single values, followed by the algorithms.
fn as_tables(info: &ServerInfo) -> String {
    let mut rows = vec![
        vec!["version".to_owned(), info.version.clone()],
        vec!["workers".to_owned(), info.workers.to_string()],
    ];
    if let Some(limits) = &info.limits {
        for (name, value) in [
            ("message bytes", limits.message_bytes_max),
            ("part bytes", limits.part_bytes_max),
            ("parts per stream", limits.parts_per_stream_max.into()),
            ("blobs per batch", limits.batch_blobs_max.into()),
            (
                "streams per connection",
                limits.streams_per_connection_max.into(),
            ),
        ] {
            rows.push(vec![format!("most {name}"), value.to_string()]);
        }
    }
    let heads = ["algorithm", "digest bytes", "most lanes", "kernels"];
    let mut algorithms = vec![heads.map(str::to_owned).to_vec()];
    for algorithm in &info.algorithms {
        algorithms.push(vec![
            name(algorithm),
            algorithm.digest_bytes.to_string(),
            algorithm.lanes.to_string(),
            algorithm.kernels.join(" "),
        ]);
    }
    format!("{}\n{}", table(&rows), table(&algorithms))
}

/// Left-aligned columns.
fn table(rows: &[Vec<String>]) -> String {
    let columns = rows.first().map_or(0, Vec::len);
    let width = |column: usize| rows.iter().map(|row| row[column].len()).max();
    let widths: Vec<_> = (0..columns).map(|c| width(c).unwrap_or(0)).collect();
    let mut text = String::new();
    for row in rows {
        let cells = row.iter().zip(&widths);
        let line: String = cells
            .map(|(cell, width)| format!("{cell:width$}  "))
            .collect();
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

fn as_json(info: &ServerInfo) -> Value {
    let algorithms = info.algorithms.iter().map(|algorithm| {
        json!({
            "algorithm": name(algorithm),
            "digest_bytes": algorithm.digest_bytes,
            "kernels": algorithm.kernels,
            "lanes": algorithm.lanes,
        })
    });
    json!({
        "version": info.version,
        "workers": info.workers,
        "algorithms": algorithms.collect::<Vec<_>>(),
        "limits": info.limits.as_ref().map(|limits| json!({
            "message_bytes_max": limits.message_bytes_max,
            "part_bytes_max": limits.part_bytes_max,
            "parts_per_stream_max": limits.parts_per_stream_max,
            "batch_blobs_max": limits.batch_blobs_max,
            "streams_per_connection_max": limits.streams_per_connection_max,
        })),
    })
}

/// The algorithm's name. If this tool does not know the algorithm, the server's name if a terminal
/// can show it, otherwise its number.
fn name(info: &v1::AlgorithmInfo) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./".contains(c);
    match Algorithm::of_wire(info.algorithm) {
        Some(algorithm) => algorithm.name().to_owned(),
        None if !info.name.is_empty() && info.name.chars().all(is_plain) => info.name.clone(),
        None => format!("number {}", info.algorithm),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_algorithm_here_is_shown_by_its_name() {
        let text = as_tables(&here());
        for algorithm in hashlane_engine::Algorithm::all() {
            assert!(text.contains(algorithm.name()), "{algorithm}: {text}");
        }
        assert!(
            text.contains("portable") && !text.contains("number"),
            "{text}"
        );
    }

    #[test]
    fn a_newer_servers_algorithm_has_its_name_or_its_number() {
        let named = |algorithm: i32, text: &str| {
            name(&v1::AlgorithmInfo {
                algorithm,
                name: text.to_owned(),
                ..v1::AlgorithmInfo::default()
            })
        };
        assert_eq!(named(v1::Algorithm::Sha256.into(), "other"), "sha256");
        assert_eq!(named(900, "sha3-256"), "sha3-256");
        for unfit in ["", "a\u{1b}[2J", "a b"] {
            assert_eq!(named(900, unfit), "number 900", "{unfit:?}");
        }
    }
}
