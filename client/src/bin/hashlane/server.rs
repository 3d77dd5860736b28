//! `hashlane info` and `hashlane compose`: single questions to a server.

use hashlane_client::{Client, ServerInfo, Verdict};
use serde_json::{Value, json};

use crate::args::{Compose, Info};
use crate::output::Output;
use crate::remote;
use crate::work::Stop;

/// Shows what the server says of itself.
pub(crate) fn info(arguments: &Info, output: &mut Output) -> Result<bool, Stop> {
    let runtime = remote::runtime()?;
    let info = runtime.block_on(async {
        let builder = Client::builder().connections(1);
        let client = builder.connect(&arguments.server).await?;
        client.server_info().await
    });
    let info = info?;
    let text = if arguments.json {
        format!("{:#}\n", as_json(&info))
    } else {
        as_table(&info)
    };
    output.write(text.as_bytes())?;
    Ok(true)
}

/// Prints a composite. Returns whether it is the expected one.
pub(crate) fn compose(arguments: &Compose, output: &mut Output) -> Result<bool, Stop> {
    let runtime = remote::runtime()?;
    let composite = runtime.block_on(async {
        let builder = Client::builder().connections(1);
        let client = builder.connect(&arguments.server).await?;
        let expected = arguments.expected.as_deref();
        client.compose(&arguments.parts, expected).await
    });
    let composite = composite?;
    output.write(format!("{}\n", composite.composite).as_bytes())?;
    if composite.verdict == Some(Verdict::Mismatch) {
        output.complain(format_args!("the composite is not the expected one"))?;
        return Ok(false);
    }
    Ok(true)
}

fn as_table(info: &ServerInfo) -> String {
    let mut rows = vec![
        ("version".to_owned(), info.version.clone()),
        ("workers".to_owned(), info.workers.to_string()),
    ];
    for algorithm in &info.algorithms {
        let name = algorithm_name(algorithm.algorithm());
        rows.push((format!("{name} lanes"), algorithm.lanes.to_string()));
        rows.push((format!("{name} kernels"), algorithm.kernels.join(" ")));
    }
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
            rows.push((format!("most {name}"), value.to_string()));
        }
    }
    let width = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let lines = rows
        .iter()
        .map(|(name, value)| format!("{name:width$}  {value}\n"));
    lines.collect()
}

fn as_json(info: &ServerInfo) -> Value {
    let algorithms = info.algorithms.iter().map(|algorithm| {
        json!({
            "algorithm": algorithm_name(algorithm.algorithm()),
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

/// `ALGORITHM_SHA256` as `sha256`.
fn algorithm_name(algorithm: hashlane_proto::v1::Algorithm) -> String {
    let name = algorithm.as_str_name();
    name.strip_prefix("ALGORITHM_")
        .unwrap_or(name)
        .to_lowercase()
}
