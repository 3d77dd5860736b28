//! The format of pprof: [profile.proto][proto], compressed by gzip.
//!
//! [proto]: https://github.com/google/pprof/blob/main/proto/profile.proto

use std::collections::HashMap;
use std::io::{self, Write as _};
use std::time::{Duration, SystemTime};

use flate2::Compression;
use flate2::write::GzEncoder;
use prost::Message;

use super::modules::Modules;

#[derive(Message)]
struct Profile {
    #[prost(message, repeated, tag = "1")]
    sample_type: Vec<ValueType>,
    #[prost(message, repeated, tag = "2")]
    sample: Vec<Sample>,
    #[prost(message, repeated, tag = "3")]
    mapping: Vec<Mapping>,
    #[prost(message, repeated, tag = "4")]
    location: Vec<Location>,
    #[prost(message, repeated, tag = "5")]
    function: Vec<Function>,
    #[prost(string, repeated, tag = "6")]
    string_table: Vec<String>,
    #[prost(int64, tag = "9")]
    time_nanos: i64,
    #[prost(int64, tag = "10")]
    duration_nanos: i64,
    #[prost(message, optional, tag = "11")]
    period_type: Option<ValueType>,
    #[prost(int64, tag = "12")]
    period: i64,
}

/// What a number means; both are places in the table of strings.
#[derive(Clone, Copy, Message)]
struct ValueType {
    #[prost(int64, tag = "1")]
    kind: i64,
    #[prost(int64, tag = "2")]
    unit: i64,
}

#[derive(Message)]
struct Sample {
    /// The innermost first.
    #[prost(uint64, repeated, tag = "1")]
    location_id: Vec<u64>,
    #[prost(int64, repeated, tag = "2")]
    value: Vec<i64>,
}

#[derive(Message)]
struct Mapping {
    #[prost(uint64, tag = "1")]
    id: u64,
    #[prost(uint64, tag = "2")]
    memory_start: u64,
    #[prost(uint64, tag = "3")]
    memory_limit: u64,
    #[prost(uint64, tag = "4")]
    file_offset: u64,
    #[prost(int64, tag = "5")]
    filename: i64,
    #[prost(bool, tag = "7")]
    has_functions: bool,
}

#[derive(Message)]
struct Location {
    #[prost(uint64, tag = "1")]
    id: u64,
    #[prost(uint64, tag = "2")]
    mapping_id: u64,
    #[prost(uint64, tag = "3")]
    address: u64,
    #[prost(message, repeated, tag = "4")]
    line: Vec<Line>,
}

#[derive(Message)]
struct Line {
    #[prost(uint64, tag = "1")]
    function_id: u64,
}

#[derive(Message)]
struct Function {
    #[prost(uint64, tag = "1")]
    id: u64,
    #[prost(int64, tag = "2")]
    name: i64,
}

/// Numbers for things, in the order in which they first came.
#[derive(Default)]
struct Numbers<K>(HashMap<K, u64>);

impl<K: std::hash::Hash + Eq> Numbers<K> {
    /// Its number, from 1 on, and whether it is new.
    fn of(&mut self, key: K) -> (u64, bool) {
        let next = self.0.len() as u64 + 1;
        let number = *self.0.entry(key).or_insert(next);
        (number, number == next)
    }
}

/// What grows as stacks are added.
struct Writer<'a> {
    modules: &'a Modules,
    profile: Profile,
    locations: Numbers<u64>,
    functions: Numbers<&'a str>,
}

impl<'a> Writer<'a> {
    /// Appends a string, and returns its place.
    fn text(&mut self, text: &str) -> i64 {
        self.profile.string_table.push(text.to_owned());
        self.profile.string_table.len() as i64 - 1
    }

    fn value_type(&mut self, kind: &str, unit: &str) -> ValueType {
        ValueType {
            kind: self.text(kind),
            unit: self.text(unit),
        }
    }

    fn location(&mut self, address: u64) -> u64 {
        let (id, is_new) = self.locations.of(address);
        if is_new {
            let name = self.modules.name(address);
            let function = name.map(|name| self.function(name));
            let line = function.map(|function_id| Line { function_id });
            let mappings = &self.modules.mappings;
            let mapping = mappings.iter().position(|m| m.memory.contains(&address));
            self.profile.location.push(Location {
                id,
                mapping_id: mapping.map_or(0, |at| at as u64 + 1),
                address,
                line: line.into_iter().collect(),
            });
        }
        id
    }

    fn function(&mut self, name: &'a str) -> u64 {
        let (id, is_new) = self.functions.of(name);
        if is_new {
            let name = self.text(name);
            self.profile.function.push(Function { id, name });
        }
        id
    }
}

/// Writes `stacks`, which were seen so often, once in so many `nanoseconds` of CPU time.
pub(super) fn write(
    modules: &Modules,
    stacks: &HashMap<Vec<u64>, i64>,
    nanoseconds: u64,
    began: SystemTime,
    lasted: Duration,
) -> io::Result<Vec<u8>> {
    let number = |n: u128| i64::try_from(n).unwrap_or(i64::MAX);
    let period = number(nanoseconds.into());
    let since = began.duration_since(SystemTime::UNIX_EPOCH);
    let mut writer = Writer {
        modules,
        profile: Profile {
            // The first string is empty, by the format.
            string_table: vec![String::new()],
            time_nanos: number(since.unwrap_or_default().as_nanos()),
            duration_nanos: number(lasted.as_nanos()),
            period,
            ..Profile::default()
        },
        locations: Numbers(HashMap::new()),
        functions: Numbers(HashMap::new()),
    };
    let samples = writer.value_type("samples", "count");
    let cpu = writer.value_type("cpu", "nanoseconds");
    writer.profile.sample_type = vec![samples, cpu];
    writer.profile.period_type = Some(cpu);
    for (id, mapping) in (1..).zip(&modules.mappings) {
        let filename = writer.text(&mapping.file);
        writer.profile.mapping.push(Mapping {
            id,
            memory_start: mapping.memory.start,
            memory_limit: mapping.memory.end,
            file_offset: mapping.offset,
            filename,
            has_functions: true,
        });
    }
    for (stack, seen) in stacks {
        let location_id = stack.iter().map(|at| writer.location(*at)).collect();
        writer.profile.sample.push(Sample {
            location_id,
            value: vec![*seen, seen.saturating_mul(period)],
        });
    }
    let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
    gzip.write_all(&writer.profile.encode_to_vec())?;
    gzip.finish()
}
