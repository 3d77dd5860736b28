//! The tool on a terminal: the bar, colours, Ctrl-C.

use std::fs::File;
use std::io::Read as _;
use std::os::unix::process::ExitStatusExt as _;
use std::process::Child;
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

use super::*;

/// A pseudo-terminal: what is written to it can be read here.
struct Terminal {
    user: File,
    name: String,
}

impl Terminal {
    fn open() -> Self {
        let user = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&user).unwrap();
        unlockpt(&user).unwrap();
        let size = Winsize {
            ws_row: 24,
            ws_col: 100,
            ws_xpixel: 0,
            ws_ypixel: 0,
        };
        tcsetwinsize(&user, size).unwrap();
        let name = ptsname(&user, Vec::new()).unwrap().into_string().unwrap();
        Self {
            user: user.into(),
            name,
        }
    }

    fn side(&self) -> Stdio {
        let side = File::options().read(true).write(true).open(&self.name);
        side.unwrap().into()
    }

    /// What is written, until all processes have closed the other side.
    fn screen(self) -> Screen {
        let (sender, pieces) = channel();
        thread::spawn(move || {
            let mut user = self.user;
            let mut piece = [0; 4096];
            // EIO: the last process that had the other side has ended.
            while let Ok(bytes) = user.read(&mut piece) {
                let text = String::from_utf8_lossy(&piece[..bytes]).into_owned();
                if sender.send(text).is_err() {
                    return;
                }
            }
        });
        Screen {
            pieces,
            text: String::new(),
        }
    }
}

struct Screen {
    pieces: Receiver<String>,
    text: String,
}

impl Screen {
    /// Waits until this is on the screen.
    #[track_caller]
    fn wait_for(&mut self, wanted: &str) {
        let start = Instant::now();
        while !self.text.contains(wanted) {
            // The bar is drawn again and again, so that each piece alone comes soon.
            let left = Duration::from_secs(60).saturating_sub(start.elapsed());
            let piece = self.pieces.recv_timeout(left);
            let piece = piece.unwrap_or_else(|e| panic!("{wanted:?}: {e}: {:?}", self.text));
            self.text.push_str(&piece);
        }
    }

    fn rest(mut self) -> String {
        while let Ok(piece) = self.pieces.recv_timeout(Duration::from_secs(60)) {
            self.text.push_str(&piece);
        }
        self.text
    }
}

fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = tool(folder);
    command.args(arguments).env("TERM", "xterm");
    command.env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE");
    command
}

/// Starts with standard error on a terminal.
fn start(folder: &Path, arguments: &[&str]) -> (Child, Screen) {
    let terminal = Terminal::open();
    let child = command(folder, arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(terminal.side())
        .spawn()
        .unwrap();
    (child, terminal.screen())
}

/// What clears a line.
const CLEARED: &str = "\r\u{1b}[2K";

#[test]
fn the_bar_shows_bytes_and_rate_and_goes() {
    let folder = folder();
    let (mut child, mut screen) = start(folder.path(), &["sum", "-"]);
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(&vec![0; 30_000_000]).unwrap();
    screen.wait_for("30.00 MB");
    screen.wait_for("/s");
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    check(
        &output,
        0,
        &format!("{}  -\n", hex(&vec![0; 30_000_000])),
        "",
    );
    let text = screen.rest();
    assert!(text.ends_with(CLEARED), "{text:?}");
}

#[test]
fn the_bar_tells_the_time_left_once_lengths_are_known() {
    let folder = folder();
    std::fs::write(folder.path().join("a"), vec![0; 10_000]).unwrap();
    let list = format!("{0}  a\n{0}  a\n", hex(&vec![0; 10_000]));
    std::fs::write(folder.path().join("sums"), list).unwrap();
    // Its output is not read, so it lasts as long as this test needs.
    for (command, file) in [("sum", "a"), ("check", "sums")] {
        let arguments = [vec![command], vec![file; 20_000]].concat();
        let (mut child, mut screen) = start(folder.path(), &arguments);
        screen.wait_for("of ");
        screen.wait_for(" left");
        drop(child.stdout.take());
        child.wait().unwrap();
        assert!(screen.rest().ends_with(CLEARED));
    }
}

/// It would wipe out what is typed.
#[test]
fn nothing_is_drawn_where_input_is_typed() {
    let folder = folder();
    for arguments in [["sum", "-"], ["check", "-"]] {
        let terminal = Terminal::open();
        let mut child = command(folder.path(), &arguments)
            .stdin(terminal.side())
            .stdout(Stdio::null())
            .stderr(terminal.side())
            .spawn()
            .unwrap();
        // Longer than it takes for a bar to show.
        thread::sleep(Duration::from_millis(1500));
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(terminal.screen().rest(), "");
    }
}

#[test]
fn nothing_is_drawn_in_a_pipe_or_if_not_wanted() {
    let folder = folder();
    let data = vec![0; 1_000_000];
    let line = format!("{}  -\n", hex(&data));
    // Longer than it takes for a bar to show.
    let feed = |child: &mut Child| {
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(&data).unwrap();
        thread::sleep(Duration::from_millis(1500));
    };
    let (mut child, screen) = start(folder.path(), &["sum", "--no-progress"]);
    feed(&mut child);
    check(&child.wait_with_output().unwrap(), 0, &line, "");
    assert_eq!(screen.rest(), "");
    let mut child = command(folder.path(), &["sum"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    feed(&mut child);
    check(&child.wait_with_output().unwrap(), 0, &line, "");
}

#[test]
fn an_interrupt_leaves_a_clean_line() {
    let folder = folder();
    for signal in [Signal::INT, Signal::TERM] {
        let (mut child, mut screen) = start(folder.path(), &["sum", "-"]);
        // Open until it has ended: at the end of its input it would end by itself.
        let _stdin = child.stdin.take();
        screen.wait_for("B/s");
        kill_process(Pid::from_child(&child), signal).unwrap();
        // A shell reports an interrupt as 130.
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.signal(), Some(signal.as_raw()), "{output:?}");
        let text = screen.rest();
        assert!(text.ends_with(CLEARED), "{text:?}");
    }
    // Without a bar too. (Tests started in the background ignore interrupts.)
    let mut child = tool(folder.path());
    let child = child
        .arg("sum")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    let child = child.stderr(Stdio::piped()).spawn().unwrap();
    kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.signal(), Some(Signal::TERM.as_raw()));
    assert!(
        output.stdout.is_empty() && output.stderr.is_empty(),
        "{output:?}"
    );
}

#[test]
fn verdicts_have_colours_on_a_terminal_only() {
    let folder = folder();
    std::fs::write(folder.path().join("a"), "a").unwrap();
    let list = format!("{}  a\n{}  a\n", hex(b"a"), hex(b"b"));
    std::fs::write(folder.path().join("sums"), list).unwrap();
    let arguments = ["check", "sums"];
    let on_terminal = |variable: Option<(&str, &str)>| {
        let terminal = Terminal::open();
        let child = command(folder.path(), &arguments)
            .envs(variable)
            .stdout(terminal.side())
            .stderr(Stdio::piped())
            .spawn();
        let screen = terminal.screen();
        child.unwrap().wait_with_output().unwrap();
        screen.rest()
    };
    let coloured = on_terminal(None);
    let green = "a: \u{1b}[32mOK\u{1b}[0m\r\n";
    assert!(coloured.starts_with(green), "{coloured:?}");
    assert!(coloured.contains("31mFAILED\u{1b}[0m\r\n"), "{coloured:?}");
    let plain = "a: OK\r\na: FAILED\r\n";
    assert_eq!(on_terminal(Some(("NO_COLOR", "1"))), plain);
    let piped = command(folder.path(), &arguments).output().unwrap();
    let warning = "hashlane: WARNING: 1 computed checksum did NOT match\n";
    check(&piped, 1, "a: OK\na: FAILED\n", warning);
}
