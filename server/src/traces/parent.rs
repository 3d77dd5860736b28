//! The parent span of a client's call, by W3C Trace Context.

use std::borrow::Cow;

use http::HeaderMap;
use opentelemetry::Context;
use opentelemetry::propagation::{Extractor, TextMapPropagator as _};
use opentelemetry_sdk::propagation::TraceContextPropagator;

const TRACEPARENT: &str = "traceparent";
const TRACESTATE: &str = "tracestate";

/// Bytes of a traceparent: version, trace id, span id and flags.
const PARENT_BYTES: usize = 55;

/// Bytes of a tracestate that every vendor must propagate (section 3.3.1.5); a longer tracestate is
/// ignored.
const STATE_BYTES_MAX: usize = 512;

/// The headers of a request that describe its parent.
struct Headers<'a> {
    parent: &'a str,
    state: Option<Cow<'a, str>>,
}

impl<'a> Headers<'a> {
    /// `None` without a valid traceparent; the call then begins a trace.
    fn of(headers: &'a HeaderMap) -> Option<Self> {
        let mut parents = headers.get_all(TRACEPARENT).iter();
        let parent = parents.next()?.to_str().ok()?;
        let is_alone = parents.next().is_none();
        (is_alone && is_well_formed(parent)).then(|| Self {
            parent,
            state: state(headers),
        })
    }
}

/// Whether the length and the characters are valid. The propagator checks the fields, but not their
/// lengths.
fn is_well_formed(parent: &str) -> bool {
    let Some((fields, more)) = parent.split_at_checked(PARENT_BYTES) else {
        return false;
    };
    let is_allowed = |b: u8| matches!(b, b'0'..=b'9' | b'a'..=b'f' | b'-');
    // Later versions may have more fields.
    let may_follow = more.is_empty() || more.starts_with('-') && !parent.starts_with("00");
    fields.bytes().all(is_allowed) && may_follow
}

/// The state, which may be split over several headers.
fn state(headers: &HeaderMap) -> Option<Cow<'_, str>> {
    let mut all: Option<Cow<'_, str>> = None;
    for value in headers.get_all(TRACESTATE) {
        let value = value.to_str().ok()?;
        all = Some(match all {
            None => value.into(),
            Some(before) => format!("{before},{value}").into(),
        });
    }
    all.filter(|state| state.len() <= STATE_BYTES_MAX)
}

impl Extractor for Headers<'_> {
    fn get(&self, key: &str) -> Option<&str> {
        match key {
            TRACEPARENT => Some(self.parent),
            TRACESTATE => self.state.as_deref(),
            _ => None,
        }
    }

    fn keys(&self) -> Vec<&str> {
        vec![TRACEPARENT, TRACESTATE]
    }
}

/// The parent of a call with these headers; empty if they name none.
pub(super) fn of(headers: &HeaderMap) -> Context {
    let none = Context::new();
    match Headers::of(headers) {
        Some(headers) => TraceContextPropagator::new().extract_with_context(&none, &headers),
        None => none,
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;
    use opentelemetry::trace::TraceContextExt as _;

    use super::*;

    const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
    const SPAN: &str = "00f067aa0ba902b7";

    fn headers(all: &[(&'static str, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in all {
            headers.append(*name, HeaderValue::from_str(value).unwrap());
        }
        headers
    }

    /// Trace id, span id, whether it is sampled, and the state.
    fn read(all: &[(&'static str, &str)]) -> Option<(String, String, bool, String)> {
        let context = of(&headers(all));
        let span = context.span();
        let span = span.span_context();
        span.is_valid().then(|| {
            let (trace, id) = (span.trace_id().to_string(), span.span_id().to_string());
            (trace, id, span.is_sampled(), span.trace_state().header())
        })
    }

    #[test]
    fn a_parent_is_read_with_its_state() {
        let parent = |flags: &str| format!("00-{TRACE}-{SPAN}-{flags}");
        let of = |flags: &str, sampled, state: &str| {
            let (trace, span) = (TRACE.to_owned(), SPAN.to_owned());
            assert_eq!(
                read(&[("traceparent", &parent(flags)), ("tracestate", state)]),
                Some((trace, span, sampled, state.to_owned()))
            );
        };
        of("01", true, "a=1,b=2");
        of("00", false, "a=1");
        // Only the lowest bit is known.
        of("03", true, "");
        of("02", false, "");
        let several = [
            ("traceparent", &*parent("01")),
            ("tracestate", "a=1"),
            ("tracestate", "b=2,c=3"),
        ];
        assert_eq!(read(&several).unwrap().3, "a=1,b=2,c=3");
        let long = format!("a={}", "x".repeat(200));
        let long = [&*long, &long, &long].map(|state| ("tracestate", state));
        let sampled = parent("01");
        let long = [&[("traceparent", &*sampled)][..], &long].concat();
        assert_eq!(read(&long).unwrap().3, "", "more than is passed on");
        // A later version, which may have more fields.
        let later = format!("cc-{TRACE}-{SPAN}-01-what");
        assert!(read(&[("traceparent", &later)]).unwrap().2);
    }

    #[test]
    fn what_is_no_parent_is_passed_over() {
        assert_eq!(read(&[]), None);
        assert_eq!(read(&[("tracestate", "a=1")]), None);
        let zeros = |n| "0".repeat(n);
        for parent in [
            String::new(),
            "x".to_owned(),
            format!("00-{TRACE}-{SPAN}"),
            format!("00-{TRACE}-{SPAN}-1"),
            format!("00-{TRACE}-{SPAN}-01-"),
            format!("00-{TRACE}-{SPAN}-01-more"),
            format!("0-{TRACE}-{SPAN}-01"),
            format!("ff-{TRACE}-{SPAN}-01"),
            format!("00-{}-{SPAN}-01", &TRACE[1..]),
            format!("00-{TRACE}-{}-01", &SPAN[1..]),
            format!("00-{}-{SPAN}-01", TRACE.to_uppercase()),
            format!("00-{}-{SPAN}-01", zeros(32)),
            format!("00-{TRACE}-{}-01", zeros(16)),
            format!("00-{TRACE}-{SPAN}-+1"),
        ] {
            assert_eq!(read(&[("traceparent", &parent)]), None, "{parent}");
        }
        let good = format!("00-{TRACE}-{SPAN}-01");
        let two = [("traceparent", &*good), ("traceparent", &*good)];
        assert_eq!(read(&two), None);
    }
}
