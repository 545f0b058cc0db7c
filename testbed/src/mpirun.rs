//! MPI programs across the hosts of a bed: `mpirun` (OpenMPI) at the front, daemons by the control network, bytes by the
//! data network.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use crate::bed::{note, standing};
use crate::ip;
use crate::layout::Layout;

/// A program on so many ranks, dealt to hosts in turn.
#[derive(Debug, Clone)]
pub struct Job {
    /// n.
    pub ranks: usize,
    /// Further settings of OpenMPI's components, as `--mca NAME VALUE` gives them.
    pub mca: Vec<(String, String)>,
    /// The program and what it is given.
    pub words: Vec<OsString>,
}

impl Job {
    /// The command that runs it on this bed; `program` is `testbed` itself.
    pub fn command(&self, program: &Path, layout: &Layout) -> Result<Command> {
        ensure!(self.ranks > 0, "-n 0: at least one rank is needed");
        ensure!(!self.words.is_empty(), "no program to run: testbed run -n 4 -- PROGRAM");
        let hosts = note(&layout.name, "hosts");
        let lines = (0..layout.hosts).map(|k| format!("{} slots=1\n", ip::control_address(k)));
        std::fs::write(&hosts, lines.collect::<String>())
            .with_context(|| format!("cannot write {}", hosts.display()))?;
        let agent = format!("{} agent {}", program.display(), layout.name);
        let mut command = ip::inside(&ip::front(&layout.name));
        command.args(["mpirun", "--allow-run-as-root", "--oversubscribe", "--map-by", "node", "--bind-to", "none"]);
        command.arg("-n").arg(self.ranks.to_string()).arg("--hostfile").arg(&hosts);
        let settings = [
            ("plm", "rsh"),
            ("plm_rsh_agent", &agent),
            ("plm_rsh_no_tree_spawn", "1"),
            ("btl", "self,tcp"),
            ("btl_tcp_if_include", "10.77.0.0/24"),
            ("oob_tcp_if_include", "10.78.0.0/24"),
            ("mpi_yield_when_idle", "1"),
        ];
        let own = self.mca.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        for (name, value) in settings.into_iter().chain(own) {
            command.args(["--mca", name, value]);
        }
        command.args(&self.words);
        Ok(command)
    }
}

/// Becomes `mpirun`: signals and the exit code are its own.
pub fn run(name: &str, job: &Job) -> Result<()> {
    ip::check_rights()?;
    let Some(standing) = standing(name)? else { bail!("no testbed named {name} stands: testbed up --name {name}") };
    let error = job.command(&std::env::current_exe()?, &standing.layout)?.exec();
    Err(error).context("cannot start `ip netns exec`")
}

/// Becomes a shell on one of the hosts: what `mpirun` takes for `ssh HOST COMMAND`.
pub fn agent(name: &str, words: &[String]) -> Result<()> {
    let mut words = words.iter().skip_while(|word| word.starts_with('-'));
    let address = words.next().context("agent: no host")?;
    let host = ip::host_at(address).with_context(|| format!("agent: {address} is no host of the testbed"))?;
    let line = words.map(String::as_str).collect::<Vec<_>>().join(" ");
    // Ranks with the same host name would talk through memory.
    let script = format!("echo {} >/proc/sys/kernel/hostname && exec sh -c \"$0\"", ip::host(name, host));
    let error = ip::inside(&ip::host(name, host)).args(["unshare", "-u", "sh", "-c", &script, &line]).exec();
    Err(error).context("cannot start `ip netns exec`")
}
