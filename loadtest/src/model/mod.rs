//! `predict`: a simulation of one worker under the loads of `run`.
//!
//! ```text
//! load         the parts, as `run` sends them with the same flags and seed, or a document's
//!   |
//! simulation   in virtual time: client ── wire ──> worker ── hashing (the real engine)
//!   |
//! report       predictions; the same beside measured figures
//! validity     where the model stops being true
//!
//! costs        what is measured of a CPU; kernels has those of the kernels
//! time         virtual time, and what a thread does with it
//! fit          costs from documents of `run`
//! ```
//!
//! The model is the schedule of the server with its real engine, plans and waits. Kernels take the
//! time that the calibration measured; everything else takes the costs of costs.rs.

use std::process::ExitCode;

use anyhow::{Context as _, Result};

use crate::args::PredictArgs;
use crate::document::RunDocument;

mod client;
mod costs;
mod fit;
mod hashing;
mod kernels;
mod load;
mod report;
mod simulation;
mod time;
mod validity;
mod wire;
mod worker;

#[cfg(test)]
mod tests;

use costs::Costs;
use kernels::Kernels;
use load::Load;

/// The command `predict`.
///
/// # Errors
/// A file cannot be read, or names a load or a kernel that the model lacks.
pub fn predict(args: &PredictArgs) -> Result<ExitCode> {
    let costs = args.costs.as_deref().map(Costs::read).transpose()?;
    let costs = costs.unwrap_or_default();
    let kernels = |loads: &[Load]| -> Result<Kernels> {
        let mut algorithms: Vec<_> = loads.iter().flat_map(Load::algorithms).collect();
        algorithms.dedup();
        let kernels = match &args.kernel_rates {
            Some(path) => Kernels::read(path)?,
            None => Kernels::measured(&algorithms),
        };
        kernels.check(&algorithms)?;
        Ok(kernels)
    };
    if args.fit.is_empty() && args.against.is_empty() {
        let loads = Load::all(args);
        report::predictions(&loads, &costs, &kernels(&loads)?)?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut documents = Vec::new();
    for path in args.fit.iter().chain(&args.against) {
        let document = RunDocument::read(path)?;
        let name = path.display().to_string();
        let load = Load::of(&document).with_context(|| format!("the load of {name}"))?;
        documents.push((name, document, load));
    }
    let loads: Vec<_> = documents.iter().map(|(_, _, load)| load.clone()).collect();
    let kernels = kernels(&loads)?;
    if args.fit.is_empty() {
        report::against(&documents, &costs, &kernels)?;
    } else {
        fit::fit(&documents, costs, &kernels)?.print()?;
    }
    Ok(ExitCode::SUCCESS)
}
