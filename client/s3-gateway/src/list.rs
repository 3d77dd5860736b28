//! Lists of keys, page by page (ListObjectsV2 in the S3 API Reference).

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;

use s3s::{S3Result, s3_error};

use crate::store::StoredObject;

#[derive(Debug, Default)]
pub struct Query {
    pub prefix: String,
    /// Keys with the same text up to it, after the prefix, are one entry.
    pub delimiter: String,
    /// The list begins behind this key, or behind all keys that this entry stands for.
    pub after: String,
    pub entries_max: usize,
}

#[derive(Debug, Default)]
pub struct Page {
    pub objects: Vec<Arc<StoredObject>>,
    pub common_prefixes: Vec<String>,
    /// Where the next page begins, if there is one.
    pub next: Option<String>,
}

pub fn list(objects: &BTreeMap<String, Arc<StoredObject>>, query: &Query) -> Page {
    let mut page = Page::default();
    let mut after = query.after.clone();
    if query.is_common_prefix(&after) {
        after.push(char::MAX);
    }
    let mut last = None;
    loop {
        let from = match after.as_str() >= query.prefix.as_str() {
            true => Bound::Excluded(after.as_str()),
            false => Bound::Included(query.prefix.as_str()),
        };
        let next = objects.range::<str, _>((from, Bound::Unbounded)).next();
        let Some((key, object)) = next.filter(|(key, _)| key.starts_with(&query.prefix)) else {
            return page;
        };
        if page.objects.len() + page.common_prefixes.len() == query.entries_max {
            page.next = last;
            return page;
        }
        match query.common_prefix(key) {
            None => {
                after = key.clone();
                last = Some(key.clone());
                page.objects.push(Arc::clone(object));
            }
            Some(prefix) => {
                // Behind all keys with this prefix.
                after = format!("{prefix}{}", char::MAX);
                last = Some(prefix.to_owned());
                page.common_prefixes.push(prefix.to_owned());
            }
        }
    }
}

impl Query {
    pub fn of(
        prefix: &Option<String>,
        delimiter: &Option<String>,
        after: Option<String>,
        keys_max: Option<i32>,
    ) -> S3Result<Self> {
        Ok(Self {
            prefix: prefix.clone().unwrap_or_default(),
            delimiter: delimiter.clone().unwrap_or_default(),
            after: after.unwrap_or_default(),
            entries_max: entries_max(keys_max)?,
        })
    }

    fn common_prefix<'a>(&self, key: &'a str) -> Option<&'a str> {
        if self.delimiter.is_empty() {
            return None;
        }
        let (_, rest) = key.split_at(self.prefix.len());
        let end = rest.find(&self.delimiter)? + self.delimiter.len();
        Some(&key[..self.prefix.len() + end])
    }

    fn is_common_prefix(&self, after: &str) -> bool {
        after.starts_with(&self.prefix) && self.common_prefix(after) == Some(after)
    }
}

/// A page of S3 has at most 1,000 entries.
pub fn entries_max(asked: Option<i32>) -> S3Result<usize> {
    let asked = usize::try_from(asked.unwrap_or(1_000));
    let asked = asked.map_err(|_| s3_error!(InvalidArgument, "a page cannot have so few"))?;
    Ok(asked.min(1_000))
}
