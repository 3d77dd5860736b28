//! Costs, loads and documents for tests of the model.

use clap::Parser as _;
use hashlane_engine::Backend;
use serde_json::json;

use crate::args::{Cli, Command};
use crate::model::costs::Costs;
use crate::model::kernel_costs::Kernels;
use crate::model::simulated_load::Load;
use crate::model::simulation::{Outcome, simulate};
use crate::results::document::{RunDocument, ServerFigures};

/// Nanoseconds of a block in a lane of the plain kernels.
pub(in crate::model) const BLOCK_NS: f64 = 200.0;

pub(in crate::model) const COSTS: Costs = Costs {
    client_byte_ns: 0.2,
    client_last_byte_ns: 0.1,
    client_message_ns: 2_000.0,
    client_part_ns: 40_000.0,
    server_byte_ns: 0.1,
    server_message_ns: 1_000.0,
    server_part_ns: 15_000.0,
    server_action_ns: 3_000.0,
    hash_factor: 1.1,
    sleep_ns: 5_000.0,
    wake_ns: 10_000.0,
};

/// One lane, as on a CPU without vectors.
pub(in crate::model) fn plain() -> Kernels {
    Kernels::from_costs(Backend::portable(), |_| BLOCK_NS)
}

pub(in crate::model) fn document(rate: Option<&str>) -> RunDocument {
    let kind = rate.map_or("--streams 7".to_owned(), |rate| format!("--rate {rate}"));
    let command = format!(
        "hashlane-loadtest {kind} --connections 3 --seed 5 --part-size 1KiB..1MiB \
         --chunk-size 16KiB --algorithm md5 --in-flight-max 99 --warmup 250ms"
    );
    let settings = json!({"server": ["http://x:1"], "tcp_congestion": "reno"});
    RunDocument {
        seconds: 2.5,
        command: command.split_whitespace().map(str::to_owned).collect(),
        settings: settings.as_object().unwrap().clone(),
        server: Some(ServerFigures {
            workers: Some(1),
            ..ServerFigures::default()
        }),
        ..RunDocument::default()
    }
}

pub(in crate::model) fn load(flags: &str) -> Load {
    let line = ["x", "predict"].into_iter().chain(flags.split_whitespace());
    match Cli::try_parse_from(line).unwrap().command {
        Some(Command::Predict(args)) => Load::all(&args).remove(0),
        other => panic!("{other:?}"),
    }
}

pub(in crate::model) fn run(flags: &str, costs: &Costs, kernels: &Kernels) -> Outcome {
    simulate(&load(flags), costs, kernels).unwrap()
}
