//! The command `report`: its page has the figures of the documents, and bad input gives no page.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use hashlane_loadtest::page;
use hashlane_loadtest::results::document::{RunDocument, Second};
use serde_json::Value;

#[path = "support/recorder.rs"]
mod recorder;

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures")
        .join(name)
}

fn read(names: &[&str]) -> Vec<RunDocument> {
    let read = |name: &&str| RunDocument::read(&fixture(name)).unwrap();
    names.iter().map(read).collect()
}

/// Writes the fixtures: `cargo test -p hashlane-loadtest --test report -- --ignored`.
#[test]
#[ignore = "writes files"]
fn write_fixtures() {
    for (name, run) in [
        ("before.json", recorder::stopped_server("before", 1, 1.3)),
        ("after.json", recorder::stopped_server("after", 2, 1.0)),
        ("lone.json", recorder::lone_stream()),
    ] {
        let text = serde_json::to_string(&run).unwrap();
        std::fs::write(fixture(name), text + "\n").unwrap();
    }
}

/// A figure of a page.
struct Shown {
    run: usize,
    at: String,
    exact: String,
    text: String,
}

/// All figures of a page, and the other `data`.
fn shown(page: &str) -> Vec<Shown> {
    let figures = page.split("<data ").skip(1).filter_map(|rest| {
        let (attributes, rest) = rest.split_once('>').unwrap();
        let (text, _) = rest.split_once("</data>").unwrap();
        let of = |name: &str| {
            let (_, rest) = attributes.split_once(&format!("{name}=\""))?;
            Some(unescaped(rest.split_once('"')?.0))
        };
        Some(Shown {
            run: of("data-run")?.parse().unwrap(),
            at: of("data-at")?,
            exact: of("value")?,
            text: unescaped(text),
        })
    });
    figures.collect()
}

fn unescaped(text: &str) -> String {
    let text = text
        .replace("&#34;", "\"")
        .replace("&#39;", "'")
        .replace("&#60;", "<")
        .replace("&#62;", ">");
    text.replace("&#38;", "&")
}

/// The number that a text says, in the unit of the document.
fn said(text: &str) -> Option<f64> {
    let figure: String = text
        .chars()
        .take_while(|c| c.is_ascii_digit() || "-,.".contains(*c))
        .collect();
    let unit = text[figure.len()..].trim();
    let factor = match unit {
        "%" => 0.01,
        "kB" => 1e3,
        "MB" => 1e6,
        "GB" if figure.is_empty() => return None,
        "TB" => 1e12,
        _ => 1.0,
    };
    Some(figure.replace(',', "").parse::<f64>().ok()? * factor)
}

fn leaves(value: &Value, at: &str, found: &mut BTreeMap<String, Value>) {
    let step = |name: &str| name.replace('~', "~0").replace('/', "~1");
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                leaves(value, &format!("{at}/{}", step(name)), found);
            }
        }
        Value::Array(values) => {
            for (index, value) in values.iter().enumerate() {
                leaves(value, &format!("{at}/{index}"), found);
            }
        }
        Value::Null => {}
        leaf => {
            found.insert(at.to_owned(), leaf.clone());
        }
    }
}

#[test]
fn figures_of_the_page_are_those_of_the_documents() {
    for names in [
        &["before.json"][..],
        &["lone.json"],
        &["before.json", "after.json", "lone.json"],
    ] {
        let documents = read(names);
        let page = page::render(&documents).unwrap();
        let shown = shown(&page);
        for (index, document) in documents.iter().enumerate() {
            let json = serde_json::to_value(document).unwrap();
            let mut seen = BTreeSet::new();
            for figure in shown.iter().filter(|figure| figure.run == index) {
                let (at, text) = (&figure.at, &figure.text);
                let value = json
                    .pointer(at)
                    .unwrap_or_else(|| panic!("{at} is nowhere"));
                match value {
                    Value::Number(number) => {
                        let number = number.as_f64().unwrap();
                        let exact: f64 = figure.exact.parse().unwrap();
                        assert_eq!(exact.to_bits(), number.to_bits(), "{at}");
                        // GB are a unit of the document for some figures, and of text for others.
                        let said = said(text).unwrap();
                        let bytes = at.contains("bytes") && text.ends_with("GB");
                        let said = if bytes { said * 1e9 } else { said };
                        let off = (said - number).abs();
                        assert!(
                            off <= number.abs() * 0.005_01,
                            "{at}: {number} is shown as {text}"
                        );
                    }
                    Value::String(string) => {
                        assert_eq!((string, string), (&figure.exact, text), "{at}")
                    }
                    Value::Bool(yes) => assert_eq!(text, if *yes { "yes" } else { "no" }, "{at}"),
                    other => assert_eq!(figure.exact, other.to_string(), "{at}"),
                }
                seen.insert(at.as_str());
            }
            // Everything that was measured is somewhere.
            let mut all = BTreeMap::new();
            leaves(&json, "", &mut all);
            for at in all.keys() {
                let elsewhere = [
                    "histogram_ns",
                    "/kind",
                    "/version",
                    "response_buckets",
                    "/is_bottleneck",
                    "/passed",
                ];
                let list = at.rsplit_once('/').map(|(list, _)| list);
                let found = seen.contains(at.as_str())
                    || list.is_some_and(|list| seen.contains(list))
                    || elsewhere.iter().any(|part| at.contains(part));
                assert!(found, "{at} is not on the page of {names:?}");
            }
        }
    }
}

#[test]
fn a_heat_map_has_a_cell_for_each_bucket_that_has_parts() {
    let documents = read(&["before.json"]);
    let page = page::render(&documents).unwrap();
    let card = page.split("id=\"heat-1\"").nth(1).unwrap();
    let svg = card.split("</svg>").next().unwrap();
    let cells: usize = documents[0]
        .seconds_series
        .iter()
        .map(|second| second.response_buckets.len())
        .sum();
    assert_eq!(svg.matches("<rect ").count(), cells);
    // The same counts, in the table.
    let table = card
        .split("<table>")
        .nth(1)
        .unwrap()
        .split("</table>")
        .next()
        .unwrap();
    let first: &Second = &documents[0].seconds_series[0];
    let (upper_ms, count) = first.response_buckets[0];
    assert!(
        table.contains(&format!("{upper_ms:.3}: {count}")),
        "{table:.400}"
    );
}

#[test]
fn a_page_is_one_file_that_loads_and_runs_nothing() {
    let page = page::render(&read(&["before.json", "after.json"])).unwrap();
    for forbidden in [
        "<script",
        "<link",
        "<img",
        "src=",
        "href=",
        "url(",
        "@import",
        "http-equiv=\"refresh",
    ] {
        assert!(!page.contains(forbidden), "{forbidden}");
    }
    for svg in page.split("<svg ").skip(1) {
        let (open, rest) = svg.split_once('>').unwrap();
        assert!(
            open.contains("role=\"img\"") && open.contains("aria-labelledby"),
            "{open}"
        );
        assert!(rest.starts_with("<title id="), "{rest:.80}");
    }
    let ids: Vec<_> = page
        .split(" id=\"")
        .skip(1)
        .map(|rest| rest.split('"').next().unwrap())
        .collect();
    let different: BTreeSet<_> = ids.iter().collect();
    assert_eq!(different.len(), ids.len(), "{ids:?}");
}

#[test]
fn texts_of_documents_are_texts_on_the_page() {
    let evil = "</title></svg><script>alert(1)</script>\"'&";
    let mut run = read(&["before.json"]).remove(0);
    run.label = Some(evil.into());
    run.workload.rate = evil.into();
    run.machine.cpu_model = evil.into();
    run.command = vec![evil.into()];
    run.settings.insert(evil.into(), evil.into());
    run.errors.insert(evil.into(), 1);
    run.client.is_bottleneck = true;
    run.client.why = vec![evil.into()];
    run.thresholds[0].text = evil.into();
    run.workload.classes[0].name = evil.into();
    let server = run.server.as_mut().unwrap();
    let kernel = server.kernels["md5:avx512x16"].clone();
    server.kernels.insert(evil.into(), kernel);
    server.build_info.insert(evil.into(), evil.into());
    for second in &mut run.seconds_series {
        second
            .server
            .as_mut()
            .unwrap()
            .kernels
            .insert(evil.into(), 0.5);
    }
    for runs in [&[run.clone()][..], &[run.clone(), run.clone()]] {
        let page = page::render(runs).unwrap();
        assert!(!page.contains("<script"));
        assert!(page.contains("&#60;script&#62;"));
    }
}

#[test]
fn the_least_documents_have_a_page() {
    let empty = RunDocument::parse(r#"{"kind":"run","version":1}"#).unwrap();
    let page = page::render(&[empty.clone(), empty.clone()]).unwrap();
    assert!(page.contains("2 runs side by side") && !page.contains("NaN") && !page.contains("inf"));
    assert!(page::render(&[]).is_err());
    assert!(page::render(&vec![empty; page::RUNS_MAX + 1]).is_err());
}

#[test]
fn a_long_run_has_a_page_of_bounded_charts() {
    let mut run = read(&["before.json"]).remove(0);
    let seconds = run.seconds_series.clone();
    run.seconds_series = (0..3600)
        .map(|index| Second {
            at_s: f64::from(index) + 1.0,
            ..seconds[index as usize % seconds.len()].clone()
        })
        .collect();
    let page = page::render(&[run]).unwrap();
    let heat = page
        .split("id=\"heat-1\"")
        .nth(1)
        .unwrap()
        .split("<details")
        .next()
        .unwrap();
    assert!(heat.matches("<rect ").count() < 2 * 120 * 40);
}

fn report(arguments: &[&Path], output: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hashlane-loadtest"));
    command
        .arg("report")
        .args(arguments)
        .arg("--output")
        .arg(output);
    command.output().unwrap()
}

#[test]
fn the_command_writes_the_page() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("page.html");
    let done = report(&[&fixture("before.json"), &fixture("after.json")], &output);
    assert_eq!(done.status.code(), Some(0), "{done:?}");
    let page = std::fs::read_to_string(&output).unwrap();
    assert_eq!(
        page,
        page::render(&read(&["before.json", "after.json"])).unwrap()
    );
}

#[test]
fn bad_input_gives_one_line_and_no_page() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let good = fixture("before.json");
    let output = folder.path().join("page.html");
    let mut broken = read(&["before.json"]).remove(0);
    broken.response_time.histogram_ns = "AAAA".into();
    for (bad, says) in [
        (folder.path().join("none.json"), "cannot read"),
        (file("text.json", "what?"), "is no run's document"),
        (file("empty.json", ""), "is no run's document"),
        (
            file("kind.json", r#"{"kind":"summary","version":1}"#),
            "its kind is `summary`",
        ),
        (
            file("new.json", r#"{"kind":"run","version":9}"#),
            "its version is 9",
        ),
        (
            file("half.json", r#"{"kind":"run","version":1,"#),
            "is no run's document",
        ),
        (
            file("histogram.json", &serde_json::to_string(&broken).unwrap()),
            "histogram",
        ),
    ] {
        let done = report(&[&good, &bad], &output);
        let said = String::from_utf8(done.stderr).unwrap();
        assert_eq!(done.status.code(), Some(2), "{said}");
        assert!(said.contains(says) && said.lines().count() == 1, "{said}");
        assert!(!output.exists() && done.stdout.is_empty(), "{said}");
    }
    let many = vec![good.as_path(); page::RUNS_MAX + 1];
    assert_eq!(report(&many, &output).status.code(), Some(2));
    let nowhere = report(&[&good], &folder.path().join("none/page.html"));
    assert_eq!(nowhere.status.code(), Some(2), "{nowhere:?}");
    assert!(!output.exists());
}
