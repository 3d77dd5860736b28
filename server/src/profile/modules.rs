//! The program and its libraries, as files: how their stacks are unwound, and what their functions
//! are called.

use std::fs::{self, File};
use std::io;
use std::ops::Range;
use std::sync::Arc;

use framehop::{
    CacheNative, ExplicitModuleSectionInfo, MayAllocateDuringUnwind, Module, UnwindRegsNative,
    Unwinder as _, UnwinderNative,
};
use object::elf::PF_X;
use object::read::elf::ElfFile64;
use object::{
    NativeEndian, Object as _, ObjectSection as _, ObjectSegment as _, ObjectSymbol as _,
    ReadCache, SegmentFlags, SymbolKind,
};

use super::threads::StackSample;

/// Frames of a stack.
const FRAMES_MAX: usize = 256;

/// A part of a file in memory.
#[derive(Debug)]
pub(super) struct MappedFile {
    pub(super) file: String,
    pub(super) memory: Range<u64>,
    pub(super) offset: u64,
}

impl MappedFile {
    /// Reads a line of `/proc/self/maps`, if it is of code.
    fn parse(line: &str) -> Option<Self> {
        let mut fields = line.split_ascii_whitespace();
        let (start, end) = fields.next()?.split_once('-')?;
        let is_code = fields.next()?.contains('x');
        let hex = |text: &str| u64::from_str_radix(text, 16).ok();
        let offset = hex(fields.next()?)?;
        let file = fields.nth(2).filter(|file| file.starts_with('/'))?;
        is_code.then_some(Self {
            file: file.to_owned(),
            memory: hex(start)?..hex(end)?,
            offset,
        })
    }
}

/// All that is mapped.
pub(super) struct Modules {
    pub(super) mappings: Vec<MappedFile>,
    functions: Vec<Functions>,
    unwinder: UnwinderNative<Arc<[u8]>, MayAllocateDuringUnwind>,
    cache: CacheNative<MayAllocateDuringUnwind>,
}

/// Those of a file.
struct Functions {
    memory: Range<u64>,
    /// Where each begins in memory, its length if that is known, and its name; in this order.
    functions: Vec<(u64, u64, String)>,
}

impl Modules {
    /// Reads what is mapped now.
    ///
    /// # Errors
    /// The kernel does not say what is mapped.
    pub(super) fn read() -> io::Result<Self> {
        let maps = fs::read_to_string("/proc/self/maps")?;
        let mappings: Vec<_> = maps.lines().filter_map(MappedFile::parse).collect();
        let mut modules = Self {
            mappings: Vec::new(),
            functions: Vec::new(),
            unwinder: UnwinderNative::new(),
            cache: CacheNative::new(),
        };
        for mapping in &mappings {
            // One that cannot be read any more has no names.
            modules.add(mapping);
        }
        modules.mappings = mappings;
        Ok(modules)
    }

    fn add(&mut self, mapping: &MappedFile) -> Option<()> {
        // Of the program's own file, which may be large, only what is needed.
        let bytes = ReadCache::new(File::open(&mapping.file).ok()?);
        let file = ElfFile64::<NativeEndian, _>::parse(&bytes).ok()?;
        let length = mapping.memory.end - mapping.memory.start;
        // Its code is one segment, which lies in the mapping: that says where addresses in the
        // file are in memory.
        let code = file.segments().find(|segment| {
            let flags = segment.flags();
            let is_code =
                matches!(flags, SegmentFlags::Elf { p_flags, .. } if p_flags & PF_X == PF_X);
            let (start, _) = segment.file_range();
            is_code && (mapping.offset..mapping.offset + length).contains(&start)
        })?;
        let in_memory = mapping.memory.start + (code.file_range().0 - mapping.offset);
        let base = in_memory.checked_sub(code.address())?;
        let section = |name: &str| {
            let section = file.section_by_name(name)?;
            let range = section.address()..section.address() + section.size();
            Some((range, Arc::<[u8]>::from(section.data().ok()?)))
        };
        let mut sections = ExplicitModuleSectionInfo::default();
        (sections.text_svma, sections.text) = section(".text").unzip();
        (sections.eh_frame_svma, sections.eh_frame) = section(".eh_frame").unzip();
        (sections.eh_frame_hdr_svma, sections.eh_frame_hdr) = section(".eh_frame_hdr").unzip();
        let memory = mapping.memory.clone();
        let module = Module::new(mapping.file.clone(), memory.clone(), base, sections);
        self.unwinder.add_module(module);
        let symbols = file.symbols().chain(file.dynamic_symbols());
        let functions = symbols.filter(|symbol| symbol.kind() == SymbolKind::Text);
        let mut functions: Vec<_> = functions
            .filter_map(|symbol| {
                let name = rustc_demangle::demangle(symbol.name().ok()?);
                let start = symbol.address().wrapping_add(base);
                Some((start, symbol.size(), format!("{name:#}")))
            })
            .collect();
        functions.sort();
        self.functions.push(Functions { memory, functions });
        Some(())
    }

    /// The addresses of a sample's frames, the innermost first: of the instruction, and of the
    /// calls that led there.
    pub(super) fn unwind(&mut self, sample: &StackSample<'_>) -> Vec<u64> {
        #[cfg(target_arch = "x86_64")]
        let (ip, sp, registers) = {
            let [bp, sp, ip] = sample.registers;
            (ip, sp, UnwindRegsNative::new(ip, sp, bp))
        };
        #[cfg(target_arch = "aarch64")]
        let (ip, sp, registers) = {
            let [fp, lr, sp, ip] = sample.registers;
            (ip, sp, UnwindRegsNative::new(lr, sp, fp))
        };
        let mut read = |address: u64| {
            let at = usize::try_from(address.checked_sub(sp).ok_or(())?).map_err(|_| ())?;
            let word = sample.stack.get(at..).and_then(<[u8]>::first_chunk);
            word.map(|word| u64::from_ne_bytes(*word)).ok_or(())
        };
        let mut frames = self
            .unwinder
            .iter_frames(ip, registers, &mut self.cache, &mut read);
        let mut addresses = Vec::new();
        while addresses.len() < FRAMES_MAX
            && let Ok(Some(frame)) = frames.next()
        {
            addresses.push(frame.address_for_lookup());
        }
        addresses
    }

    /// The function at an address.
    pub(super) fn name(&self, address: u64) -> Option<&str> {
        let module = self
            .functions
            .iter()
            .find(|m| m.memory.contains(&address))?;
        let next = module
            .functions
            .partition_point(|(start, ..)| *start <= address);
        let (start, size, name) = module.functions.get(next.checked_sub(1)?)?;
        (*size == 0 || address < start + size).then_some(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_of_this_program_have_their_names() {
        let modules = Modules::read().unwrap();
        // As a number without a cast, which clippy has against functions.
        let address = format!("{:p}", MappedFile::parse as fn(&str) -> Option<MappedFile>);
        let address = u64::from_str_radix(address.trim_start_matches("0x"), 16).unwrap();
        let name = modules.name(address).unwrap();
        assert!(
            name.contains("MappedFile") && name.contains("parse"),
            "{name}"
        );
        assert_eq!(modules.name(0), None);
    }

    #[test]
    fn only_code_of_files_is_read() {
        let file = "7f00-7f10 r-xp 00001000 fd:00 1234   /usr/lib/libc.so.6";
        let mapping = MappedFile::parse(file).unwrap();
        assert_eq!((mapping.memory, mapping.offset), (0x7f00..0x7f10, 0x1000));
        assert_eq!(mapping.file, "/usr/lib/libc.so.6");
        for other in [
            "7f00-7f10 r--p 00000000 fd:00 1234   /usr/lib/libc.so.6",
            "7f00-7f10 rw-p 00000000 00:00 0",
            "7f00-7f10 r-xp 00000000 00:00 0      [vdso]",
            "",
        ] {
            assert!(MappedFile::parse(other).is_none(), "{other}");
        }
    }
}
