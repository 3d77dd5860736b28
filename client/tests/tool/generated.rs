//! What is generated from the command line: completions and man pages.

use super::*;

#[test]
fn completions_are_of_every_shell() {
    let folder = folder();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let output = run(folder.path(), &["completions", shell]);
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(
            output.status.success() && text.contains("part-size"),
            "{shell}: {text}"
        );
    }
    // bash takes them, and completes an option with them.
    let script = format!(
        "source <({} completions bash) && COMP_WORDS=(hashlane sum --part) COMP_CWORD=2 && \
         _hashlane hashlane --part sum && printf '%s\\n' \"${{COMPREPLY[@]}}\"",
        env!("CARGO_BIN_EXE_hashlane")
    );
    let bash = Command::new("bash").args(["-c", &script]).output().unwrap();
    check(&bash, 0, "--part-size\n", "");
}

#[test]
fn every_command_has_a_man_page() {
    let folder = folder();
    check(&run(folder.path(), &["man", "pages/man1"]), 0, "", "");
    for (page, text) in [
        ("hashlane.1", "hashlane\\-sum(1)"),
        ("hashlane-sum.1", "part\\-size"),
        ("hashlane-check.1", "ignore\\-missing"),
        ("hashlane-ping.1", "server"),
    ] {
        let page = folder.path().join("pages/man1").join(page);
        let page = std::fs::read_to_string(page).unwrap();
        assert!(page.contains(".TH") && page.contains(text), "{page}");
    }
    std::fs::write(folder.path().join("file"), "").unwrap();
    let output = run(folder.path(), &["man", "file/below"]);
    check(&output, 1, "", "hashlane: file/below: Not a directory\n");
}
