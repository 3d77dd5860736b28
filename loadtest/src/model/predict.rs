//! The subcommand `predict`.

use std::process::ExitCode;

use anyhow::{Context as _, Result};

use super::costs::Costs;
use super::fit;
use super::kernel_costs::Kernels;
use super::predictions;
use super::simulated_load::Load;
use crate::args::PredictArgs;
use crate::results::document::RunDocument;

/// The command `predict`.
///
/// # Errors
/// A file cannot be read, or names a load or a kernel that the model lacks.
pub fn predict(args: &PredictArgs) -> Result<ExitCode> {
    let costs = args.costs.as_deref().map(Costs::read).transpose()?;
    let costs = costs.unwrap_or_default();
    let kernels = |loads: &[Load]| -> Result<Kernels> {
        let mut algorithms: Vec<_> = loads.iter().flat_map(Load::algorithms).copied().collect();
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
        predictions::predictions(&loads, &costs, &kernels(&loads)?)?;
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
        predictions::against(&documents, &costs, &kernels)?;
    } else {
        fit::fit(&documents, costs, &kernels)?.print()?;
    }
    Ok(ExitCode::SUCCESS)
}
