//! Assigns cores and the client of a comparison.

use anyhow::{Context as _, Result, ensure};

use crate::args::{ClientName, CompareArgs, LoadArgs, RoundsArgs, Rpc, Setup};
use crate::servers::compared_modes::FLOOR;
use crate::system::cpus::Cpus;

/// Congestion control of the saturating client. A loopback needs no pacing, and a timer for every
/// burst would be the most expensive part of the client.
const CONGESTION: &str = "reno";

/// Completes the flags of `args` by those of its set-up, and returns the client.
///
/// # Errors
/// This process has one CPU where two are needed, or a mode has no client.
pub(crate) fn arrange(args: &mut CompareArgs) -> Result<ClientName> {
    let client = args.client.unwrap_or(match args.setup {
        Setup::Mixed => ClientName::Hyper,
        Setup::Saturated => ClientName::Prepared,
    });
    ensure!(
        client == ClientName::Prepared || !args.modes.contains(&FLOOR),
        "the mode floor wants --client prepared: only that client needs nobody's answers"
    );
    ensure!(
        client == ClientName::Hyper || args.load.rpc == Rpc::Digest,
        "the prepared client calls Digest and nothing else"
    );
    if args.setup == Setup::Saturated {
        keep_apart(&mut args.rounds, &mut args.load)?;
        let congestion = &mut args.load.tcp_congestion;
        congestion.get_or_insert_with(|| CONGESTION.to_owned());
    }
    Ok(client)
}

/// Gives the server the first CPU and the load the second, unless flags say otherwise.
///
/// # Errors
/// This process has only one CPU.
pub(crate) fn keep_apart(rounds: &mut RoundsArgs, load: &mut LoadArgs) -> Result<()> {
    let cpus = Cpus::allowed()?;
    let needs = "server and load on CPUs of their own need two of them";
    let mut single = cpus.singles();
    let (first, second) = (single.next(), single.next());
    rounds.pin_server = Some(rounds.pin_server.take().or(first).context(needs)?);
    load.pin_client = Some(load.pin_client.take().or(second).context(needs)?);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Cli, Command};
    use clap::Parser as _;

    fn arrangement(flags: &str) -> Result<(CompareArgs, ClientName)> {
        let line = ["x", "compare"].into_iter().chain(flags.split_whitespace());
        match Cli::try_parse_from(line)?.command {
            Some(Command::Compare(mut args)) => {
                let client = arrange(&mut args)?;
                Ok((args, client))
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn mixed_leaves_cores_and_client_as_they_were() {
        let (mixed, client) = arrangement("").unwrap();
        assert_eq!(client, ClientName::Hyper);
        let pinned = (&mixed.rounds.pin_server, &mixed.load.pin_client);
        assert_eq!(pinned, (&None, &None));
        assert_eq!(mixed.load.tcp_congestion, None);
        assert!(arrangement("--modes floor").is_err());
        assert!(arrangement("--modes floor --client prepared").is_ok());
    }

    #[test]
    fn saturated_keeps_server_and_client_apart() {
        let flags = "--setup saturated --pin-server 7 --pin-client 9 --tcp-congestion cubic";
        let (given, client) = arrangement(flags).unwrap();
        assert_eq!(client, ClientName::Prepared);
        let cpu = |cpus: &Option<Cpus>| cpus.as_ref().unwrap().to_string();
        assert_eq!(cpu(&given.rounds.pin_server), "7");
        assert_eq!(cpu(&given.load.pin_client), "9");
        assert_eq!(given.load.tcp_congestion.as_deref(), Some("cubic"));
        if Cpus::allowed().unwrap().singles().count() > 1 {
            let (saturated, _) = arrangement("--setup saturated").unwrap();
            assert_ne!(saturated.rounds.pin_server, saturated.load.pin_client);
            assert_eq!(saturated.load.tcp_congestion.as_deref(), Some("reno"));
        }
        assert!(arrangement("--setup saturated --rpc verify").is_err());
    }
}
