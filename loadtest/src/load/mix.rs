//! A mix of calls: RPCs and algorithms by weight.

use std::fmt;
use std::str::FromStr;

use anyhow::{Context as _, Result, ensure};
use clap::ValueEnum as _;
use hashlane_engine::Algorithm;

use super::algorithms;
use super::sizes::weight_of;
use crate::args::{LoadArgs, Rpc};

/// The most classes of a mix.
const CLASSES_MAX: usize = 32;

/// The classes, as in `digest:sha256=70,verify:md5+sha1=20,batch=10`.
#[derive(Clone, Debug, PartialEq)]
pub struct Mix {
    /// At least one; the sum of their weights is above zero.
    pub(crate) classes: Vec<Class>,
}

/// Calls of one kind.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Class {
    pub(crate) rpc: Rpc,
    /// Digests of every part; none means SHA-256, which messages then do not name.
    pub(crate) algorithms: Vec<Algorithm>,
    pub(crate) weight: f64,
}

impl Class {
    /// The calls of a load without a mix.
    pub(crate) fn of(load: &LoadArgs) -> Self {
        Self {
            rpc: load.rpc,
            algorithms: load.algorithms.clone(),
            weight: 1.0,
        }
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}:{}",
            self.rpc,
            algorithms::names(&self.algorithms).join("+")
        )
    }
}

impl FromStr for Mix {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self> {
        let classes = text.split(',').map(|text| {
            let parsed = class(text);
            parsed.with_context(|| format!("`{text}` is not of the form RPC:ALGORITHM=WEIGHT"))
        });
        let classes = classes.collect::<Result<Vec<_>>>()?;
        ensure!(
            classes.len() <= CLASSES_MAX,
            "at most {CLASSES_MAX} classes"
        );
        let weights: f64 = classes.iter().map(|class| class.weight).sum();
        ensure!(weights > 0.0, "no class has a weight above zero");
        Ok(Self { classes })
    }
}

fn class(text: &str) -> Result<Class> {
    let (name, weight) = text.split_once('=').context("it has no weight")?;
    let weight = weight_of(weight)?;
    let (rpc, algorithms) = match name.split_once(':') {
        Some((rpc, names)) => (rpc, algorithms::parse(names)?),
        None => (name, Vec::new()),
    };
    let rpc = Rpc::from_str(rpc, false).map_err(|_| {
        let names = Rpc::value_variants().iter().map(Rpc::to_string);
        let names: Vec<_> = names.collect();
        anyhow::anyhow!("its RPC is none of {}", names.join(", "))
    })?;
    Ok(Class {
        rpc,
        algorithms,
        weight,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mix_has_rpcs_algorithms_and_weights() {
        let mix: Mix = "digest:sha256=70,verify:md5+sha1=20.5,batch=5,multiplexed:blake3=0"
            .parse()
            .unwrap();
        let names: Vec<_> = mix.classes.iter().map(Class::to_string).collect();
        assert_eq!(
            names,
            [
                "digest:sha256",
                "verify:md5+sha1",
                "batch:sha256",
                "multiplexed:blake3"
            ]
        );
        assert_eq!(
            (mix.classes[1].weight, mix.classes[2].algorithms.len()),
            (20.5, 0)
        );
        for (text, told) in [
            ("", "RPC:ALGORITHM=WEIGHT"),
            ("digest", "no weight"),
            ("digest=-1", "negative"),
            ("digest=0", "above zero"),
            ("digest=x", "no number"),
            ("put=1", "digest, verify, batch, multiplexed"),
            ("digest:md6=1", "md6"),
        ] {
            let error = format!("{:#}", text.parse::<Mix>().unwrap_err());
            assert!(error.contains(told), "{text}: {error}");
        }
    }
}
