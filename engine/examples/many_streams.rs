//! Many uploads on one thread: chunks arrive in turn, digests leave as parts end.
//!
//! `cargo run --release -p hashlane-engine --example many_streams`
#![allow(clippy::print_stdout)] // an example prints

use std::{collections::HashMap, rc::Rc};

use hashlane_engine::{Algorithm, Backend, Crossover, Engine, Event, Family};

fn main() {
    const STREAMS: usize = 100;
    const ALGORITHMS: [Algorithm; 2] = [Algorithm::Sha256, Algorithm::Md5];
    let crossover = Crossover::calibrate(&Backend::detect());
    for family in [Family::Sha256, Family::Md5] {
        for lanes in [1, 4, 16, 32] {
            let kernels = crossover.describe(family, lanes);
            println!("{family}, {lanes:>2} ready lanes: {kernels}");
        }
    }

    let mut engine = Engine::new(crossover);
    let mut names = HashMap::new();
    for stream in 0..STREAMS {
        names.insert(engine.open(&ALGORITHMS), format!("upload-{stream}"));
    }
    let parts: Vec<_> = names.keys().copied().collect();
    for round in 0..20 {
        for (i, part) in parts.iter().enumerate() {
            // A chunk of any length, cheap to clone; the engine holds it until it is hashed.
            let chunk: Rc<[u8]> = vec![0x5a_u8; 1000 + i * 37 + round].into();
            engine.push(*part, chunk);
        }
        while engine.is_full() {
            engine.step();
        }
    }
    for part in parts {
        engine.finish(part);
    }
    while engine.step().is_some() {}

    for event in engine.take_events() {
        if let Event::Digest {
            part,
            algorithm,
            digest,
        } = event
        {
            println!("{algorithm}:{digest}  {}", names[&part]);
        }
    }
    let ratio = engine.occupancy().ratio().unwrap_or_default();
    println!("mean lane occupancy: {:.0}%", ratio * 100.0);
}
