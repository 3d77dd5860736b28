//! The flags of `disturb` and `flood`.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use clap::Args;
use clap::builder::ArgPredicate;

use super::load::LoadArgs;
use super::rounds::RoundsArgs;
use super::values::{bounded, interval, seconds};
use crate::hostile::Flood;
use crate::servers::compared_modes::Mode;

/// One honest client stands beside floods.
const FLOODED: ArgPredicate = ArgPredicate::IsPresent;

/// The flags of `disturb`.
#[derive(Clone, Debug, Args)]
#[command(mut_arg("connections", |arg| arg.default_value("16").default_value_if("flood", FLOODED, "1")))]
#[command(mut_arg("streams", |arg| arg.default_value("16").default_value_if("flood", FLOODED, "4")))]
#[command(mut_arg("part_size", |arg| arg.default_value_if("flood", FLOODED, "1MiB")))]
pub struct DisturbArgs {
    /// The children and the rounds.
    #[command(flatten)]
    pub rounds: RoundsArgs,

    /// The honest load.
    #[command(flatten)]
    pub load: LoadArgs,

    /// The server's hashing mode
    #[arg(long, value_parser = Mode::parser(), default_value = "lanes")]
    pub mode: Mode,

    /// Streams that send a few bytes at intervals and never end
    #[arg(long, default_value_t = 1000, value_parser = bounded(0, 100_000))]
    pub drip_streams: usize,

    /// Time between the drips of one stream
    #[arg(long, default_value = "1s", value_parser = interval)]
    pub drip_interval: Duration,

    /// Bytes of one drip, each in an HTTP/2 frame of its own
    #[arg(long, default_value_t = 1, value_parser = bounded(1, 1024))]
    pub drip_bytes: usize,

    /// Streams that send whole parts and never read an answer: some at once, then one every
    /// --drip-interval
    #[arg(long, default_value_t = 0, value_parser = bounded(0, 100_000))]
    pub unread_streams: usize,

    /// Streams that open a part and send nothing more
    #[arg(long, default_value_t = 0, value_parser = bounded(0, 100_000))]
    pub idle_streams: usize,

    /// Bytes that each idle stream sends first
    #[arg(long, default_value_t = 100, value_parser = bounded(1, 65_536))]
    pub idle_bytes: usize,

    /// Connections of the dripping and idle streams, and as many of those that never read; more
    /// are added where the server's streams per connection would not suffice
    #[arg(long, default_value_t = 1, value_parser = bounded(1, 4096))]
    pub disturb_connections: usize,

    /// Floods the server, in place of slow streams: kinds, or all of them without a list; always
    /// with `spins`, the control. Those of TLS need a --mode over TLS and are left out of the
    /// others, and the other way round
    #[arg(
        long,
        value_name = "LIST",
        num_args = 0..=1,
        value_delimiter = ',',
        default_missing_values = Flood::names(),
        value_enum,
        conflicts_with_all = ["drip_streams", "unread_streams", "idle_streams"]
    )]
    pub flood: Vec<Flood>,

    /// Hostile connections, each number in turn
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        default_value = "1,8",
        value_parser = bounded(1, 256),
        requires = "flood"
    )]
    pub hostile: Vec<usize>,

    /// Addresses of the loopback that hostile connections come from, each in turn. The honest
    /// client's is 127.0.0.1; from the same one they share its bounds
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        default_value = "127.0.0.2",
        requires = "flood"
    )]
    pub hostile_from: Vec<Ipv4Addr>,
}

/// The flags of `flood`.
#[derive(Clone, Debug, Args)]
pub struct FloodArgs {
    /// The server's gRPC port, on the loopback
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:50051")]
    pub server: SocketAddr,

    /// That port has TLS; floods that do not fit it are left out
    #[arg(long)]
    pub tls: bool,

    /// Kinds of floods, one after the other [default: all]
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        default_values = Flood::names(),
        hide_default_value = true,
        value_enum
    )]
    pub flood: Vec<Flood>,

    /// All of them at once, each from an address of its own: --hostile-from and those after it
    #[arg(long)]
    pub together: bool,

    /// Connections of each
    #[arg(long, default_value_t = 16, value_parser = bounded(1, 256))]
    pub hostile: usize,

    /// The loopback's address that the first kind comes from; each further kind has the next one,
    /// because the server delays an address that it closed connections of
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.2")]
    pub hostile_from: Ipv4Addr,

    /// Seconds of each, or of all together
    #[arg(long, default_value = "2", value_parser = seconds)]
    pub seconds: Duration,
}
