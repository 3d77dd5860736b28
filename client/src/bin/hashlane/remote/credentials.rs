//! A client with the root certificates, certificate and token of the options.

use std::path::{Path, PathBuf};

use hashlane_client::{Builder, Client};

use crate::args::Server;
use crate::tasks::{Stop, plain};

/// The environment variable with the token, if no file is given.
const TOKEN_VARIABLE: &str = "HASHLANE_TOKEN";

/// A client builder for `server`, with the root certificates and credentials from its options.
pub(crate) fn builder(server: &Server) -> Result<Builder, Stop> {
    let read = |path: &PathBuf| {
        std::fs::read(path)
            .map_err(|error| Stop::Trouble(format!("{}: {}", path.display(), plain(&error))))
    };
    let mut builder = Client::builder();
    if let Some(ca) = &server.ca {
        builder = builder.ca(read(ca)?);
    }
    if let (Some(cert), Some(key)) = (&server.cert, &server.key) {
        builder = builder.certificate(read(cert)?, read(key)?);
    }
    let token = match &server.token_file {
        Some(path) => Some(text_of(path, read(path)?)?),
        None => token_of_environment()?,
    };
    if let Some(token) = token {
        builder = builder.token(token.trim_end());
    }
    Ok(builder.token_in_clear(server.token_in_clear))
}

/// The token. `None` if the variable is empty, as for a secret that was never set.
fn token_of_environment() -> Result<Option<String>, Stop> {
    let Some(token) = std::env::var_os(TOKEN_VARIABLE).filter(|token| !token.is_empty()) else {
        return Ok(None);
    };
    let token = token.into_string();
    let wrong = |_| Stop::Trouble(format!("{TOKEN_VARIABLE}: not a token"));
    token.map(Some).map_err(wrong)
}

fn text_of(path: &Path, bytes: Vec<u8>) -> Result<String, Stop> {
    let wrong = |_| Stop::Trouble(format!("{}: not a token", path.display()));
    String::from_utf8(bytes).map_err(wrong)
}
