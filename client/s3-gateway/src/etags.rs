//! The ETags of If-Match and If-None-Match: `*`, or a list (RFC 9110 section 13.1).

use http::{HeaderMap, HeaderName};
use s3s::dto::{ETag, ETagCondition};
use s3s::{S3Result, s3_error};

#[derive(Debug, PartialEq, Eq)]
pub enum ETags {
    Any,
    Listed(Vec<ETag>),
}

impl ETags {
    pub fn of(headers: &HeaderMap, name: &HeaderName) -> S3Result<Option<Self>> {
        let invalid = || s3_error!(InvalidArgument, "invalid {name}");
        let lines = headers.get_all(name).iter().map(|line| line.to_str());
        let lines: Result<Vec<_>, _> = lines.collect();
        let lines = lines.map_err(|_| invalid())?;
        if lines.is_empty() {
            return Ok(None);
        }
        Self::parse(&lines.join(", ")).ok_or_else(invalid).map(Some)
    }

    fn parse(text: &str) -> Option<Self> {
        if text.trim() == "*" {
            return Some(Self::Any);
        }
        let mut listed = Vec::new();
        let mut rest = text.trim_start_matches(is_between);
        while !rest.is_empty() {
            let (etag, after) = rest.split_at(end_of_first(rest)?);
            // S3 allows ETags without quotes.
            listed.push(ETag::parse_http_header(etag.trim_end().as_bytes()).ok()?);
            let after = after.trim_start();
            if !after.is_empty() && !after.starts_with(',') {
                return None;
            }
            rest = after.trim_start_matches(is_between);
        }
        (!listed.is_empty()).then_some(Self::Listed(listed))
    }

    /// The strong comparison, for If-Match: a weak ETag matches nothing.
    pub fn match_strongly(&self, etag: &str) -> bool {
        match self {
            Self::Any => true,
            Self::Listed(listed) => listed.iter().any(|each| each.as_strong() == Some(etag)),
        }
    }

    /// The weak comparison, for If-None-Match.
    pub fn match_weakly(&self, etag: &str) -> bool {
        match self {
            Self::Any => true,
            Self::Listed(listed) => listed.iter().any(|each| each.value() == etag),
        }
    }
}

impl From<ETagCondition> for ETags {
    fn from(condition: ETagCondition) -> Self {
        match condition {
            ETagCondition::Any => Self::Any,
            ETagCondition::ETag(etag) => Self::Listed(vec![etag]),
        }
    }
}

fn is_between(c: char) -> bool {
    matches!(c, ' ' | '\t' | ',')
}

/// Where the first ETag of the list ends. A quoted one may have commas.
fn end_of_first(list: &str) -> Option<usize> {
    let opaque = list.strip_prefix("W/").unwrap_or(list);
    let Some(quoted) = opaque.strip_prefix('"') else {
        return Some(list.find(',').unwrap_or(list.len()));
    };
    let after = &quoted[quoted.find('"')? + 1..];
    Some(list.len() - after.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists() {
        let strong = |value: &str| ETag::Strong(value.to_owned());
        let weak = |value: &str| ETag::Weak(value.to_owned());
        for (text, expected) in [
            ("*", Some(ETags::Any)),
            ("\"a\"", Some(ETags::Listed(vec![strong("a")]))),
            (
                "\"a,b\", W/\"c\",d",
                Some(ETags::Listed(vec![strong("a,b"), weak("c"), strong("d")])),
            ),
            (
                ", \"a\" ,, \"\",",
                Some(ETags::Listed(vec![strong("a"), strong("")])),
            ),
            ("", None),
            (",", None),
            ("\"a", None),
            ("\"a\"b", None),
            ("\"a\" \"b\"", None),
            ("*, \"a\"", None),
        ] {
            assert_eq!(ETags::parse(text), expected, "{text}");
        }
    }

    #[test]
    fn comparisons() {
        let listed = ETags::parse("\"a\", W/\"b\"").expect("a list");
        let strongly = ["a", "b", "c"].map(|etag| listed.match_strongly(etag));
        let weakly = ["a", "b", "c"].map(|etag| listed.match_weakly(etag));
        assert_eq!(strongly, [true, false, false]);
        assert_eq!(weakly, [true, true, false]);
        assert!(ETags::Any.match_strongly("a") && ETags::Any.match_weakly("a"));
    }
}
