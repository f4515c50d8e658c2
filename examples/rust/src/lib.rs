//! A small, blocking client of a Keyhearth service.
//!
//! [`Client::query`] reads, and [`Client::submit`] asks for an activity and waits until it ends.

mod activity;
mod client;
mod error;
mod stamp;

pub use activity::{Activity, Submitted};
pub use client::Client;
pub use error::{Error, Reason};
pub use stamp::{ApiKey, KeyFile, Stamper};
