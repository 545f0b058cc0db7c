//! Namespaces and interfaces, by `ip` of iproute2.

use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};

use crate::layout::Layout;
use crate::sys;

/// Every namespace of every bed begins like this.
const PREFIX: &str = "hwbed";
/// Where `ip netns` keeps names.
const NAMES: &str = "/run/netns";

/// The namespace of the bridge, the far ends of all interfaces, and `mpirun`.
pub(crate) fn front(bed: &str) -> String {
    format!("{PREFIX}-{bed}-front")
}

/// The namespace of a host.
pub(crate) fn host(bed: &str, host: usize) -> String {
    format!("{PREFIX}-{bed}-{host}")
}

/// The file that stands for a namespace.
pub(crate) fn path(namespace: &str) -> PathBuf {
    Path::new(NAMES).join(namespace)
}

/// The far end of a host's data interface.
pub(crate) fn data_port(host: usize) -> String {
    format!("data{host}")
}

/// A host's address on the network that is shaped.
pub(crate) fn data_address(host: usize) -> String {
    format!("10.77.0.{}", host + 1)
}

/// A host's address on the network by which programs are started.
pub(crate) fn control_address(host: usize) -> String {
    format!("10.78.0.{}", host + 1)
}

/// The host of an address on either network.
pub(crate) fn host_at(address: &str) -> Option<usize> {
    let last = address.strip_prefix("10.78.0.").or_else(|| address.strip_prefix("10.77.0."))?;
    last.parse::<usize>().ok()?.checked_sub(1)
}

/// Says what is missing, before anything is tried.
pub(crate) fn check_rights() -> Result<()> {
    ensure!(sys::is_root(), "network namespaces need root: run this as root (sudo)");
    match Command::new("ip").arg("-V").stdout(Stdio::null()).stderr(Stdio::null()).status() {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            bail!("`ip` is missing: install iproute2 (apt-get install iproute2)")
        }
        Err(error) => Err(error).context("cannot start `ip`"),
        Ok(_) => Ok(()),
    }
}

/// Runs `ip` with these arguments.
fn ip(arguments: &[&str]) -> Result<String> {
    let run = Command::new("ip").args(arguments).stdin(Stdio::null()).output().context("cannot start `ip`")?;
    let said = String::from_utf8_lossy(&run.stderr);
    ensure!(run.status.success(), "ip {}: {}", arguments.join(" "), said.trim());
    Ok(String::from_utf8_lossy(&run.stdout).into_owned())
}

/// Runs many commands of `ip` at once inside a namespace.
fn batch(namespace: &str, commands: &[String]) -> Result<()> {
    let mut ip = Command::new("ip")
        .args(["-netns", namespace, "-batch", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .context("cannot start `ip`")?;
    if let Some(mut input) = ip.stdin.take() {
        input.write_all(commands.join("\n").as_bytes()).context("cannot speak to `ip`")?;
    }
    let run = ip.wait_with_output()?;
    ensure!(run.status.success(), "ip -netns {namespace}: {}", String::from_utf8_lossy(&run.stderr).trim());
    Ok(())
}

/// A command inside a namespace.
pub(crate) fn inside(namespace: &str) -> Command {
    let mut command = Command::new("ip");
    command.args(["netns", "exec", namespace]);
    command
}

/// The kernel's number of an interface in the namespace of this process.
pub(crate) fn index(interface: &str) -> Result<u32> {
    let lines = ip(&["-o", "link", "show", "dev", interface])?;
    let number = lines.split(':').next().and_then(|number| number.trim().parse().ok());
    number.with_context(|| format!("`ip link` gave no number for {interface}"))
}

/// Makes all namespaces, interfaces and addresses of a bed.
pub(crate) fn make(layout: &Layout) -> Result<()> {
    let front = front(&layout.name);
    ip(&["netns", "add", &front]).context("cannot make network namespaces here")?;
    let mut at_front: Vec<String> = [
        "link set lo up",
        "link add bridge type bridge",
        "address add 10.78.0.254/24 dev bridge",
        "link set bridge up",
    ]
    .map(String::from)
    .to_vec();
    for k in 0..layout.hosts {
        let host = host(&layout.name, k);
        ip(&["netns", "add", &host])?;
        let port = data_port(k);
        at_front.extend([
            format!("link add control{k} type veth peer name control netns {host}"),
            format!("link set control{k} master bridge up"),
            format!("link add {port} type veth peer name data netns {host}"),
            format!("link set {port} up"),
        ]);
    }
    quiet(&front)?;
    batch(&front, &at_front)?;
    (0..layout.hosts).try_for_each(|k| furnish(layout, k))
}

/// Brings the interfaces of one host up.
fn furnish(layout: &Layout, k: usize) -> Result<()> {
    let host = host(&layout.name, k);
    quiet(&host)?;
    let mut commands = vec![
        "link set lo up".to_string(),
        format!("address add {}/24 dev control", control_address(k)),
        format!("address add {}/24 dev data", data_address(k)),
        "link set control up".into(),
        "link set data up".into(),
    ];
    if layout.loss.iter().any(|(lossy, _)| *lossy == k) {
        // One frame, one segment: else a single throw of the dice loses dozens of them.
        commands.insert(0, "link set data gso_max_segs 1".into());
    }
    batch(&host, &commands)
}

/// No chatter of IPv6, and connections that do not start slowly again after every pause, as on any cluster that is tuned.
fn quiet(namespace: &str) -> Result<()> {
    let script = "echo 1 >/proc/sys/net/ipv6/conf/all/disable_ipv6; echo 1 >/proc/sys/net/ipv6/conf/default/disable_ipv6; \
                  echo 0 >/proc/sys/net/ipv4/tcp_slow_start_after_idle";
    let run = inside(namespace).args(["sh", "-c", script]).stdin(Stdio::null()).output()?;
    ensure!(run.status.success(), "cannot tune {namespace}: {}", String::from_utf8_lossy(&run.stderr).trim());
    Ok(())
}

/// The namespaces of a bed that are there.
pub(crate) fn namespaces(bed: &str) -> Vec<String> {
    let Ok(entries) = fs::read_dir(NAMES) else { return Vec::new() };
    let begins = format!("{PREFIX}-{bed}-");
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    names.filter(|name| name.starts_with(&begins)).collect()
}

/// Removes all namespaces of a bed, the interfaces in them and whatever runs there; says how many there were.
pub(crate) fn remove(bed: &str) -> Result<usize> {
    let names = namespaces(bed);
    for name in &names {
        for process in ip(&["netns", "pids", name]).unwrap_or_default().lines().filter_map(|line| line.parse().ok()) {
            if process != std::process::id() {
                // It may have ended by itself.
                let _ = sys::signal(process, libc::SIGKILL);
            }
        }
    }
    for name in &names {
        if let Err(error) = ip(&["netns", "delete", name])
            && path(name).exists()
        {
            return Err(error);
        }
    }
    Ok(names.len())
}
