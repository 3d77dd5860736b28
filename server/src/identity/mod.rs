//! Who a client is.
//!
//! | file | |
//! |---|---|
//! | client_id.rs | what a client is known by, from first to last: certificate, uid, address |

mod client_id;

pub(crate) use self::client_id::{ClientId, Name};
