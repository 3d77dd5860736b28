use hashlane_engine::*;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let (streams, chunk, rounds): (usize, usize, usize) = (
        args[1].parse().unwrap(),
        args[2].parse().unwrap(),
        args[3].parse().unwrap(),
    );
    let backend = match args.get(4) {
        Some(k) => Backend::of(&[k.parse().unwrap()]).unwrap(),
        None => Backend::detect(),
    };
    let crossover = if args.get(4).is_some() {
        Crossover::from_costs(backend, |k| k.lanes() as f64 * 10.0)
    } else {
        Crossover::new(backend)
    };
    let mut engine: Engine<&[u8]> = Engine::new(crossover);
    let pool = vec![7u8; 400 << 10];
    let parts: Vec<_> = (0..streams)
        .map(|_| engine.open(&[Algorithm::Sha256]))
        .collect();
    let start = std::time::Instant::now();
    let mut turn = 0;
    let mut steps = 0;
    let mut events = 0;
    for r in 0..rounds {
        for (i, p) in parts.iter().enumerate() {
            let from = (i * 17 * 4099 + r * chunk) % (256 << 10);
            engine.push(*p, &pool[from..from + chunk]);
            while engine.is_full() {
                engine.step();
                steps += 1;
                events += engine.take_events().count();
            }
        }
        turn += chunk * streams;
        if turn >= 128 << 10 {
            turn = 0;
            while engine.ready_jobs() > 0 {
                engine.step();
                steps += 1;
                events += engine.take_events().count();
            }
        }
    }
    let s = start.elapsed().as_secs_f64();
    let n = streams * rounds;
    println!(
        "{:.3} GB/s, {:.0} ns a chunk, {} steps, {:.1} chunks a step, {} events, {}",
        (n * chunk) as f64 / s / 1e9,
        s * 1e9 / n as f64,
        steps,
        n as f64 / steps as f64,
        events,
        engine.crossover().describe(Family::Sha256, 64)
    );
}
