//! Many uploads on one thread: chunks arrive in turn, digests leave as parts end.
//!
//! `cargo run --release -p hashlane-engine --example many_streams`
#![allow(clippy::print_stdout)] // an example prints

use std::collections::HashMap;

use hashlane_engine::{Backend, Crossover, Engine, Event};

fn main() {
    const STREAMS: usize = 100;
    let crossover = Crossover::calibrate(&Backend::detect());
    for lanes in [1, 4, 16, 32] {
        println!("{lanes:>3} ready lanes: {}", crossover.describe(lanes));
    }

    let mut engine = Engine::new(crossover);
    let mut names = HashMap::new();
    for stream in 0..STREAMS {
        names.insert(engine.open(), format!("upload-{stream}"));
    }
    let jobs: Vec<_> = names.keys().copied().collect();
    for round in 0..20 {
        for (i, job) in jobs.iter().enumerate() {
            // A chunk of any length; the engine owns it until it is hashed.
            engine.push(*job, vec![0x5a_u8; 1000 + i * 37 + round]);
        }
        while engine.is_full() {
            engine.step();
        }
    }
    for job in jobs {
        engine.finish(job);
    }
    while engine.step().is_some() {}

    for event in engine.take_events() {
        if let Event::Finished { job, digest } = event {
            let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
            println!("{hex}  {}", names[&job]);
        }
    }
    let ratio = engine.occupancy().ratio().unwrap_or_default();
    println!("mean lane occupancy: {:.0}%", ratio * 100.0);
}
