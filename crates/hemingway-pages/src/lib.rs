//! An allocator that asks the system for large pages where much memory is wanted at once.
//!
//! Rows that are visited in a shuffled order lie on another page each. With pages of 4 KiB the processor must look up where
//! almost every one of them is; with pages of 2 MiB it knows. Where Linux is set to `madvise` (in
//! `/sys/kernel/mm/transparent_hugepage/enabled`) it gives those to whoever asks; set to `always` it gives them anyway. The system's own allocator can ask
//! too, but only if it is told so before the program starts (`GLIBC_TUNABLES=glibc.malloc.hugetlb=1`).
//!
//! ```
//! use hemingway_pages::LargePages;
//!
//! #[global_allocator]
//! static ALLOCATOR: LargePages = LargePages;
//!
//! let rows = vec![1.0; 10_000_000];
//! assert_eq!(rows.iter().sum::<f64>(), 1e7);
//! ```
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};

/// The system's allocator, and a request for large pages for everything that fills at least one.
#[derive(Debug, Clone, Copy, Default)]
pub struct LargePages;

// SAFETY: all memory is the system's, handed on as it is; advice changes neither what it holds nor whose it is.
unsafe impl GlobalAlloc for LargePages {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promises.
        advised(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promises.
        advised(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as the caller promises.
        advised(unsafe { System.realloc(memory, layout, size) }, size)
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[cfg(target_os = "linux")]
#[inline]
fn advised(memory: *mut u8, size: usize) -> *mut u8 {
    if size >= linux::LEAST && !memory.is_null() {
        linux::advise(memory, size);
    }
    memory
}

#[cfg(not(target_os = "linux"))]
#[inline]
fn advised(memory: *mut u8, _size: usize) -> *mut u8 {
    memory
}

#[cfg(target_os = "linux")]
mod linux {
    /// Bytes from which on there is something to gain: one whole page of 2 MiB, wherever they begin.
    pub(super) const LEAST: usize = 4 << 20;

    /// Asks for large pages in place of all small ones that it touches. A system that has none refuses, and nothing is lost.
    ///
    /// Of all: the kernel moves memory that grows only where all of it was given the same advice, and a vector that cannot
    /// be moved is copied, for which it needs twice its size.
    #[cold]
    pub(super) fn advise(memory: *mut u8, size: usize) {
        // SAFETY: asks for a constant of the system.
        let Ok(page) = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }) else { return };
        let before = memory.addr() % page;
        let length = (before + size).next_multiple_of(page);
        // SAFETY: this advice changes nothing of what is on the pages, be it what was just allocated or a neighbour's at
        // either end.
        unsafe { libc::madvise(memory.wrapping_sub(before).cast(), length, libc::MADV_HUGEPAGE) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LARGE: usize = 64 << 20;

    fn bytes(size: usize) -> Layout {
        Layout::from_size_align(size, 8).expect("a valid layout")
    }

    #[test]
    fn memory_is_as_the_system_gives_it_through_growing_and_shrinking() {
        // SAFETY: every pointer is used with the layout that it was last given, and within its size.
        unsafe {
            let small = LargePages.alloc(bytes(64));
            small.write_bytes(7, 64);
            let grown = LargePages.realloc(small, bytes(64), LARGE);
            assert!((0..64).all(|k| *grown.add(k) == 7));
            grown.add(LARGE - 1).write(9);
            let shrunk = LargePages.realloc(grown, bytes(LARGE), 32);
            assert!((0..32).all(|k| *shrunk.add(k) == 7));
            LargePages.dealloc(shrunk, bytes(32));
            let zeroed = LargePages.alloc_zeroed(bytes(LARGE));
            assert!((0..LARGE).step_by(4096).all(|k| *zeroed.add(k) == 0));
            LargePages.dealloc(zeroed, bytes(LARGE));
        }
    }

    /// Half of it is never touched, so that a copy would show.
    #[cfg(target_os = "linux")]
    #[test]
    fn memory_that_grows_is_moved_and_not_copied() {
        let peak = || {
            let status = std::fs::read_to_string("/proc/self/status").expect("Linux tells of its processes");
            let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("the most it ever held");
            1024 * line.trim().trim_end_matches(" kB").parse::<usize>().expect("a number")
        };
        let size = 8 * LARGE;
        // SAFETY: as above.
        let (before, after) = unsafe {
            let memory = LargePages.alloc(bytes(size));
            memory.write_bytes(1, size);
            let before = peak();
            let grown = LargePages.realloc(memory, bytes(size), 2 * size);
            let after = peak();
            LargePages.dealloc(grown, bytes(2 * size));
            (before, after)
        };
        assert!(after < before + size / 2, "{before} bytes at the most before, {after} after");
    }

    /// The kernel keeps `hg` among the flags of what it was asked for.
    #[cfg(target_os = "linux")]
    #[test]
    fn linux_is_asked_for_large_pages() {
        if !std::fs::exists("/sys/kernel/mm/transparent_hugepage").unwrap_or(false) {
            eprintln!("this system knows no large pages: nothing to see");
            return;
        }
        // SAFETY: as above.
        let flags = unsafe {
            let memory = LargePages.alloc(bytes(LARGE));
            let flags = flags(memory as usize + LARGE / 2);
            LargePages.dealloc(memory, bytes(LARGE));
            flags
        };
        assert!(flags.split(' ').any(|flag| flag == "hg"), "flags: {flags}");
    }

    /// Flags of the memory that holds an address.
    #[cfg(target_os = "linux")]
    fn flags(address: usize) -> String {
        let map = std::fs::read_to_string("/proc/self/smaps").expect("Linux tells of its maps");
        let holds = |line: &str| {
            let (first, last) = line.split(' ').next()?.split_once('-')?;
            let [first, last] = [first, last].map(|end| usize::from_str_radix(end, 16).ok());
            Some((first?..last?).contains(&address))
        };
        let mut lines = map.lines().skip_while(|line| holds(line) != Some(true));
        lines.find_map(|line| line.strip_prefix("VmFlags: ")).expect("flags of every map").to_string()
    }
}
