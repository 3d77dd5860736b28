//! Clients that disturb others: slow streams, and floods of frames.
//!
//! ```text
//! disturb  the subcommand: an honest load with and without slow streams or floods
//! slow/    streams that drip or stay silent
//! flood/   floods by name, their connections; an honest client before and during a flood
//! ```

mod disturb;
mod flood;
mod slow;

pub use disturb::disturb;
pub(crate) use flood::Flood;
pub use flood::flood_alone;
pub(crate) use slow::{Disturbance, Disturber};
