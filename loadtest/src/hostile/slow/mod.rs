//! Slow streams: they open a part, then drip or stay silent.
//!
//! ```text
//! streams      opens the streams, again and again, on one thread
//! disturbance  how many streams do what, and what they did
//! slow_bodies  the bytes that they send
//! ```

mod disturbance;
mod slow_bodies;
mod streams;

pub(crate) use disturbance::Disturbance;
pub(crate) use streams::Disturber;
