//! What threads do: the kernel interrupts each so many times a second of its CPU time, and copies
//! its registers and the top of its stack. Nothing runs in the threads themselves.

use std::fs;
use std::io;
use std::thread::sleep;
use std::time::{Duration, Instant};

use perf_event::events::Software;
use perf_event::{Builder, SampleFlag, Sampler};
use rustix::io::Errno;

/// Bytes of a stack that are copied; what is beyond them is missing from its frames.
const STACK_BYTES: u32 = 16 << 10;

/// Bytes of a thread's samples that the kernel keeps until they are read.
const RING_BYTES: usize = 128 << 10;

/// How often they are read: while the ring is far from full.
const TICK: Duration = Duration::from_millis(20);

/// A record that is a sample (perf_event_open(2), `PERF_RECORD_SAMPLE`).
const SAMPLE: u32 = 9;

/// Registers by their numbers in the kernel's `perf_regs.h`, in their order in a sample: the
/// frame pointer, on Arm the link register, the stack pointer, the instruction pointer.
#[cfg(target_arch = "x86_64")]
const REGISTERS: [u64; 3] = [6, 7, 8];
#[cfg(target_arch = "aarch64")]
const REGISTERS: [u64; 4] = [29, 30, 31, 32];

/// One thread at one time.
#[derive(Debug)]
pub(super) struct StackSample<'a> {
    pub(super) registers: [u64; REGISTERS.len()],
    /// From the stack pointer upwards.
    pub(super) stack: &'a [u8],
}

impl<'a> StackSample<'a> {
    /// Reads a record of registers and stack, as `watch` asks for them.
    fn parse(mut bytes: &'a [u8]) -> Option<Self> {
        let mut number = || {
            let (number, rest) = bytes.split_first_chunk()?;
            bytes = rest;
            Some(u64::from_ne_bytes(*number))
        };
        // Without an ABI there are no registers: a thread that had none of its own then.
        let abi = number()?;
        if abi == 0 {
            return None;
        }
        let mut registers = [0; REGISTERS.len()];
        for register in &mut registers {
            *register = number()?;
        }
        let size = usize::try_from(number()?).ok()?;
        let (stack, rest) = bytes.split_at_checked(size)?;
        // How much of it was there to be copied.
        let copied = rest.first_chunk().map(|n| u64::from_ne_bytes(*n))?;
        let stack = stack.get(..usize::try_from(copied).ok()?)?;
        Some(Self { registers, stack })
    }
}

fn watch(thread: i32, frequency: u64) -> io::Result<Sampler> {
    let registers = REGISTERS.iter().fold(0, |mask, bit| mask | 1 << bit);
    let mut sampler = Builder::new(Software::CPU_CLOCK)
        .observe_pid(thread)
        .any_cpu()
        .exclude_kernel(true)
        .exclude_hv(true)
        .sample_frequency(frequency)
        .sample(SampleFlag::REGS_USER | SampleFlag::STACK_USER)
        .sample_regs_user(registers)
        .sample_stack_user(STACK_BYTES)
        .build()?
        .sampled(RING_BYTES)?;
    sampler.enable()?;
    Ok(sampler)
}

/// Hands on what the process's threads do for some `time`.
///
/// # Errors
/// The kernel does not let the process watch itself.
pub(super) fn sample(
    time: Duration,
    frequency: u64,
    mut found: impl FnMut(&StackSample<'_>),
) -> io::Result<()> {
    let mut samplers = Vec::new();
    for entry in fs::read_dir("/proc/self/task")? {
        let name = entry?.file_name();
        let Some(thread) = name.to_str().and_then(|name| name.parse().ok()) else {
            continue;
        };
        match watch(thread, frequency) {
            Ok(sampler) => samplers.push(sampler),
            // It has ended just now.
            Err(error) if error.raw_os_error() == Some(Errno::SRCH.raw_os_error()) => {}
            Err(error) => return Err(error),
        }
    }
    let end = Instant::now() + time;
    let mut is_over = false;
    while !is_over {
        sleep(TICK.min(end.saturating_duration_since(Instant::now())));
        is_over = Instant::now() >= end;
        for sampler in &mut samplers {
            while let Some(record) = sampler.next_record() {
                if record.ty() == SAMPLE
                    && let Some(sample) = StackSample::parse(&record.to_contiguous())
                {
                    found(&sample);
                }
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(numbers: &[u64], stack: &[u8], copied: u64) -> Vec<u8> {
        let size = (stack.len() as u64).to_ne_bytes();
        let numbers: Vec<u8> = numbers.iter().flat_map(|n| n.to_ne_bytes()).collect();
        [&numbers, &size[..], stack, &copied.to_ne_bytes()].concat()
    }

    #[test]
    fn a_record_is_registers_and_as_much_of_the_stack_as_was_copied() {
        let registers: [u64; REGISTERS.len()] = std::array::from_fn(|n| n as u64 + 10);
        let numbers = [&[2][..], &registers].concat();
        let whole = record(&numbers, b"stack...", 5);
        let sample = StackSample::parse(&whole).unwrap();
        assert_eq!(sample.registers, registers);
        assert_eq!(sample.stack, b"stack");
        for bytes in 0..whole.len() {
            assert!(StackSample::parse(&whole[..bytes]).is_none(), "{bytes}");
        }
        assert!(StackSample::parse(&record(&numbers, b"stack...", 9)).is_none());
        assert!(
            StackSample::parse(&record(&[0], b"", 0)).is_none(),
            "no registers"
        );
    }
}
