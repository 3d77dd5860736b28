//! `sum -r`: folders, links, and files that are not regular.

use std::os::unix::fs::symlink;

use rustix::fs::{CWD, FileType, Mode, mknodat};

use super::*;

/// A folder with everything that a folder may hold.
fn tree() -> TempDir {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    std::fs::create_dir_all(at("d/b/empty")).unwrap();
    for name in ["d/c", "d/a", "d/b/z", "d/b/y", "d/b.x", "outside"] {
        std::fs::write(at(name), name).unwrap();
    }
    symlink(at("outside"), at("d/link")).unwrap();
    symlink(at("d"), at("d/b/loop")).unwrap();
    // It has no writer: opening it would wait for ever.
    mknodat(CWD, at("d/pipe"), FileType::Fifo, Mode::RWXU, 0).unwrap();
    folder
}

fn lines(names: &[&str]) -> String {
    let line = |name: &&str| {
        let content = name.replace("//", "/").replace("./", "");
        format!("{}  {name}\n", hex(content.as_bytes()))
    };
    names.iter().map(line).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn folders_are_digested_in_the_order_of_names() {
    let fake = Fake::start(Behaviour::Honest).await;
    let folder = tree();
    let folder = folder.path();
    let found = ["d/a", "d/b/y", "d/b/z", "d/b.x", "d/c"];
    for place in places(&fake.url) {
        let sum = [vec!["sum", "-r", "d"], place.clone()].concat();
        check(&run(folder, &sum), 0, &lines(&found), "");
        // With files and other folders, in the order of the arguments.
        let sum = [vec!["sum", "-r", "outside", "d/b", "d/a"], place.clone()].concat();
        let some = ["outside", "d/b/y", "d/b/z", "d/a"];
        check(&run(folder, &sum), 0, &lines(&some), "");
        // Without -r, a folder is a file that cannot be read.
        let sum = [vec!["sum", "d", "outside"], place].concat();
        let told = "hashlane: d: Is a directory\n";
        check(&run(folder, &sum), 1, &lines(&["outside"]), told);
    }
    let output = run(folder, &["sum", "-r", "d/"]);
    check(&output, 0, &lines(&found), "");
    let here = [
        "./d/a",
        "./d/b/y",
        "./d/b/z",
        "./d/b.x",
        "./d/c",
        "./outside",
    ];
    check(&run(folder, &["sum", "-r", "."]), 0, &lines(&here), "");
}

#[tokio::test(flavor = "multi_thread")]
async fn links_are_followed_if_asked_and_what_fails_stops_nothing() {
    let fake = Fake::start(Behaviour::Honest).await;
    let folder = tree();
    let folder = folder.path();
    symlink(folder.join("nowhere"), folder.join("d/broken")).unwrap();
    let found = ["d/a", "d/b/y", "d/b/z", "d/b.x", "d/c"];
    let lines = lines(&found) + &format!("{}  d/link\n", hex(b"outside"));
    let told = "hashlane: d/b/loop: a loop of links: it leads back to d\n\
                hashlane: d/broken: No such file or directory\n\
                hashlane: none: No such file or directory\n";
    for place in places(&fake.url) {
        let sum = [vec!["sum", "-r", "-L", "d", "none"], place].concat();
        check(&run(folder, &sum), 1, &lines, told);
    }
    let alone = run(folder, &["sum", "-L", "d"]);
    assert_eq!(alone.status.code(), Some(2), "{alone:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn many_files_in_folders_are_digested_with_few_descriptors() {
    let fake = Fake::start(Behaviour::Honest).await;
    let folder = folder();
    let mut expected = String::new();
    for i in 0..300 {
        let name = format!("d/{:02}/{i:03}", i / 10);
        std::fs::create_dir_all(folder.path().join(&name).parent().unwrap()).unwrap();
        std::fs::write(folder.path().join(&name), &name).unwrap();
        expected.push_str(&format!("{}  {name}\n", hex(name.as_bytes())));
    }
    let on_server = format!("--server {}", fake.url);
    for (limit, options) in [(16, ""), (16, "--jobs 4096"), (20, &on_server)] {
        let line = format!(
            "ulimit -n {limit} && exec {} sum -r {options} d",
            env!("CARGO_BIN_EXE_hashlane")
        );
        let output = Command::new("sh")
            .args(["-c", &line])
            .current_dir(folder.path())
            .stdin(Stdio::null())
            .output();
        check(&output.unwrap(), 0, &expected, "");
    }
}
