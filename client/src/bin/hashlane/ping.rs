//! `hashlane ping`: whether a server computes digests, and how long an answer takes.

use std::time::{Duration, Instant};

use hashlane_client::{Algorithm, Error, ServerInfo};
use serde_json::json;

use crate::args::Ping;
use crate::output::Output;
use crate::remote;
use crate::tasks::Stop;

/// SHA-256 of no bytes (FIPS 180-4).
const NOTHING: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/// Prints the answer of each server. Returns whether all compute digests.
pub(crate) fn run(arguments: &Ping, output: &mut Output) -> Result<bool, Stop> {
    let (mut all_compute, mut trouble) = (true, None);
    for url in &arguments.server.urls {
        match ping(arguments, url, output) {
            Ok(computes) => all_compute &= computes,
            // The others are asked too.
            Err(Stop::Trouble(why)) => {
                if let Some(earlier) = trouble.replace(why) {
                    output.complain(format_args!("{earlier}"))?;
                }
            }
            Err(stop) => return Err(stop),
        }
    }
    trouble.map_or(Ok(all_compute), |why| Err(Stop::Trouble(why)))
}

fn ping(arguments: &Ping, url: &str, output: &mut Output) -> Result<bool, Stop> {
    let builder = remote::builder(&arguments.server)?.connections(1);
    let answer = remote::runtime()?.block_on(async {
        let client = builder.connect(url).await?;
        // The connection exists, so this measures one round trip without hashing.
        let start = Instant::now();
        let info = client.server_info().await?;
        let round_trip = start.elapsed();
        let digest = client.digest("", Algorithm::Sha256).await?;
        let is_right = digest.digest().to_string() == NOTHING;
        Ok::<_, Error>((info, round_trip, is_right))
    });
    match answer {
        Ok((info, round_trip, true)) => {
            output.write(ready(arguments, url, &info, round_trip).as_bytes())?;
            Ok(true)
        }
        Ok((_, _, false)) => refused(arguments, url, "it gave a wrong digest", output),
        Err(error @ (Error::Rpc { .. } | Error::Part { .. })) => {
            refused(arguments, url, &error.to_string(), output)
        }
        Err(error) => Err(Stop::Trouble(format!("{url}: {error}"))),
    }
}

fn ready(arguments: &Ping, url: &str, info: &ServerInfo, round_trip: Duration) -> String {
    let ms = round_trip.as_secs_f64() * 1e3;
    let (version, workers) = (&info.version, info.workers);
    if arguments.json {
        let line = json!({
            "ready": true,
            "round_trip_ms": ms,
            "server": url,
            "version": version,
            "workers": workers,
        });
        return format!("{line}\n");
    }
    format!("{url}: ready, version {version}, workers {workers}, round trip {ms:.3} ms\n")
}

fn refused(arguments: &Ping, url: &str, why: &str, output: &mut Output) -> Result<bool, Stop> {
    if arguments.json {
        let line = json!({ "error": why, "ready": false, "server": url });
        output.write(format!("{line}\n").as_bytes())?;
    } else {
        output.write(format!("{url}: not ready: {why}\n").as_bytes())?;
    }
    Ok(false)
}
