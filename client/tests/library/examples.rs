//! The examples run, and the README has the same code.

use crate::support::{Behaviour, Fake};

macro_rules! examples {
    ($($name:ident = $path:literal;)*) => {
        $(
            // Its `main` is for readers who run the example.
            #[allow(dead_code)]
            #[path = $path]
            mod $name;

            #[tokio::test]
            async fn $name() {
                let fake = Fake::start(Behaviour::Honest).await;
                self::$name::run(&fake.url).await.unwrap();
                // `servers` names several endpoints.
                if cfg!(feature = "embedded") && stringify!($name) != "servers" {
                    self::$name::run("embedded:").await.unwrap();
                }
            }
        )*

        const SOURCES: &[&str] = &[$(include_str!($path)),*];
    };
}

examples! {
    digest = "../../examples/digest.rs";
    verify = "../../examples/verify.rs";
    sources = "../../examples/sources.rs";
    servers = "../../examples/servers.rs";
    stream = "../../examples/stream.rs";
    multipart = "../../examples/multipart.rs";
}

#[test]
fn the_readme_has_the_examples() {
    let readme = include_str!("../../README.md");
    let blocks: Vec<_> = readme.split("```rust,no_run\n").skip(1).collect();
    assert_eq!(blocks.len(), SOURCES.len());
    for block in blocks {
        let (code, _) = block.split_once("```").unwrap();
        assert!(
            SOURCES.iter().any(|source| source.contains(code)),
            "no example of client/examples has this:\n{code}"
        );
    }
}
