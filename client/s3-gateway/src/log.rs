//! Errors for the operator: lines on standard error with the time and the request.

use std::fmt::Display;
use std::time::SystemTime;

use s3s::dto::{Timestamp, TimestampFormat};

tokio::task_local! {
    /// The method, the path and the request's ID.
    static REQUEST: String;
}

/// Runs `work`; its log lines name the request.
pub async fn of_request<T>(request: String, work: impl Future<Output = T>) -> T {
    REQUEST.scope(request, work).await
}

/// The same for work on another thread.
pub fn with_request<T>(work: impl FnOnce() -> T) -> impl FnOnce() -> T {
    let request = request();
    move || REQUEST.sync_scope(request, work)
}

fn request() -> String {
    REQUEST.try_with(Clone::clone).unwrap_or_default()
}

/// Writes a line.
pub fn line(text: impl Display) {
    let mut time = Vec::new();
    let now = Timestamp::from(SystemTime::now());
    let _ = now.format(TimestampFormat::DateTime, &mut time);
    let (time, request) = (String::from_utf8_lossy(&time), request());
    let end = if request.is_empty() { "" } else { ": " };
    eprintln!("{time} hashlane-s3-gateway: {request}{end}{text}");
}
