//! Writes instructions: ordered operations with registers and memory operands.

use std::{collections::HashMap, fmt::Write as _};

use super::{
    Plan,
    schedule::{Place, folded, interleave, makes_value, schedule, uses},
    trace::{Body, Kind, Operation},
};

/// Bytes fetched by one prefetch.
const CACHE_LINE: usize = 64;

/// Lanes whose prefetches one jump skips.
const PREFETCHED_LANES: usize = 4;

/// Assigns registers to values and writes instructions.
struct Emitter<'a> {
    plan: &'a Plan,
    text: String,
}

impl Emitter<'_> {
    fn line(&mut self, line: &str) {
        writeln!(self.text, "    {line}").expect("a string");
    }

    /// Writes `order`, which has operations of `body` (false) and of `next` (true), and spreads
    /// `prefetches` among them.
    fn emit(
        &mut self,
        body: &Body,
        next: &[Operation],
        order: &[(bool, Place)],
        prefetches: &[&[usize]],
    ) {
        let list =
            |is_next: bool| -> &[Operation] { if is_next { next } else { &body.operations } };
        let uses = uses(body, next);
        let folded = folded(body, &uses);
        let words = self.plan.state_words;
        // The register of each value, and its remaining uses.
        let mut place = HashMap::<(bool, usize, usize), usize>::new();
        let mut left = HashMap::<(bool, usize, usize), usize>::new();
        let mut free: Vec<usize> = (0..32).collect();
        for group in 0..self.plan.groups {
            for (id, operation) in body.operations.iter().enumerate() {
                if let Kind::State(i) = operation.kind
                    && i < words
                {
                    place.insert((false, group, id), group * words + i);
                    left.insert(
                        (false, group, id),
                        uses.get(&(false, id)).copied().unwrap_or(0),
                    );
                    free.retain(|register| *register != group * words + i);
                }
            }
        }
        let mut prefetched = 0;
        for (done, &(is_next, (group, id))) in order.iter().enumerate() {
            while prefetched * order.len() < done * prefetches.len() {
                self.prefetch(prefetches[prefetched]);
                prefetched += 1;
            }
            let operation = &list(is_next)[id];
            if !is_next && folded[id] {
                continue;
            }
            let is_folded = |source: &usize| !is_next && folded[*source];
            // Sources: registers, and at most one memory operand, which comes last.
            let mut sources: Vec<usize> = operation.sources.clone();
            let mut table = if let Kind::Ternary(table) = operation.kind {
                table
            } else {
                0
            };
            if let Some(at) = sources.iter().position(&is_folded) {
                let last = sources.len() - 1;
                if at != last {
                    sources.swap(at, last);
                    table = swapped(table, at, last);
                }
            }
            let registers = sources.iter().filter(|source| !is_folded(source)).count();
            // The sources that have their last use here.
            let mut dying = vec![false; registers];
            for i in 0..registers {
                let uses = left
                    .get_mut(&(is_next, group, sources[i]))
                    .expect("made before");
                *uses -= 1;
                dying[i] = *uses == 0;
            }
            let register =
                |place: &HashMap<_, usize>, source: usize| place[&(is_next, group, source)];
            let mut copy = None;
            if matches!(operation.kind, Kind::Ternary(_)) {
                // The instruction overwrites its first source.
                match dying.iter().position(|dying| *dying) {
                    Some(0) => {}
                    Some(at) => {
                        sources.swap(0, at);
                        dying.swap(0, at);
                        table = swapped(table, 0, at);
                    }
                    None => copy = Some(register(&place, sources[0])),
                }
            }
            let operands: Vec<String> = sources
                .iter()
                .map(|source| {
                    if is_folded(source) {
                        self.memory(body.operations[*source].kind, group)
                    } else {
                        format!("zmm{}", register(&place, *source))
                    }
                })
                .collect();
            let mut reuse = None;
            for (i, source) in sources[..registers].iter().enumerate() {
                if dying[i] {
                    let register = place.remove(&(is_next, group, *source)).expect("placed");
                    free.push(register);
                    reuse = reuse.or(Some(register));
                }
            }
            let to = if makes_value(operation.kind) {
                let to = reuse.unwrap_or_else(|| {
                    assert!(!free.is_empty(), "{}: too few registers", self.plan.file);
                    free[0]
                });
                free.retain(|register| *register != to);
                place.insert((is_next, group, id), to);
                left.insert(
                    (is_next, group, id),
                    uses.get(&(is_next, id)).copied().unwrap_or(0),
                );
                to
            } else {
                usize::MAX
            };
            if let Some(from) = copy {
                self.line(&format!("vmovdqa64 zmm{to}, zmm{from}"));
            }
            let s = self.plan.suffix;
            let line = match operation.kind {
                Kind::Nothing | Kind::State(_) | Kind::Splat(_) | Kind::Park(_) => {
                    unreachable!("folded")
                }
                Kind::Word(_) => {
                    format!("vmovdqa64 zmm{to}, {}", self.memory(operation.kind, group))
                }
                Kind::SetWord(_) | Kind::SetNext(_) | Kind::SetPark(_) => {
                    format!(
                        "vmovdqa64 {}, {}",
                        self.memory(operation.kind, group),
                        operands[0]
                    )
                }
                Kind::Add => format!("vpadd{s} zmm{to}, {}, {}", operands[0], operands[1]),
                Kind::Xor => format!("vpxor{s} zmm{to}, {}, {}", operands[0], operands[1]),
                Kind::Rotr(bits) => format!("vpror{s} zmm{to}, {}, {bits}", operands[0]),
                Kind::Rotl(bits) => format!("vprol{s} zmm{to}, {}, {bits}", operands[0]),
                Kind::Shr(bits) => format!("vpsrl{s} zmm{to}, {}, {bits}", operands[0]),
                Kind::Ternary(_) => {
                    format!(
                        "vpternlog{s} zmm{to}, {}, {}, {table:#04x}",
                        operands[1], operands[2]
                    )
                }
                Kind::Row(lane, at) => {
                    self.pointer(group, lane);
                    format!("vmovdqu64 ymm{to}, ymmword ptr [rax + r8 + {at}]")
                }
                Kind::Insert(lane, at) => {
                    self.pointer(group, lane);
                    format!(
                        "vinserti64x4 zmm{to}, {}, ymmword ptr [rax + r8 + {at}], 1",
                        operands[0]
                    )
                }
                Kind::Two(name) => format!("{name} zmm{to}, {}, {}", operands[0], operands[1]),
                Kind::Quarters(which) => {
                    format!(
                        "vshufi64x2 zmm{to}, {}, {}, {which:#04x}",
                        operands[0], operands[1]
                    )
                }
                Kind::Swap => format!("vpshufb zmm{to}, {}, zmmword ptr [r11]", operands[0]),
            };
            self.line(&line);
        }
        assert_eq!(prefetched, prefetches.len(), "spread over the body");
        // Moves every word of the state to the register that the next body expects.
        let mut moves: Vec<(usize, usize)> = Vec::new();
        for group in 0..self.plan.groups {
            for (i, value) in body.state.iter().enumerate() {
                let from = place[&(false, group, *value)];
                if from != group * words + i {
                    moves.push((group * words + i, from));
                }
            }
        }
        while !moves.is_empty() {
            let ready = moves
                .iter()
                .position(|(to, _)| moves.iter().all(|(_, from)| from != to));
            let at = ready.expect("no body exchanges words of the state");
            let (to, from) = moves.swap_remove(at);
            self.line(&format!("vmovdqa64 zmm{to}, zmm{from}"));
        }
    }

    /// Prefetches the block at r15 for each of `lanes`, unless it is beyond the end. No value is
    /// kept in flags or `rax` between two operations.
    fn prefetch(&mut self, lanes: &[usize]) {
        self.line("cmp r15, r12");
        self.line("jae 4f");
        for lane in lanes {
            self.line(&format!("mov rax, qword ptr [rsi + {}]", 8 * lane));
            for line in (0..16 * self.plan.word_bytes).step_by(CACHE_LINE) {
                self.line(&format!("prefetcht0 byte ptr [rax + r15 + {line}]"));
            }
        }
        self.text.push_str("4:\n");
    }

    fn pointer(&mut self, group: usize, lane: usize) {
        let lanes = 64 / self.plan.word_bytes;
        self.line(&format!(
            "mov rax, qword ptr [rsi + {}]",
            8 * (group * lanes + lane)
        ));
    }

    /// The address of an operand.
    fn memory(&self, kind: Kind, group: usize) -> String {
        match kind {
            Kind::Splat(word) => {
                let at = self
                    .plan
                    .constants
                    .iter()
                    .position(|constant| *constant == word);
                let at = at.expect("a constant of the hash") * self.plan.word_bytes;
                let (size, times) = if self.plan.word_bytes == 4 {
                    ("dword", 16)
                } else {
                    ("qword", 8)
                };
                format!("{size} ptr [r10 + {at}]{{1to{times}}}")
            }
            Kind::Word(slot) | Kind::SetWord(slot) => {
                format!("zmmword ptr [rdx + {}]", 64 * (16 * group + slot))
            }
            Kind::SetNext(slot) => format!("zmmword ptr [r9 + {}]", 64 * (16 * group + slot)),
            Kind::Park(i) | Kind::SetPark(i) => {
                format!("zmmword ptr [rdi + {}]", 64 * (8 * group + i))
            }
            _ => unreachable!("not in memory"),
        }
    }
}

/// The truth table of a function with arguments `i` and `j` swapped.
fn swapped(table: i32, i: usize, j: usize) -> i32 {
    (0..8)
        .filter(|index| {
            let mut bits = [index >> 2 & 1, index >> 1 & 1, index & 1];
            bits.swap(i, j);
            table >> (4 * bits[0] + 2 * bits[1] + bits[2]) & 1 == 1
        })
        .map(|index| 1 << index)
        .sum()
}

/// Writes the whole kernel.
pub(super) fn generate(plan: &Plan) -> String {
    let mut emitter = Emitter {
        plan,
        text: String::new(),
    };
    let nothing = Body {
        operations: Vec::new(),
        state: Vec::new(),
        times: 1,
    };
    emitter.line("xor r8d, r8d");
    let first: Vec<(bool, Place)> = (0..plan.groups)
        .flat_map(|group| (0..plan.next.len()).map(move |operation| (true, (group, operation))))
        .collect();
    emitter.emit(&nothing, &plan.next, &first, &[]);
    let lanes: Vec<usize> = (0..plan.groups * 64 / plan.word_bytes).collect();
    let prefetches: Vec<&[usize]> = lanes.chunks(PREFETCHED_LANES).collect();
    for group in 0..plan.groups {
        for i in 0..plan.state_words {
            let from = emitter.memory(Kind::Park(i), group);
            emitter.line(&format!(
                "vmovdqa64 zmm{}, {from}",
                group * plan.state_words + i
            ));
        }
    }
    // A block.
    emitter.text.push_str("2:\n");
    emitter.line("xchg rdx, r9");
    emitter.line(&format!("add r15, {}", 16 * plan.word_bytes));
    let constants = 16 * plan.word_bytes;
    let mut moved = 0;
    for (i, body) in plan.bodies.iter().enumerate() {
        if i + 1 == plan.bodies.len() {
            // After the last block, loads the same block again.
            let block = 16 * plan.word_bytes;
            emitter.line(&format!("lea r14, [r8 + {block}]"));
            emitter.line("cmp r14, r12");
            emitter.line("cmovb r8, r14");
        }
        if body.times > 1 {
            emitter.line(&format!("mov r13d, {}", body.times));
            emitter.text.push_str("3:\n");
        }
        // Loads from memory happen in the last body.
        let (next, prefetches): (&[Operation], &[&[usize]]) = if i + 1 == plan.bodies.len() {
            (&plan.next, &prefetches)
        } else {
            (&[], &[])
        };
        let order = interleave(plan, body, next);
        let order = schedule(plan, body, next, order);
        emitter.emit(body, next, &order, prefetches);
        if body.times > 1 {
            emitter.line(&format!("add r10, {constants}"));
            emitter.line("dec r13d");
            emitter.line("jnz 3b");
            moved += body.times * constants;
        }
    }
    if moved > 0 {
        emitter.line(&format!("sub r10, {moved}"));
    }
    emitter.line("cmp r14, r12");
    emitter.line("jb 2b");
    emitter.text
}
