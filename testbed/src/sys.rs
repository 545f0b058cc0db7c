//! The C calls, and nothing else.
#![allow(unsafe_code)]

use std::fs::File;
use std::io::{Error, Result};
use std::mem::{size_of, zeroed};
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::time::Duration;

use libc::{c_int, c_void, pid_t, socklen_t};

/// In linux/if_packet.h; the crate has no name for it.
const PACKET_IGNORE_OUTGOING: c_int = 23;
/// Bytes that may wait to be read or written.
const ROOM: c_int = 64 << 20;

fn checked(result: c_int) -> Result<c_int> {
    if result < 0 { Err(Error::last_os_error()) } else { Ok(result) }
}

fn set<T>(fd: &OwnedFd, level: c_int, option: c_int, value: &T) -> Result<()> {
    let (pointer, length) = (std::ptr::from_ref(value).cast::<c_void>(), size_of::<T>() as socklen_t);
    // SAFETY: the pointer is to `length` bytes that live through the call.
    checked(unsafe { libc::setsockopt(fd.as_raw_fd(), level, option, pointer, length) }).map(drop)
}

/// All frames that come out of an interface of this namespace, each with what the kernel knows of it; writing sends one in.
pub(crate) fn packets(interface: u32) -> Result<File> {
    let protocol = (libc::ETH_P_ALL as u16).to_be();
    let kind = libc::SOCK_RAW | libc::SOCK_NONBLOCK | libc::SOCK_CLOEXEC;
    // SAFETY: plain numbers; the descriptor is new and nobody else's.
    let fd = unsafe { OwnedFd::from_raw_fd(checked(libc::socket(libc::AF_PACKET, kind, protocol.into()))?) };
    set(&fd, libc::SOL_PACKET, libc::PACKET_VNET_HDR, &1i32)?;
    set(&fd, libc::SOL_PACKET, PACKET_IGNORE_OUTGOING, &1i32)?;
    set(&fd, libc::SOL_SOCKET, libc::SO_RCVBUFFORCE, &ROOM)?;
    set(&fd, libc::SOL_SOCKET, libc::SO_SNDBUFFORCE, &ROOM)?;
    // SAFETY: all zeroes is a valid sockaddr_ll.
    let mut address: libc::sockaddr_ll = unsafe { zeroed() };
    address.sll_family = libc::AF_PACKET as u16;
    address.sll_protocol = protocol;
    address.sll_ifindex = interface as c_int;
    let length = size_of::<libc::sockaddr_ll>() as socklen_t;
    // SAFETY: the address lives through the call and has the length given.
    checked(unsafe { libc::bind(fd.as_raw_fd(), std::ptr::from_ref(&address).cast(), length) })?;
    Ok(File::from(fd))
}

/// Moves this thread into a network namespace.
pub(crate) fn enter(namespace: &File) -> Result<()> {
    // SAFETY: an open descriptor and a flag.
    checked(unsafe { libc::setns(namespace.as_raw_fd(), libc::CLONE_NEWNET) }).map(drop)
}

/// Waits until one of them can be read or has ended, or the time is up; says of each whether it can.
pub(crate) fn wait(on: &[BorrowedFd<'_>], most: Option<Duration>) -> Result<Vec<bool>> {
    let poll = |fd: &BorrowedFd<'_>| libc::pollfd { fd: fd.as_raw_fd(), events: libc::POLLIN, revents: 0 };
    let mut list: Vec<libc::pollfd> = on.iter().map(poll).collect();
    let time =
        most.map(|most| libc::timespec { tv_sec: most.as_secs() as libc::time_t, tv_nsec: most.subsec_nanos().into() });
    let time = time.as_ref().map_or(std::ptr::null(), std::ptr::from_ref);
    // SAFETY: list and time live through the call.
    let result = unsafe { libc::ppoll(list.as_mut_ptr(), list.len() as libc::nfds_t, time, std::ptr::null()) };
    match checked(result) {
        Err(error) if error.kind() != std::io::ErrorKind::Interrupted => Err(error),
        _ => Ok(list.iter().map(|poll| poll.revents != 0).collect()),
    }
}

/// Runs before ordinary processes, and wakes when asked to rather than some time after.
pub(crate) fn hurry(priority: i32) -> Result<()> {
    let parameters = libc::sched_param { sched_priority: priority };
    // SAFETY: plain numbers, and a structure that lives through the call.
    unsafe {
        checked(libc::prctl(libc::PR_SET_TIMERSLACK, 1u64))?;
        checked(libc::sched_setscheduler(0, libc::SCHED_RR, &raw const parameters)).map(drop)
    }
}

/// Sends a process a signal.
pub(crate) fn signal(process: u32, signal: c_int) -> Result<()> {
    // SAFETY: plain numbers.
    checked(unsafe { libc::kill(process as pid_t, signal) }).map(drop)
}

/// Whether this process may do everything.
pub(crate) fn is_root() -> bool {
    // SAFETY: no arguments.
    unsafe { libc::geteuid() == 0 }
}
