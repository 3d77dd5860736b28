//! Fields by index: the static table (RFC 7541 appendix A) and the dynamic one (section 2.3.2).

use std::collections::VecDeque;

use bytes::Bytes;
use http::{HeaderName, HeaderValue};

/// What a field costs in the table in addition to its bytes (section 4.1).
const FIELD_BYTES: usize = 32;

/// A pseudo-header of a request (RFC 9113 section 8.3.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pseudo {
    Authority,
    Method,
    Path,
    Scheme,
}

/// A field's name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Name {
    Pseudo(Pseudo),
    Header(HeaderName),
    /// A name that no request may have, of this many bytes.
    Malformed(usize),
}

impl Name {
    /// The name that these bytes are.
    pub(crate) fn parse(name: &[u8]) -> Self {
        match name {
            b":authority" => Self::Pseudo(Pseudo::Authority),
            b":method" => Self::Pseudo(Pseudo::Method),
            b":path" => Self::Pseudo(Pseudo::Path),
            b":scheme" => Self::Pseudo(Pseudo::Scheme),
            // Capitals are malformed (RFC 9113 section 8.2).
            _ => match HeaderName::from_lowercase(name) {
                Ok(name) => Self::Header(name),
                Err(_) => Self::Malformed(name.len()),
            },
        }
    }

    fn len(&self) -> usize {
        match self {
            Self::Pseudo(Pseudo::Authority) => ":authority".len(),
            Self::Pseudo(Pseudo::Method | Pseudo::Scheme) => ":method".len(),
            Self::Pseudo(Pseudo::Path) => ":path".len(),
            Self::Header(name) => name.as_str().len(),
            Self::Malformed(len) => *len,
        }
    }
}

/// A name with its value. A malformed value is kept by its length, which the table counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Field {
    pub(crate) name: Name,
    pub(crate) value: Result<HeaderValue, usize>,
}

impl Field {
    pub(crate) fn new(name: Name, value: &[u8]) -> Self {
        let shared = HeaderValue::from_maybe_shared(Bytes::copy_from_slice(value));
        Self {
            name,
            value: shared.map_err(|_| value.len()),
        }
    }

    /// Bytes of the field as RFC 7541 section 4.1 and RFC 9113 section 10.5.1 count them.
    pub(crate) fn size(&self) -> usize {
        let value_bytes = match &self.value {
            Ok(value) => value.len(),
            Err(len) => *len,
        };
        self.name.len() + value_bytes + FIELD_BYTES
    }
}

/// The static table. Its indices begin with 1. Answers' names, such as `:status`, are malformed in a
/// request.
const STATIC: [(&str, &str); 61] = [
    (":authority", ""),
    (":method", "GET"),
    (":method", "POST"),
    (":path", "/"),
    (":path", "/index.html"),
    (":scheme", "http"),
    (":scheme", "https"),
    (":status", "200"),
    (":status", "204"),
    (":status", "206"),
    (":status", "304"),
    (":status", "400"),
    (":status", "404"),
    (":status", "500"),
    ("accept-charset", ""),
    ("accept-encoding", "gzip, deflate"),
    ("accept-language", ""),
    ("accept-ranges", ""),
    ("accept", ""),
    ("access-control-allow-origin", ""),
    ("age", ""),
    ("allow", ""),
    ("authorization", ""),
    ("cache-control", ""),
    ("content-disposition", ""),
    ("content-encoding", ""),
    ("content-language", ""),
    ("content-length", ""),
    ("content-location", ""),
    ("content-range", ""),
    ("content-type", ""),
    ("cookie", ""),
    ("date", ""),
    ("etag", ""),
    ("expect", ""),
    ("expires", ""),
    ("from", ""),
    ("host", ""),
    ("if-match", ""),
    ("if-modified-since", ""),
    ("if-none-match", ""),
    ("if-range", ""),
    ("if-unmodified-since", ""),
    ("last-modified", ""),
    ("link", ""),
    ("location", ""),
    ("max-forwards", ""),
    ("proxy-authenticate", ""),
    ("proxy-authorization", ""),
    ("range", ""),
    ("referer", ""),
    ("refresh", ""),
    ("retry-after", ""),
    ("server", ""),
    ("set-cookie", ""),
    ("strict-transport-security", ""),
    ("transfer-encoding", ""),
    ("user-agent", ""),
    ("vary", ""),
    ("via", ""),
    ("www-authenticate", ""),
];

/// The first index of a name in the static table.
pub(super) fn static_index(name: &str) -> Option<usize> {
    let place = STATIC.iter().position(|(known, _)| *known == name)?;
    Some(place + 1)
}

/// Both tables of a connection. decoder.rs decodes blocks with them.
#[derive(Debug)]
pub(crate) struct Table {
    /// The newest field first.
    dynamic: VecDeque<Field>,
    /// The fields' sizes.
    size: usize,
    size_max: usize,
}

impl Table {
    pub(super) const fn of_size(size_max: usize) -> Self {
        Self {
            dynamic: VecDeque::new(),
            size: 0,
            size_max,
        }
    }

    /// The field with this index, or `None` if there is none.
    pub(super) fn get(&self, index: usize) -> Option<Field> {
        let place = index.checked_sub(1)?;
        if let Some((name, value)) = STATIC.get(place) {
            let (name, value) = (name.as_bytes(), HeaderValue::from_static(value));
            return Some(Field {
                name: Name::parse(name),
                value: Ok(value),
            });
        }
        self.dynamic.get(place - STATIC.len()).cloned()
    }

    /// The name of the field with this index.
    pub(super) fn name(&self, index: usize) -> Option<Name> {
        let place = index.checked_sub(1)?;
        if let Some((name, _)) = STATIC.get(place) {
            return Some(Name::parse(name.as_bytes()));
        }
        let field = self.dynamic.get(place - STATIC.len())?;
        Some(field.name.clone())
    }

    /// Adds a field, and removes as many old ones as must make room (section 4.4).
    pub(super) fn insert(&mut self, field: Field) {
        let size = field.size();
        self.evict(self.size_max.saturating_sub(size));
        if size <= self.size_max {
            self.size += size;
            self.dynamic.push_front(field);
        }
    }

    /// Changes the size of the dynamic table (section 4.3).
    pub(super) fn resize(&mut self, size_max: usize) {
        self.size_max = size_max;
        self.evict(size_max);
    }

    fn evict(&mut self, size_max: usize) {
        while self.size > size_max
            && let Some(field) = self.dynamic.pop_back()
        {
            self.size -= field.size();
        }
        if self.dynamic.is_empty() {
            self.dynamic = VecDeque::new();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(name: &str, value: &str) -> Field {
        Field::new(Name::parse(name.as_bytes()), value.as_bytes())
    }

    #[test]
    fn the_static_table_is_as_in_appendix_a() {
        let table = Table::of_size(0);
        assert_eq!(table.get(0), None);
        assert_eq!(table.get(3), Some(field(":method", "POST")));
        assert_eq!(
            table.get(16),
            Some(field("accept-encoding", "gzip, deflate"))
        );
        assert_eq!(table.get(61), Some(field("www-authenticate", "")));
        assert_eq!(table.get(62), None);
        assert_eq!(static_index("content-type"), Some(31));
        assert_eq!(static_index("grpc-status"), None);
    }

    #[test]
    fn old_fields_make_room() {
        // Each takes 34 bytes.
        let mut table = Table::of_size(70);
        for name in ["a", "b", "c"] {
            table.insert(field(name, "1"));
        }
        assert_eq!(table.get(62), Some(field("c", "1")));
        assert_eq!(table.name(63), Some(Name::parse(b"b")));
        assert_eq!(table.get(64), None);
        table.resize(67);
        assert_eq!(
            (table.get(62), table.get(63)),
            (Some(field("c", "1")), None)
        );
        // One that is too large empties the table.
        table.insert(field("d", &"1".repeat(40)));
        assert_eq!((table.get(62), table.size), (None, 0));
    }

    #[test]
    fn malformed_fields_keep_their_size() {
        for (name, value, is_name) in [("A", "b", true), (":path2", "b", true), ("a", "b\n", false)]
        {
            let field = field(name, value);
            assert_eq!(field.size(), name.len() + value.len() + FIELD_BYTES);
            assert_eq!(matches!(field.name, Name::Malformed(_)), is_name);
            assert_eq!(field.value.is_err(), !is_name);
        }
    }
}
