use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::{Args as _, Command, FromArgMatches as _};
use hashlane_engine::Kernel;

use super::settings::{SETTINGS, Setting};
use super::*;

fn message(changes: &[(&str, &str)]) -> String {
    Settings::with(changes).unwrap_err().to_string()
}

fn flags(line: &[&str]) -> SettingFlags {
    let command = SettingFlags::augment_args(Command::new("x").no_binary_name(true));
    SettingFlags::from_arg_matches(&command.try_get_matches_from(line).unwrap()).unwrap()
}

fn variables(pairs: &[(&str, &str)]) -> impl Iterator<Item = (OsString, OsString)> {
    let pairs = pairs.iter();
    let pairs: Vec<_> = pairs.map(|(a, b)| (a.into(), b.into())).collect();
    pairs.into_iter()
}

/// A configuration file with `text`, and its temporary directory.
fn file(text: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hashlane.toml");
    std::fs::write(&path, text).unwrap();
    (folder, path)
}

/// The configuration of a single file.
fn of_file(text: &str) -> Result<Config, String> {
    let (folder, path) = file(text);
    let read = Config::read(Some(&path), variables(&[]), &flags(&[]));
    let folder = format!("{}/", folder.path().display());
    read.map_err(|error| error.to_string().replace(&folder, ""))
}

#[test]
fn a_time_has_each_unit_once_and_the_largest_first() {
    let is_time = |text| Settings::with(&[("part_idle_timeout", text)]).is_ok();
    for good in ["5s", "1m 5s", "1m5s", "1500ms"] {
        assert!(is_time(good), "{good}");
    }
    for bad in ["5s5s", "5s 1m", "5", "s", "5x"] {
        assert!(!is_time(bad), "{bad}");
    }
}

#[test]
fn every_default_is_allowed_and_shown_as_it_is_read() {
    let defaults = Settings::default();
    for setting in SETTINGS {
        let mut settings = defaults.clone();
        let text = (setting.show)(&defaults);
        assert!((setting.set)(&mut settings, &text), "{}", setting.name);
        assert_eq!((setting.show)(&settings), text, "{}", setting.name);
        assert!(!(setting.allowed)()[0].is_empty(), "{}", setting.name);
        let about = setting.doc;
        assert!(about.ends_with('.') && !about.contains(". "), "{about}");
    }
    assert_eq!(defaults.listen.unwrap().to_string(), "127.0.0.1:50051");
    assert_eq!(defaults.workers, None);
    assert_eq!(defaults.http2.frame_bytes_max, 128 << 10);
    assert_eq!(defaults.part_bytes_max, 5 << 40);
}

#[test]
fn a_setting_takes_its_own_value_and_no_other() {
    let defaults = Settings::default();
    let shown = |settings: &Settings| -> Vec<_> {
        let all = SETTINGS.iter();
        all.map(|setting| (setting.show)(settings)).collect()
    };
    let words = [
        "false", "true", "json", "sink", "[::1]:7", "/x", "off", "0600",
    ];
    let more = [
        "required",
        "7",
        "700",
        "7KiB",
        "70KiB",
        "2MiB",
        "70MiB",
        "7us",
        "7s",
        "md5:portable",
        "10.0.0.0/8",
        "http://x",
        "0.5",
    ];
    for (at, setting) in SETTINGS.iter().enumerate() {
        let mut expected = shown(&defaults);
        let changed = words.into_iter().chain(more).find_map(|text| {
            let mut settings = defaults.clone();
            let taken = (setting.set)(&mut settings, text) && text == (setting.show)(&settings);
            (taken && text != expected[at]).then_some((text, settings))
        });
        let (text, settings) = changed.unwrap_or_else(|| panic!("{}", setting.name));
        expected[at] = text.to_owned();
        assert_eq!(shown(&settings), expected);
    }
}

#[test]
fn a_bad_value_is_named_with_what_is_allowed() {
    assert_eq!(
        message(&[("workers", "none")]),
        "setting workers: \"none\" (program) is not allowed; allowed: auto or 1 to 1024"
    );
    assert_eq!(
        message(&[("http2.frame_bytes_max", "1KiB")]),
        "setting http2.frame_bytes_max: \"1KiB\" (program) is not allowed; \
         allowed: 16KiB to 16777215B"
    );
    assert_eq!(
        message(&[("linger", "1s")]),
        "setting linger: \"1s\" (program) is not allowed; allowed: 0s to 1ms"
    );
    assert_eq!(
        message(&[("log_format", "xml")]),
        "setting log_format: \"xml\" (program) is not allowed; allowed: text, json"
    );
    assert_eq!(
        message(&[("listenn", "x")]),
        "setting listenn (program): there is no setting of this name; --settings lists all"
    );
    for (name, value) in [
        ("listen", "localhost"),
        ("hashing", "fast"),
        ("drain_timeout", "10"),
        ("part_idle_timeout", "0s"),
        ("kernel", "sha256:avx1024"),
        ("kernel", "portable"),
        ("kernel", "auto,md5:portable"),
        ("kernel", "md5:portable,"),
        ("kernel", ""),
        ("log", "a=b=c"),
        ("log", ""),
        ("log", " , "),
        ("unix_socket_mode", "432"),
        ("unix_socket_mode", "0668"),
        ("unix_socket_mode", "1660"),
        ("workers", "a\nb"),
    ] {
        let text = message(&[(name, value)]);
        assert!(text.contains(name) && text.contains("allowed: "), "{text}");
        assert!(!text.contains('\n'), "{text}");
    }
}

#[test]
fn values_that_do_not_go_together_are_named() {
    let tls = [
        ("tls.listen", "0.0.0.0:1"),
        ("tls.certificate", "/c"),
        ("tls.key", "/k"),
    ];
    let without = |name: &str| -> Vec<_> {
        let others = tls.iter().filter(|(other, _)| *other != name);
        others.copied().collect()
    };
    assert_eq!(
        message(&[("listen", "0.0.0.0:1")]),
        "setting listen: 0.0.0.0:1 is no loopback address, and has no tls: use tls.listen \
         instead, or allow it with insecure=true"
    );
    let ca = ("tls.client_ca", "/ca");
    for (changes, named) in [
        (vec![("listen", "[::]:1")], "setting listen: [::]:1"),
        // TLS on one port does not make another port safe.
        ([&tls[..], &[("listen", "10.0.0.1:2")]].concat(), "listen"),
        // 0.0.0.0 includes the loopback addresses.
        (
            [&tls[..], &[("listen", "127.0.0.1:1")]].concat(),
            "setting listen: has the port of tls.listen; empty it with listen=",
        ),
        (
            [&tls[..], &[("tls.listen", "[::]:50051")]].concat(),
            "setting listen: has the port of tls.listen",
        ),
        (
            [&tls[..], &[("tls.listen", "127.0.0.1:50051")]].concat(),
            "setting listen: has the port of tls.listen",
        ),
        (vec![("listen", "")], "setting listen: empty"),
        (without("tls.certificate"), "setting tls.certificate"),
        (without("tls.key"), "setting tls.key"),
        (
            [&tls[..], &[ca]].concat(),
            "setting tls.client_ca: of no use",
        ),
        (
            [&tls[..], &[("tls.client_crl", "/crl")]].concat(),
            "setting tls.client_crl: of no use",
        ),
        (
            [&tls[..], &[("tls.client_certificates", "optional")]].concat(),
            "setting tls.client_ca: empty",
        ),
        (
            vec![("admin.certificate", "/c")],
            "setting admin.key: empty",
        ),
        (vec![("admin.key", "/k")], "setting admin.key: of no use"),
        (
            vec![("admin.client_ca", "/ca")],
            "setting admin.client_ca: of no use",
        ),
    ] {
        let text = message(&changes);
        assert!(text.contains(named) && !text.contains('\n'), "{text}");
    }
    let all = message(&[("listen", ""), ("admin.key", "/k"), ca]);
    let lines: Vec<_> = all.lines().collect();
    assert_eq!(lines.len(), 3, "{all}");
    assert!(lines[2].starts_with("setting tls.client_ca: "), "{all}");
    for allowed in [
        vec![("listen", "127.9.9.9:1")],
        vec![("listen", "[::1]:1")],
        vec![("listen", "[::ffff:127.0.0.1]:1")],
        vec![("listen", "0.0.0.0:1"), ("insecure", "true")],
        vec![("listen", ""), ("listen_unix", "/x")],
        [&tls[..], &[("listen", "")]].concat(),
        [&tls[..], &[("listen", "[::1]:1")]].concat(),
        [&tls[..], &[("tls.listen", "10.0.0.1:50051")]].concat(),
        [
            &tls[..],
            &[("tls.listen", "0.0.0.0:0"), ("listen", "127.0.0.1:0")],
        ]
        .concat(),
        [&tls[..], &[ca, ("tls.client_certificates", "required")]].concat(),
    ] {
        assert!(Settings::with(&allowed).is_ok(), "{allowed:?}");
    }
}

#[test]
fn a_switch_may_stand_alone() {
    let insecure = |line: &[&str]| {
        let config = Config::read(None, variables(&[]), &flags(line)).unwrap();
        config.settings.insecure
    };
    assert!(insecure(&["--insecure", "--listen", "0.0.0.0:1"]));
    assert!(insecure(&["--insecure=true"]));
    assert!(!insecure(&["--insecure=false"]));
}

#[test]
fn kernels_are_of_this_cpu() {
    let both = Settings::with(&[("kernel", "md5:portable, sha256:portable")]);
    let names: Vec<_> = both.unwrap().kernel.iter().map(Kernel::to_string).collect();
    assert_eq!(names, ["md5:portable", "sha256:portable"]);
    let text = message(&[("kernel", "sha256:abacus")]);
    for kernel in Kernel::all() {
        let name = kernel.to_string();
        let here = kernel.is_available();
        assert_eq!(text.split([' ', ',', ';']).any(|word| word == name), here);
        assert_eq!(Settings::with(&[("kernel", &name)]).is_ok(), here, "{name}");
    }
}

#[test]
fn layers_lie_over_each_other() {
    let (_folder, path) = file(
        "workers = 3\nconnections_max = 7\nlisten = \"[::1]:1\"\n[http2]\nstreams_max = 0x9\n",
    );
    let environment = variables(&[
        ("HASHLANE_CONNECTIONS_MAX", "8"),
        ("HASHLANE_HTTP2__STREAMS_MAX", "10"),
        ("HASHLANE_LISTEN", "[::1]:2"),
    ]);
    let given = flags(&[
        "--set",
        "http2.streams_max=11",
        "--http2-connection-window-bytes-max=2MiB",
    ]);
    let config = Config::read(Some(&path), environment, &given).unwrap();
    let settings = &config.settings;
    assert_eq!(settings.workers, Some(3));
    assert_eq!(settings.connections_max, 8);
    assert_eq!(settings.listen.unwrap().to_string(), "[::1]:2");
    assert_eq!(settings.http2.streams_max, 11);
    assert_eq!(settings.http2.connection_window_bytes_max, 2 << 20);

    let printed = config.to_toml();
    for line in [
        &format!("workers = 3 # {}:1", path.display()),
        "connections_max = 8 # HASHLANE_CONNECTIONS_MAX",
        "listen = \"[::1]:2\" # HASHLANE_LISTEN",
        "admin_listen = \"127.0.0.1:9464\" # default",
        "streams_max = 11 # --set",
        "connection_window_bytes_max = \"2MiB\" # --http2-connection-window-bytes-max",
    ] {
        assert!(printed.lines().any(|l| l == line), "{line}\n{printed}");
    }
}

#[test]
fn of_two_flags_the_last_counts() {
    let streams_max = |line: &[&str]| {
        let config = Config::read(None, variables(&[]), &flags(line)).unwrap();
        config.settings.streams_max
    };
    assert_eq!(streams_max(&["--set=streams_max=1", "--streams-max=2"]), 2);
    assert_eq!(streams_max(&["--streams-max=2", "--set=streams_max=1"]), 1);
    assert_eq!(streams_max(&["--streams-max=2", "--streams-max=3"]), 3);
    assert_eq!(
        streams_max(&["--set=streams_max=1", "--set=streams_max=3"]),
        3
    );
}

#[test]
fn a_value_that_another_hides_is_checked_too() {
    let environment = variables(&[("HASHLANE_WORKERS", "0")]);
    let error = Config::read(None, environment, &flags(&["--workers", "1"])).unwrap_err();
    assert_eq!(
        error.to_string(),
        "setting workers: \"0\" (HASHLANE_WORKERS) is not allowed; allowed: auto or 1 to 1024"
    );
}

#[test]
fn a_flag_is_named_in_errors() {
    let error = |line: &[&str]| {
        let read = Config::read(None, variables(&[]), &flags(line));
        read.unwrap_err().to_string()
    };
    assert_eq!(
        error(&["--http2-streams-max", "0"]),
        "setting http2.streams_max: \"0\" (--http2-streams-max) is not allowed; \
         allowed: 1 to 2147483647"
    );
    assert_eq!(
        error(&["--set", "nothing=0"]),
        "setting nothing (--set): there is no setting of this name; --settings lists all"
    );
}

#[test]
fn unknown_variables_are_told_and_no_error() {
    let environment = variables(&[
        ("HASHLANE_WORKER", "1"),
        ("HASHLANE_CONFIG", "x"),
        ("HASHLANE_WORKERS", "1"),
        ("HASHLANE_SERVICE_HOST", "10.0.0.1"),
        ("HASH", "1"),
    ]);
    let config = Config::read(None, environment, &flags(&[])).unwrap();
    let expected = ["HASHLANE_SERVICE_HOST", "HASHLANE_WORKER"];
    assert_eq!(config.unknown_variables, expected);
    let last = "# HASHLANE_WORKER: no setting has this variable\n";
    assert!(config.to_toml().ends_with(last));
}

#[cfg(unix)]
#[test]
fn a_variable_that_is_no_text_is_not_allowed() {
    use std::os::unix::ffi::OsStringExt as _;
    let pair = (
        "HASHLANE_LISTEN_UNIX".into(),
        OsString::from_vec(vec![b'/', 0xff]),
    );
    let error = Config::read(None, [pair].into_iter(), &flags(&[])).unwrap_err();
    let text = error.to_string();
    assert!(
        text.starts_with("setting listen_unix: \"/\u{fffd}\" (HASHLANE"),
        "{text}"
    );
}

#[test]
fn a_bad_file_is_named_with_its_line() {
    let allowed = "is not allowed; allowed: auto or 1 to 1024";
    let unknown = "there is no setting of this name; --settings lists all";
    for (text, expected) in [
        (
            "# first\nworkers = 0",
            format!("setting workers: \"0\" (hashlane.toml:2) {allowed}"),
        ),
        (
            "workers = \"no\\nne\"",
            format!("setting workers: \"no\\nne\" (hashlane.toml:1) {allowed}"),
        ),
        (
            "workers = [\n 1,\n 2]",
            format!("setting workers: \"[ 1, 2]\" (hashlane.toml:1) {allowed}"),
        ),
        (
            "workers = { a = 1 }",
            format!("setting workers: \"{{ a = 1 }}\" (hashlane.toml:1) {allowed}"),
        ),
        (
            "workers = -1",
            format!("setting workers: \"-1\" (hashlane.toml:1) {allowed}"),
        ),
        (
            "workers = 1.5",
            format!("setting workers: \"1.5\" (hashlane.toml:1) {allowed}"),
        ),
        // All errors, in the order of their lines.
        (
            "workers = 0\nworker = 1\nlog = \"info\"\naworker = 1\n[http2]\nframes = 1",
            format!(
                "setting workers: \"0\" (hashlane.toml:1) {allowed}\n\
                 setting worker (hashlane.toml:2): {unknown}\n\
                 setting aworker (hashlane.toml:4): {unknown}\n\
                 setting http2.frames (hashlane.toml:6): {unknown}"
            ),
        ),
        (
            "[http3]\na = 1",
            format!("setting http3 (hashlane.toml:1): {unknown}"),
        ),
        (
            "[http2]\nstreams_max = 1\nframes = 1",
            format!("setting http2.frames (hashlane.toml:3): {unknown}"),
        ),
        (
            "http2 = 1",
            format!("setting http2 (hashlane.toml:1): {unknown}"),
        ),
    ] {
        assert_eq!(of_file(text).unwrap_err(), expected, "{text:?}");
    }
    for (text, line) in [
        ("\nworkers = ", 2),
        ("workers = 1\nworkers = 2", 2),
        ("\n\n]", 3),
    ] {
        let error = of_file(text).unwrap_err();
        let expected = format!("configuration file hashlane.toml:{line}: ");
        assert!(error.starts_with(&expected), "{error}");
        assert!(
            error.len() > expected.len() && !error.contains('\n'),
            "{error}"
        );
    }
    let missing = Path::new("/nowhere/missing.toml");
    let error = Config::read(Some(missing), variables(&[]), &flags(&[])).unwrap_err();
    let expected = "configuration file /nowhere/missing.toml: No such file";
    assert!(error.to_string().starts_with(expected), "{error}");
}

#[test]
fn what_is_printed_reads_as_the_same_settings() {
    let given = flags(&[
        "--listen-unix=/a \"b\"\\c\u{7}",
        "--log=hashlane_server[{a=\"b\"}]=debug",
        "--kernel=md5:portable,sha256:portable",
        "--linger=0s",
        "--part-idle-timeout=90s",
        "--http2-frame-bytes-max=16777215",
    ]);
    for given in [SettingFlags::default(), given] {
        let config = Config::read(None, variables(&[]), &given).unwrap();
        let again = of_file(&config.to_toml()).unwrap();
        for effect in [Effect::Live, Effect::Start] {
            assert_eq!(config.changes(&again, effect), "");
        }
        assert_eq!(
            format!("{:?}", config.settings),
            format!("{:?}", again.settings)
        );
    }
}

#[test]
fn changes_are_named_with_when_they_take_effect() {
    let read = |line: &[&str]| Config::read(None, variables(&[]), &flags(line)).unwrap();
    let (old, new) = (
        read(&[]),
        read(&["--log=debug", "--http2-streams-max=7", "--linger=0s"]),
    );
    assert_eq!(old.changes(&new, Effect::Live), "log=debug");
    let at_start = "linger=0s, http2.streams_max=7";
    assert_eq!(old.changes(&new, Effect::Start), at_start);
}

#[test]
fn flags_and_variables_are_distinct() {
    for name in [Setting::flag, Setting::variable] {
        let mut names: Vec<_> = SETTINGS.iter().map(name).collect();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), SETTINGS.len());
    }
}

#[test]
fn bounds_that_are_not_set_fit_the_memory_there_is() {
    let root = tempfile::tempdir().unwrap();
    let write = |path: &str, text: &str| {
        let path = root.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    write("proc/self/cgroup", "0::/\n");
    write("sys/fs/cgroup/memory.max", "1073741824\n");
    let read = |line: &[&str]| {
        let mut config = Config::read(None, variables(&[]), &flags(line)).unwrap();
        let fit = config.fit_memory(root.path(), crate::limits::worst_bytes);
        (config, fit)
    };

    let (config, fit) = read(&["--parts-max=1000"]);
    let fit = fit.unwrap();
    assert_eq!(fit.memory_max, "1GiB");
    assert!(fit.from.ends_with("sys/fs/cgroup/memory.max"), "{fit:?}");
    assert!(fit.fits && fit.settings.contains(&"streams_max"), "{fit:?}");
    assert!(!fit.settings.contains(&"parts_max"), "{fit:?}");
    assert!(config.settings.streams_max < Settings::default().streams_max);
    let printed = config.to_toml();
    let line = |name: &str| {
        let mut lines = printed.lines();
        lines
            .find(|line| line.starts_with(name))
            .unwrap()
            .to_owned()
    };
    let streams = line("streams_max");
    assert!(streams.contains(" # made to fit 1GiB ("), "{streams}");
    assert_eq!(line("parts_max"), "parts_max = 1000 # --parts-max");
    assert_eq!(line("memory_max"), "memory_max = \"auto\" # default");

    // An explicit value overrides the cgroup's limit.
    let (config, fit) = read(&["--memory-max=1EiB"]);
    assert_eq!(fit, None);
    assert_eq!(config.settings.streams_max, Settings::default().streams_max);
    let (_, fit) = read(&["--receive-windows-bytes-max=2GiB"]);
    assert!(!fit.unwrap().fits);

    // Without a cgroup limit, the machine's memory counts.
    write("sys/fs/cgroup/memory.max", "max\n");
    assert_eq!(read(&[]).1, None);
    write("proc/meminfo", "MemTotal:        2097152 kB\n");
    let fit = read(&[]).1.unwrap();
    assert_eq!(fit.memory_max, "2GiB");
    assert!(fit.from.ends_with("proc/meminfo") && fit.fits, "{fit:?}");
}
