//! Every kernel alone, and mixes of kernels. Their costs are given, so that findings are
//! reproducible: costs measured at start-up differ from run to run.

use std::sync::LazyLock;

use digest::Digest as _;
use hashlane_engine::{Algorithm, Backend, Crossover, Digest, Family, Kernel};

/// What an input chooses from.
pub static CROSSOVERS: LazyLock<Vec<Crossover>> = LazyLock::new(|| {
    let all = Backend::detect();
    let most = Family::ALL.map(|family| all.kernels(family).len());
    let most = most.into_iter().max().expect("families");
    // One kernel of each family, so that each is alone in one of them.
    let single = (0..most).map(|i| {
        let one = Family::ALL.map(|family| {
            let kernels = all.kernels(family);
            kernels[i % kernels.len()]
        });
        with_costs(&one, |_| 100.0)
    });
    let everything: Vec<Kernel> = Kernel::all()
        .filter(|kernel| kernel.is_available())
        .collect();
    let fours = everything
        .iter()
        .copied()
        .filter(|kernel| kernel.lanes() == 4);
    let fours_or_one: Vec<Kernel> = Family::ALL
        .map(Kernel::portable)
        .into_iter()
        .chain(fours)
        .collect();
    let mixes = [
        // Widest first, the rest in ever narrower ones.
        with_costs(&everything, f64::sqrt),
        // The widest for any number.
        with_costs(&everything, |_| 100.0),
        // Neighbouring segments of four, with others.
        with_costs(
            &everything,
            |lanes| if lanes == 4.0 { 4.0 } else { 4.0 + lanes },
        ),
        // Fewer than four are left out.
        with_costs(&fours_or_one, |_| 100.0),
    ];
    single.chain(mixes).collect()
});

/// Plans with these kernels, which the CPU must have; a kernel's cost is a function of its lanes.
fn with_costs(kernels: &[Kernel], cost: impl Fn(f64) -> f64) -> Crossover {
    let backend = Backend::of(kernels).expect("available");
    Crossover::from_costs(backend, |kernel| cost(kernel.lanes() as f64))
}

/// Those with lanes.
pub const ALGORITHMS: [Algorithm; 6] = [
    Algorithm::Sha256,
    Algorithm::Sha224,
    Algorithm::Sha512,
    Algorithm::Sha384,
    Algorithm::Sha1,
    Algorithm::Md5,
];

/// The digest by the crate that hashes one message at a time.
pub fn oracle(algorithm: Algorithm, message: &[u8]) -> Digest {
    match algorithm {
        Algorithm::Sha256 => Digest::new(&sha2::Sha256::digest(message)),
        Algorithm::Sha224 => Digest::new(&sha2::Sha224::digest(message)),
        Algorithm::Sha512 => Digest::new(&sha2::Sha512::digest(message)),
        Algorithm::Sha384 => Digest::new(&sha2::Sha384::digest(message)),
        Algorithm::Sha1 => Digest::new(&sha1::Sha1::digest(message)),
        Algorithm::Md5 => Digest::new(&md5::Md5::digest(message)),
        // The engine uses the same crate, so only splits can go wrong.
        _ => hashlane_engine::hash_many(algorithm, &[message])[0],
    }
}
