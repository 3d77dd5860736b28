//! The checked-in Rust and descriptor set are what the `.proto` gives.

use std::{fs, path::Path};

use prost::Message as _;

const GENERATED: [&str; 2] = ["hashlane.v1.rs", "hashlane.v1.bin"];

/// Generates both files into `out`.
fn generate(out: &Path) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let descriptors = protox::Compiler::new([root])
        .expect("the include path is readable")
        .include_source_info(true)
        .include_imports(true)
        .open_files(["hashlane/v1/hash_service.proto"])
        .unwrap_or_else(|error| panic!("{error}"))
        .file_descriptor_set();
    fs::write(out.join("hashlane.v1.bin"), descriptors.encode_to_vec()).expect("writable");
    tonic_prost_build::configure()
        .bytes(".")
        .build_transport(false)
        .out_dir(out)
        .compile_fds(descriptors)
        .expect("the descriptor set compiles");
}

#[test]
fn generated_files_are_current() {
    let checked_in = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/generated");
    if std::env::var_os("HASHLANE_REGENERATE").is_some() {
        generate(&checked_in);
    }
    let fresh = tempfile::tempdir().expect("a temporary folder");
    generate(fresh.path());
    for name in GENERATED {
        let want = fs::read(fresh.path().join(name)).expect("generated");
        let have = fs::read(checked_in.join(name)).unwrap_or_default();
        assert!(
            want == have,
            "{name} is stale: run HASHLANE_REGENERATE=1 cargo test -p hashlane-proto"
        );
    }
}

/// Without these protoc writes neither Go nor Java that anybody could import.
#[test]
fn go_and_java_have_packages() {
    let files = prost_types::FileDescriptorSet::decode(hashlane_proto::FILE_DESCRIPTOR_SET);
    let file = files.expect("valid").file.into_iter().last();
    let options = file.and_then(|file| file.options).unwrap_or_default();
    let go = "github.com/hashlane/hashlane/client/go/hashlanev1;hashlanev1";
    assert_eq!(options.go_package(), go);
    assert_eq!(options.java_package(), "io.github.hashlane.v1");
    assert!(options.java_multiple_files());
}
