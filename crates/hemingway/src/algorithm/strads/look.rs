//! A look at all columns: which would move most, how far P is from its optimum, and which columns that leaves at 0 for good.
//!
//! With a gap G between P and the dual at α, every optimal α* lies within ‖α − α*‖² ≤ 2nc·G (c bounds φ″), so that a column with
//! t|cⱼ| + ‖xⱼ‖√(2cG/n) < λ₁, cⱼ = (1/n) xⱼ·α, has wⱼ = 0 at the optimum (gap-safe sphere: Fercoq, Gramfort & Salmon 2015).

use crate::algorithm::columns::Columns;
use crate::placement::Placement;
use crate::problem::Outline;

/// Where the logistic dual is looked at along t·α; of the other losses t = 1 tells all.
const GRID: [f64; 8] = [1.0, 0.999, 0.99, 0.97, 0.9, 0.75, 0.5, 0.25];
/// Sums before the machines' own slots: Σ sφ, what all columns together promise, and the two sums of D for every t.
const HEAD: usize = 2 + 2 * GRID.len();
/// Of a machine's slot, before its proposals: the largest |cⱼ| and Σ [|cⱼ| − λ₁]₊².
const OWN: usize = 2;

/// Where the dual optimum lies: the point tα, and how far from it at most, for columns of length 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Sphere {
    pub(super) t: f64,
    pub(super) radius: f64,
}

impl Sphere {
    /// Nothing is known.
    pub(super) const UNKNOWN: Self = Self { t: 1.0, radius: f64::INFINITY };

    /// Whether a column is 0 at the optimum.
    fn leaves_out(&self, c: f64, norm_sq: f64, l1: f64) -> bool {
        self.t * c.abs() + self.radius * norm_sq.sqrt() < l1
    }
}

/// Numbers in the sum of a look by so many machines, each of which may propose so many columns.
pub(super) fn len(machines: usize, slots: usize) -> usize {
    HEAD + machines * (OWN + 2 * slots)
}

/// What a machine is asked in a look.
pub(super) struct Ask<'a> {
    pub(super) machines: usize,
    pub(super) slots: usize,
    pub(super) sphere: Sphere,
    /// The columns whose coefficient is not 0, ascending, with their coefficients.
    pub(super) support: &'a [u32],
    pub(super) w: &'a [f64],
}

/// Looks at a machine's columns. Of each it notes cⱼ and whether it is left out for good: `items` holds both. Returns the
/// entries touched.
pub(super) fn push(columns: &Columns, ask: &Ask<'_>, v: &[f64], items: &mut [f64], push: &mut [f64]) -> u64 {
    let Columns { outline, shard, norms } = columns;
    let (head, slots) = push.split_at_mut(HEAD);
    push_terms(columns, ask, v, head);
    let own = shard.worker * (OWN + 2 * ask.slots);
    let (most, proposals) = slots[own..own + OWN + 2 * ask.slots].split_at_mut(OWN);
    let (n, l1) = (outline.rows as f64, outline.penalty.l1);
    let slopes = columns.slopes(v);
    let mut entries = v.len() as u64;
    let mut found: Vec<(f64, u32)> = Vec::new();
    let mut at = ask.support.partition_point(|column| (*column as usize) < shard.start());
    for j in 0..shard.len() {
        let column = (shard.start() + j) as u32;
        let w = if ask.support.get(at) == Some(&column) { ask.w[at] } else { 0.0 };
        at += usize::from(ask.support.get(at) == Some(&column));
        let [c, left_out] = &mut items[2 * j..2 * j + 2] else { unreachable!("two numbers a column") };
        if *left_out == 0.0 && l1 > 0.0 && ask.sphere.leaves_out(*c, norms[j], l1) {
            *left_out = 1.0;
        }
        // What is left out for good but has yet to go there is looked at still.
        if *left_out > 0.0 && w == 0.0 {
            continue;
        }
        entries += shard.row(j).stored() as u64;
        *c = -shard.row(j).dot(&slopes) / n;
        most[0] = most[0].max(c.abs());
        most[1] += (c.abs() - l1).max(0.0).powi(2);
        let promise = promise(outline, norms[j], w, *c);
        head[1] += promise;
        if w == 0.0 && promise > 0.0 {
            found.push((promise, column));
        }
    }
    for (proposal, (promise, column)) in proposals.chunks_exact_mut(2).zip(first(found, ask.slots)) {
        proposal.copy_from_slice(&[f64::from(column) + 1.0, promise]);
    }
    entries
}

fn push_terms(columns: &Columns, ask: &Ask<'_>, v: &[f64], head: &mut [f64]) {
    let own = Placement::even(v.len(), ask.machines).range(columns.shard.worker);
    let grid = if columns.outline.loss.dual_scales() { &GRID[..1] } else { &GRID };
    let (first, sums) = head.split_at_mut(2);
    for (t, sums) in grid.iter().zip(sums.chunks_exact_mut(2)) {
        let [value, linear, quadratic] = columns.terms(v, own.clone(), *t);
        first[0] = value;
        sums.copy_from_slice(&[linear, quadratic]);
    }
}

/// By how much P falls at least if the column alone takes its best step on a parabola above P.
fn promise(outline: &Outline, norm_sq: f64, w: f64, c: f64) -> f64 {
    let bend = outline.loss.curvature() * norm_sq / outline.rows as f64;
    if bend <= 0.0 {
        return outline.penalty.value(&[w]);
    }
    let by = outline.penalty.prox(w + c / bend, bend) - w;
    0.5 * (bend + outline.penalty.l2) * by * by
}

/// Those that promise most, the first of equals.
fn first(mut found: Vec<(f64, u32)>, slots: usize) -> Vec<(f64, u32)> {
    found.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    found.truncate(slots);
    found
}

/// What a look tells.
pub(super) struct Seen {
    /// P.
    pub(super) value: f64,
    /// What all columns together promise, each by itself.
    pub(super) promise: f64,
    pub(super) sphere: Sphere,
    /// Columns at 0 that would move, those that promise most first.
    pub(super) proposals: Vec<u32>,
}

impl Seen {
    /// From the sum of a look at a w with this g(w).
    pub(super) fn from(outline: &Outline, sum: &[f64], slots: usize, of_g: f64) -> Self {
        let (head, machines) = sum.split_at(HEAD);
        let n = outline.rows as f64;
        let own = || machines.chunks_exact(OWN + 2 * slots);
        let value = head[0] / n + of_g;
        let most = own().map(|slot| slot[0]).fold(0.0, f64::max);
        let excess: f64 = own().map(|slot| slot[1]).sum();
        let found = own().flat_map(|slot| slot[OWN..].chunks_exact(2)).filter(|pair| pair[0] > 0.0);
        let found = first(found.map(|pair| (pair[1], pair[0] as u32 - 1)).collect(), usize::MAX);
        Self {
            value,
            promise: head[1],
            sphere: sphere(outline, &head[2..], value, most, excess),
            proposals: found.into_iter().map(|(_, column)| column).collect(),
        }
    }
}

/// Where the dual optimum must lie, by the best of the points tα that is feasible.
fn sphere(outline: &Outline, sums: &[f64], value: f64, most: f64, excess: f64) -> Sphere {
    let (n, penalty) = (outline.rows as f64, outline.penalty);
    let feasible = if penalty.l2 > 0.0 || most <= penalty.l1 { 1.0 } else { penalty.l1 / most };
    let (linear, quadratic) = (sums[0] / n, sums[1] / n);
    let found = match (penalty.l2 > 0.0, outline.loss.dual_scales()) {
        (true, _) => Some((1.0, linear - quadratic - excess / (2.0 * penalty.l2))),
        (false, true) => {
            let best = if quadratic > 0.0 { (linear / (2.0 * quadratic)).clamp(0.0, feasible) } else { feasible };
            Some((best, best * linear - best * best * quadratic))
        }
        (false, false) => {
            let points = GRID.iter().zip(sums.chunks_exact(2)).filter(|(t, _)| **t <= feasible);
            points.map(|(t, sums)| (*t, (sums[0] - sums[1]) / n)).max_by(|a, b| a.1.total_cmp(&b.1))
        }
    };
    found.map_or(Sphere::UNKNOWN, |(t, dual)| {
        // A hair more than the gap, which is rounded.
        let gap = (value - dual).max(0.0) + 1e-12 * value.abs();
        Sphere { t, radius: (2.0 * outline.loss.curvature() * gap / n).sqrt() }
    })
}
