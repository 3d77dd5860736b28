//! Refuses requests for features that the gateway does not support; it never ignores them.
//!
//! `requests.txt` lists the rule for each header and parameter. The tests read it too.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use http::header::{AUTHORIZATION, CONTENT_TYPE, DATE};
use http::{HeaderMap, HeaderName, HeaderValue, Method, Uri};
use percent_encoding::percent_decode_str;
use s3s::access::{S3Access, S3AccessContext};
use s3s::dto::{Timestamp, TimestampFormat};
use s3s::{S3Error, S3Result, s3_error};

use crate::auth::OWNER;

/// The rule for a header or a parameter.
#[derive(Debug, Clone, Copy)]
enum Rule {
    Accepted,
    Refused,
    /// The owner of all buckets.
    Owner,
    /// Only one of these comma-separated values.
    Only(&'static str),
}

/// The rules by operation and name.
#[derive(Debug)]
struct Rules(BTreeMap<String, BTreeMap<&'static str, Rule>>);

static RULES: LazyLock<Rules> = LazyLock::new(|| Rules::read(include_str!("requests.txt")));

/// The longest lifetime of a signed URL.
const URL_SECONDS_MAX: u64 = 7 * 24 * 60 * 60;
const AMZ_DATE: HeaderName = HeaderName::from_static("x-amz-date");
const POST_OBJECT: &str = "PostObject";
const FORM: &str = "multipart/form-data";
const ALL_OPERATIONS: &str = "*";
/// Prefixes of S3's headers and its extensions. Each such header has a meaning.
pub const PREFIXES: [&str; 2] = ["x-amz-", "x-minio-"];
/// Prefix of headers that the client may choose freely.
pub const METADATA: &str = "x-amz-meta-";
/// Query parameters of a signature that do not stand for headers.
const SIGNATURE: [&str; 8] = [
    "algorithm",
    "content-sha256",
    "credential",
    "date",
    "expires",
    "security-token",
    "signature",
    "signedheaders",
];

impl Rules {
    fn read(table: &'static str) -> Self {
        let mut rules = BTreeMap::<_, BTreeMap<_, _>>::new();
        for line in table.lines().filter(|line| !line.starts_with('#')) {
            let mut words = line.split_whitespace();
            let (Some(rule), Some(name)) = (words.next(), words.next()) else {
                continue;
            };
            let rule = match rule {
                "kept" | "harmless" => Rule::Accepted,
                "refused" => Rule::Refused,
                "owner" => Rule::Owner,
                values => Rule::Only(values),
            };
            let name = match name.starts_with('?') {
                true => name.to_owned(),
                false => name.to_ascii_lowercase(),
            };
            let operations = words.map(|operation| (operation, rule));
            rules.entry(name).or_default().extend(operations);
        }
        Self(rules)
    }

    fn find(&self, operation: &str, name: &str) -> Option<Rule> {
        let name = match name.starts_with(METADATA) {
            true => METADATA,
            false => name,
        };
        let operations = self.0.get(name)?;
        let rule = operations.get(operation);
        rule.or_else(|| operations.get(ALL_OPERATIONS)).copied()
    }

    fn check(&self, operation: &str, name: &str, value: &str) -> S3Result<()> {
        match self.find(operation, name) {
            Some(Rule::Accepted) => return Ok(()),
            Some(Rule::Only(values)) if values.split(',').any(|kept| kept == value) => {
                return Ok(());
            }
            Some(Rule::Owner) => {
                let is_owner = value == OWNER;
                return is_owner
                    .then_some(())
                    .ok_or_else(|| s3_error!(AccessDenied, "Access Denied"));
            }
            None if self.is_ordinary(name) => return Ok(()),
            _ => {}
        }
        let name = name.trim_start_matches('?');
        Err(s3_error!(
            NotImplemented,
            "A header or parameter that you provided implies functionality that is not \
             implemented: {name} of {operation}."
        ))
    }

    /// Whether the header has no meaning in S3.
    fn is_ordinary(&self, name: &str) -> bool {
        !name.starts_with('?')
            && !PREFIXES.iter().any(|prefix| name.starts_with(prefix))
            && !self.0.contains_key(name)
    }
}

/// Refuses unsupported requests after the signature and operation are known, and before the body is
/// read.
#[derive(Debug)]
pub struct Access;

#[async_trait::async_trait]
impl S3Access for Access {
    async fn check(&self, context: &mut S3AccessContext<'_>) -> S3Result<()> {
        if context.credentials().is_none() {
            return Err(s3_error!(AccessDenied, "Signature is required"));
        }
        check(context.s3_op().name(), context.uri(), context.headers())
    }
}

/// Refuses what the operation does not support.
pub fn check(operation: &str, uri: &Uri, headers: &HeaderMap) -> S3Result<()> {
    check_lifetime(uri)?;
    for (name, value) in parameters(uri) {
        if in_query(&name).is_none() {
            RULES.check(operation, &format!("?{name}"), &value)?;
        }
    }
    for (name, value) in headers {
        let value = String::from_utf8_lossy(value.as_bytes());
        RULES.check(operation, name.as_str(), value.trim())?;
    }
    Ok(())
}

/// Refuses a form before it is read. Its signature is a field of its body, so s3s would read the
/// body before it checks the signature.
pub fn check_form(method: &Method, uri: &Uri, headers: &HeaderMap) -> S3Result<()> {
    let mut types = headers.get_all(CONTENT_TYPE).iter();
    let is_form = types.any(|value| {
        let start = value.as_bytes().get(..FORM.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(FORM.as_bytes()))
    });
    match method == Method::POST && is_form {
        true => check(POST_OBJECT, uri, headers),
        false => Ok(()),
    }
}

/// Whether an operation has a parameter with this name.
pub fn allows(operation: &str, parameter: &str) -> bool {
    let rule = RULES.find(operation, &format!("?{parameter}"));
    in_query(parameter).is_some() || matches!(rule, Some(Rule::Accepted))
}

/// Checks a signed URL's lifetime.
fn check_lifetime(uri: &Uri) -> S3Result<()> {
    let is_allowed = |seconds: u64| seconds <= URL_SECONDS_MAX;
    let too_long = parameters(uri)
        .any(|(name, value)| name == "X-Amz-Expires" && !value.parse().is_ok_and(is_allowed));
    if too_long {
        return Err(s3_error!(
            AuthorizationQueryParametersError,
            "X-Amz-Expires must be less than a week (in seconds) that is {URL_SECONDS_MAX}"
        ));
    }
    Ok(())
}

/// Adds the headers that are in the query of a signed URL.
pub fn add_headers_in_query(uri: &Uri, headers: &mut HeaderMap) -> Result<(), S3Error> {
    for (name, value) in parameters(uri) {
        let Some(name) = in_query(&name) else {
            continue;
        };
        let value = HeaderValue::from_str(&value);
        let value = value.map_err(|_| s3_error!(InvalidArgument, "{name} is not ASCII"))?;
        if headers.get(&name).is_some_and(|other| *other != value) {
            return Err(s3_error!(InvalidArgument, "{name} has two values"));
        }
        headers.insert(name, value);
    }
    Ok(())
}

/// Version 4 of the signature uses the time from Date if there is no x-amz-date, but s3s requires
/// x-amz-date.
pub fn add_date(headers: &mut HeaderMap) {
    let is_v4 = |value: &HeaderValue| value.as_bytes().starts_with(b"AWS4-");
    if headers.contains_key(AMZ_DATE) || !headers.get(AUTHORIZATION).is_some_and(is_v4) {
        return;
    }
    let date = headers.get(DATE).and_then(|date| date.to_str().ok());
    if let Some(date) = date.and_then(in_amz_format) {
        headers.insert(AMZ_DATE, date);
    }
}

/// Converts `Mon, 23 Nov 2026 21:40:00 GMT` to 20261123T214000Z. boto3 writes -0000 for GMT.
fn in_amz_format(date: &str) -> Option<HeaderValue> {
    let date = date.replace("-0000", "GMT");
    let date = Timestamp::parse(TimestampFormat::HttpDate, &date).ok()?;
    let mut text = Vec::new();
    date.format(TimestampFormat::DateTime, &mut text).ok()?;
    let text = String::from_utf8(text).ok()?;
    let seconds = text.split(['.', 'Z']).next()?;
    HeaderValue::try_from(format!("{}Z", seconds.replace(['-', ':'], ""))).ok()
}

/// The header that this parameter stands for.
fn in_query(name: &str) -> Option<HeaderName> {
    let name = name.to_ascii_lowercase();
    let rest = name.strip_prefix("x-amz-")?;
    let is_header = !SIGNATURE.contains(&rest);
    is_header.then(|| HeaderName::try_from(&name).ok())?
}

/// The decoded parameters of the query.
pub fn parameters(uri: &Uri) -> impl Iterator<Item = (String, String)> {
    let pairs = uri.query().unwrap_or_default().split('&');
    let pairs = pairs.filter(|pair| !pair.is_empty());
    pairs.map(|pair| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        (decoded(name), decoded(value))
    })
}

fn decoded(text: &str) -> String {
    let spaced = text.replace('+', " ");
    percent_decode_str(&spaced).decode_utf8_lossy().into_owned()
}
