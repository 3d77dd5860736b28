//! Orders operations: groups of lanes interleaved, the transpose among the rounds, and no operation
//! before its inputs are ready.

use std::collections::HashMap;

use super::{
    Plan, Tuning,
    trace::{Body, Kind, Operation},
};

/// An operation of a group.
pub(super) type Place = (usize, usize);

/// Interleaves the rounds of all groups, and spreads the transposes among them.
pub(super) fn interleave(plan: &Plan, body: &Body, next: &[Operation]) -> Vec<(bool, Place)> {
    let groups = plan.groups;
    let rounds: Vec<_> = (0..body.operations.len())
        .filter(|operation| {
            !matches!(
                body.operations[*operation].kind,
                Kind::Nothing | Kind::State(_) | Kind::Splat(_) | Kind::Park(_)
            )
        })
        .flat_map(|operation| (0..groups).map(move |group| (false, (group, operation))))
        .collect();
    let transposes: Vec<_> = (0..groups)
        .flat_map(|group| (0..next.len()).map(move |operation| (true, (group, operation))))
        .collect();
    let (from, to, run) = plan.tuning.transpose;
    let (from, to) = (rounds.len() * from / 100, rounds.len() * to / 100);
    let mut order = Vec::new();
    let mut done = 0;
    for (i, place) in rounds.iter().enumerate() {
        let due = transposes.len() * (i + 1).saturating_sub(from) / (to - from);
        let due = if i + 1 == rounds.len() {
            transposes.len()
        } else {
            due.min(transposes.len()) / run * run
        };
        order.extend_from_slice(&transposes[done..due]);
        done = due;
        order.push(*place);
    }
    order
}

/// The number of uses of each value, including uses after the body.
pub(super) fn uses(body: &Body, next: &[Operation]) -> HashMap<(bool, usize), usize> {
    let mut uses = HashMap::new();
    for (is_next, operations) in [(false, &body.operations[..]), (true, next)] {
        for source in operations.iter().flat_map(|operation| &operation.sources) {
            *uses.entry((is_next, *source)).or_default() += 1;
        }
    }
    for value in &body.state {
        *uses.entry((false, *value)).or_default() += 1;
    }
    uses
}

/// Which operations become memory operands of others: constants, the parked chaining value, and
/// words of the block with a single use that can read them from memory.
pub(super) fn folded(body: &Body, uses: &HashMap<(bool, usize), usize>) -> Vec<bool> {
    let mut folded = vec![false; body.operations.len()];
    for operation in &body.operations {
        if matches!(operation.kind, Kind::Add | Kind::Xor | Kind::Ternary(_)) {
            let mut memory = false;
            for source in operation.sources.iter().rev() {
                let fold = match body.operations[*source].kind {
                    Kind::Splat(_) | Kind::Park(_) => true,
                    Kind::Word(_) => uses[&(false, *source)] == 1 && !memory,
                    _ => false,
                };
                assert!(!(fold && memory), "two operands in memory");
                memory |= fold;
                folded[*source] = fold;
            }
        }
    }
    folded
}

/// Cycles until a result is ready.
fn latency(tuning: &Tuning, kind: Kind) -> usize {
    match kind {
        Kind::Add | Kind::Xor | Kind::Ternary(_) => 1,
        Kind::Word(_) | Kind::Row(..) => tuning.load,
        _ => 2,
    }
}

/// Cycles until a written value can be read.
const FORWARD: usize = 8;

/// The inputs that each operation of `order` waits for: indices into `order`, and cycles.
fn waits(
    tuning: &Tuning,
    body: &Body,
    next: &[Operation],
    folded: &[bool],
    order: &[(bool, Place)],
) -> Vec<Vec<(usize, usize)>> {
    let mut waits = vec![Vec::new(); order.len()];
    let mut made = HashMap::new();
    // The readers and writers of each memory location.
    let mut readers = HashMap::<(usize, Kind), Vec<usize>>::new();
    let mut writer = HashMap::<(usize, Kind), usize>::new();
    for (i, &(is_next, (group, id))) in order.iter().enumerate() {
        let operations = if is_next { next } else { &body.operations };
        let this = &operations[id];
        let mut reads = Vec::new();
        if matches!(this.kind, Kind::Word(_)) {
            reads.push((group, this.kind));
        }
        for source in &this.sources {
            let kind = operations[*source].kind;
            if !is_next && folded[*source] {
                reads.push((group, kind));
            } else if let Some(from) = made.get(&(is_next, group, *source)) {
                waits[i].push((*from, latency(tuning, kind)));
            }
        }
        for place in reads {
            if let Some(from) = writer.get(&place) {
                waits[i].push((*from, FORWARD));
            }
            readers.entry(place).or_default().push(i);
        }
        let written = match this.kind {
            Kind::SetWord(slot) => Some((group, Kind::Word(slot))),
            Kind::SetPark(slot) => Some((group, Kind::Park(slot))),
            _ => None,
        };
        if let Some(place) = written {
            for from in readers.remove(&place).unwrap_or_default() {
                waits[i].push((from, 0));
            }
            writer.insert(place, i);
        }
        made.insert((is_next, group, id), i);
    }
    waits
}

/// Reorders operations for a CPU that starts two per cycle, of which at most one is a rotation or a
/// shuffle.
pub(super) fn schedule(
    plan: &Plan,
    body: &Body,
    next: &[Operation],
    order: Vec<(bool, Place)>,
) -> Vec<(bool, Place)> {
    let Tuning {
        window,
        step,
        rotations_first,
        by_height,
        live: live_max,
        ..
    } = plan.tuning;
    let uses = uses(body, next);
    let folded = folded(body, &uses);
    let order: Vec<_> = order
        .into_iter()
        .filter(|(is_next, (_, id))| *is_next || !folded[*id])
        .collect();
    if window == 0 {
        return order;
    }
    let waits = waits(&plan.tuning, body, next, &folded, &order);
    let mut height = vec![0; order.len()];
    for i in (0..order.len()).rev() {
        for (from, cycles) in &waits[i] {
            height[*from] = height[*from].max(height[i] + cycles);
        }
    }
    let operation = |i: usize| -> &Operation {
        let (is_next, (_, id)) = order[i];
        if is_next {
            &next[id]
        } else {
            &body.operations[id]
        }
    };
    // Remaining uses of each value in a register, and the number of values that have some.
    let mut left = HashMap::<(bool, usize, usize), usize>::new();
    for group in 0..plan.groups {
        for (&(is_next, id), uses) in &uses {
            if is_next || !folded[id] {
                left.insert((is_next, group, id), *uses);
            }
        }
    }
    let mut live = plan.groups * plan.state_words;
    let mut start: Vec<Option<usize>> = vec![None; order.len()];
    let mut result = Vec::new();
    let (mut now, mut oldest) = (0, 0);
    while result.len() < order.len() {
        while start[oldest].is_some() {
            oldest += 1;
        }
        let (mut slots, mut heavy_slots) = (2 * step, step);
        let mut chosen = Vec::new();
        while slots > 0 {
            let mut best: Option<(usize, isize)> = None;
            for i in (oldest..order.len()).take(window) {
                let is_ready = start[i].is_none()
                    && waits[i].iter().all(|(from, cycles)| {
                        start[*from].is_some_and(|start| start + cycles <= now)
                    });
                if !is_ready || (is_heavy(operation(i).kind) && heavy_slots == 0) {
                    continue;
                }
                // Registers that it takes, minus the registers that it frees.
                let (is_next, (group, _)) = order[i];
                let dying = |source: &&usize| left.get(&(is_next, group, **source)) == Some(&1);
                let dying = operation(i).sources.iter().filter(dying).count();
                let more = isize::from(makes_value(operation(i).kind)) - dying.cast_signed();
                if more > 0 && live >= live_max && i != oldest {
                    continue;
                }
                if best.is_none_or(|(best, _)| by_height && height[i] > height[best]) {
                    best = Some((i, more));
                }
            }
            let Some((i, more)) = best else { break };
            let (is_next, (group, _)) = order[i];
            for source in &operation(i).sources {
                if let Some(left) = left.get_mut(&(is_next, group, *source)) {
                    *left -= 1;
                }
            }
            live = live.saturating_add_signed(more);
            start[i] = Some(now);
            chosen.push(i);
            heavy_slots -= usize::from(is_heavy(operation(i).kind));
            slots -= usize::from(!is_move(operation(i).kind));
        }
        if rotations_first {
            chosen.sort_by_key(|i| !is_heavy(operation(*i).kind));
        }
        result.extend(chosen.into_iter().map(|i| order[i]));
        now += step;
    }
    result
}

/// Whether it only reads or writes memory, which uses other units.
fn is_move(kind: Kind) -> bool {
    matches!(kind, Kind::Word(_) | Kind::Row(..)) || !makes_value(kind)
}

/// Whether it has a result.
pub(super) fn makes_value(kind: Kind) -> bool {
    !matches!(kind, Kind::SetWord(_) | Kind::SetNext(_) | Kind::SetPark(_))
}

/// Whether fewer units execute it than additions.
fn is_heavy(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::Rotr(_)
            | Kind::Rotl(_)
            | Kind::Shr(_)
            | Kind::Insert(..)
            | Kind::Two(_)
            | Kind::Quarters(_)
            | Kind::Swap
    )
}
