//! Lists of keys, page by page (ListObjectsV2 in the S3 API Reference).

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;

use s3s::{S3Result, s3_error};

use crate::store::StoredObject;

/// Greater than any upload's ID.
const LAST_ID: &str = "\u{10FFFF}";

#[derive(Debug, Default)]
pub struct Query {
    pub prefix: String,
    /// Keys that are equal up to the first delimiter after the prefix are one entry.
    pub delimiter: String,
    /// The list begins after this key, or after all keys of this entry.
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
    let mut from = query.first();
    let mut last = None;
    while let Some(bound) = from {
        let bound = bound.as_ref().map(String::as_str);
        let next = objects.range::<str, _>((bound, Bound::Unbounded)).next();
        let Some((key, object)) = next.filter(|(key, _)| key.starts_with(&query.prefix)) else {
            break;
        };
        if page.objects.len() + page.common_prefixes.len() == query.entries_max {
            page.next = last;
            break;
        }
        match query.common_prefix(key) {
            None => {
                from = Some(Bound::Excluded(key.clone()));
                last = Some(key.clone());
                page.objects.push(Arc::clone(object));
            }
            Some(prefix) => {
                from = behind(prefix);
                last = Some(prefix.to_owned());
                page.common_prefixes.push(prefix.to_owned());
            }
        }
    }
    page
}

/// Uploads by their keys and IDs.
pub type Uploads<T> = BTreeMap<(String, String), T>;

#[derive(Debug)]
pub struct UploadPage<T> {
    pub uploads: Vec<((String, String), T)>,
    pub common_prefixes: Vec<String>,
    /// The key or entry after which the next page begins, and the upload's ID.
    pub next: Option<(String, Option<String>)>,
}

/// With an ID, the list begins after that upload of the query's key.
pub fn list_uploads<T>(uploads: Uploads<T>, query: &Query, id: Option<&str>) -> UploadPage<T> {
    let mut page = UploadPage {
        uploads: Vec::new(),
        common_prefixes: Vec::new(),
        next: None,
    };
    let mut last = None;
    for ((key, upload_id), upload) in uploads {
        let behind = (query.after.as_str(), id.unwrap_or(LAST_ID));
        if !key.starts_with(&query.prefix) || (key.as_str(), upload_id.as_str()) <= behind {
            continue;
        }
        let prefix = query.common_prefix(&key);
        let is_listed = prefix.is_some_and(|prefix| {
            prefix == query.after || page.common_prefixes.last().is_some_and(|it| it == prefix)
        });
        if is_listed {
            continue;
        }
        if page.uploads.len() + page.common_prefixes.len() == query.entries_max {
            page.next = last;
            break;
        }
        match prefix {
            Some(prefix) => {
                last = Some((prefix.to_owned(), None));
                page.common_prefixes.push(prefix.to_owned());
            }
            None => {
                last = Some((key.clone(), Some(upload_id.clone())));
                page.uploads.push(((key, upload_id), upload));
            }
        }
    }
    page
}

/// Where the keys after all keys with this prefix begin. `None` if there can be none.
fn behind(prefix: &str) -> Option<Bound<String>> {
    let mut next = prefix.to_owned();
    while let Some(last) = next.pop() {
        // The highest character has no successor, so try the one before it.
        if let Some(following) = (last..=char::MAX).nth(1) {
            next.push(following);
            return Some(Bound::Included(next));
        }
    }
    None
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

    /// Where the list begins. `None` if that is after all keys.
    fn first(&self) -> Option<Bound<String>> {
        let Self { prefix, after, .. } = self;
        if after.starts_with(prefix) && self.common_prefix(after) == Some(after) {
            return behind(after);
        }
        Some(match after >= prefix {
            true => Bound::Excluded(after.clone()),
            false => Bound::Included(prefix.clone()),
        })
    }
}

/// The page size: at most 1,000 entries, as in S3.
pub fn entries_max(asked: Option<i32>) -> S3Result<usize> {
    let asked = usize::try_from(asked.unwrap_or(1_000));
    let asked = asked.map_err(|_| s3_error!(InvalidArgument, "a page cannot have so few"))?;
    Ok(asked.min(1_000))
}
