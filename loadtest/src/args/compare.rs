//! The flags of `compare`.

use clap::{Args, ValueEnum};
use hashlane_engine::Algorithm;

use super::load::{ClientName, LoadArgs};
use super::rounds::RoundsArgs;
use super::values::{Setting, SweepPoint};
use crate::servers::compared_modes::Mode;

/// The flags of `compare`.
#[derive(Clone, Debug, Args)]
pub struct CompareArgs {
    /// The children and the rounds.
    #[command(flatten)]
    pub rounds: RoundsArgs,

    /// The load.
    #[command(flatten)]
    pub load: LoadArgs,

    /// Cores and client: mixed is hyper and the server on all cores; saturated is the server alone
    /// on one core and the prepared client on another
    #[arg(long, value_enum, default_value_t = Setup::Mixed)]
    pub setup: Setup,

    /// The client [default: the set-up's]
    #[arg(long, value_enum)]
    pub client: Option<ClientName>,

    /// Modes, in the order of a round; every second round reverses it
    #[arg(
        long,
        value_parser = Mode::parser(),
        value_delimiter = ',',
        default_value = "lanes,inline,sink",
        default_value_if("setup", "saturated", "lanes,inline,sink,floor")
    )]
    pub modes: Vec<Mode>,

    /// Another server of the same contract, which has its turn after the modes; may be given
    /// repeatedly. The command is an executable and its flags, separated by blanks; it must also
    /// accept --listen and --admin-listen
    #[arg(long = "peer", value_name = "NAME=COMMAND", value_parser = Mode::peer)]
    pub peers: Vec<Mode>,

    /// In every round, also measures the first mode with these algorithms, and gives the ratio of
    /// --algorithm's cost to theirs
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub baseline: Vec<Algorithm>,

    /// A setting for the server of the baseline; may be given repeatedly. Measures the first
    /// mode with it too, in every round: what the other settings cost over it
    #[arg(long, value_name = "NAME=VALUE")]
    pub baseline_set: Vec<Setting>,

    /// Repeats the comparison for each number of streams, and of connections where it is given,
    /// as in 32,10000@1000; without a list for 1,4,16,32,128,1024,10000
    #[arg(
        long,
        value_name = "LIST",
        num_args = 0..=1,
        value_delimiter = ',',
        default_missing_value = SWEEP_STREAMS
    )]
    pub sweep_streams: Vec<SweepPoint>,
}

/// The set-up of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Setup {
    /// Client and server share all cores, as services do that share a machine.
    Mixed,
    /// The server has a core of its own, and the client, on another one, sends faster than the
    /// server can take it.
    Saturated,
}

/// A sweep from a lone client to more streams than any kernel has lanes for.
const SWEEP_STREAMS: &str = "1,4,16,32,128,1024,10000";
