//! A look at all columns: which would move most, how far P is from its optimum, and which columns that leaves at 0 for good.
//!
//! With a gap G between P and the dual at α, every optimal α* lies within ‖α − α*‖² ≤ 2nc·G (c bounds φ″), so that a column with
//! t|cⱼ| + ‖xⱼ‖√(2cG/n) < λ₁, cⱼ = (1/n) xⱼ·α, has wⱼ = 0 at the optimum (gap-safe sphere: Fercoq, Gramfort & Salmon 2015).
//! Whatever λ₁, cⱼ is computed anew only where α has moved so far since that |cⱼ| could have risen to λ₁.

use crate::algorithm::columns::Columns;
use crate::placement::Placement;
use crate::problem::Outline;
use crate::simd::widest;

/// Where the logistic dual is looked at along t·α; of the other losses t = 1 tells all.
const GRID: [f64; 8] = [1.0, 0.999, 0.99, 0.97, 0.9, 0.75, 0.5, 0.25];
/// Sums before the machines' own slots: Σ sφ, what all columns together promise, and the two sums of D for every t.
const HEAD: usize = 2 + 2 * GRID.len();
/// Of a machine's slot, before its proposals: the largest |cⱼ| and Σ [|cⱼ| − λ₁]₊².
const OWN: usize = 2;
/// Numbers kept of every column: cⱼ, how far the slopes had travelled when it was computed, and the λ₁ for which the column is
/// left out for good.
pub(super) const KEPT: usize = 3;

/// Where the dual optimum lies: the point tα, and how far from it at most, for columns of length 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Sphere {
    pub(super) t: f64,
    pub(super) radius: f64,
}

impl Sphere {
    /// Nothing is known.
    pub(super) const UNKNOWN: Self = Self { t: 1.0, radius: f64::INFINITY };

    /// Whether a column with no larger |cⱼ| is 0 at the optimum.
    fn leaves_out(&self, c: f64, length: f64, l1: f64) -> bool {
        self.t * c + self.radius * length < l1
    }
}

/// How far the slopes sφ′ have travelled in all: no cⱼ changes by more than ‖xⱼ‖/n times that.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Travel {
    /// Until the last look.
    pub(super) before: f64,
    /// Until now.
    pub(super) now: f64,
    /// What was computed earlier says nothing.
    pub(super) since: f64,
}

impl Travel {
    /// Nothing was ever computed: what is kept of columns begins with 0.
    pub(super) const NONE: Self = Self { before: 1.0, now: 1.0, since: 1.0 };

    /// On by a distance, or by one that nobody knows.
    pub(super) fn on(self, distance: Option<f64>) -> Self {
        match distance {
            // A hair more: distances are rounded.
            Some(distance) => Self { before: self.now, now: self.now + distance * (1.0 + 1e-9), since: self.since },
            None => Self { before: self.now, now: self.now + 1.0, since: self.now + 1.0 },
        }
    }

    /// The most that |cⱼ| can have been until then, computed at `mark`.
    fn most(&self, c: f64, mark: f64, until: f64, reach: f64) -> f64 {
        if mark >= self.since { c.abs() + (until - mark).max(0.0) * reach } else { f64::INFINITY }
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
    pub(super) travel: Travel,
    /// Columns with |cⱼ| above this are proposed: λ₁, or less where it has just fallen.
    pub(super) near: f64,
    /// The columns whose coefficient is not 0, ascending, with their coefficients.
    pub(super) support: &'a [u32],
    pub(super) w: &'a [f64],
}

/// A column at 0 that would move, or is near to it, and how much it is worth: what it promises, or how far it is from that.
type Found = (f64, u32);

/// What a machine's columns come to.
#[derive(Default)]
struct Scan {
    most: f64,
    excess: f64,
    promise: f64,
    entries: u64,
    found: Vec<Found>,
}

/// Looks at a machine's columns; `items` is what is kept of them. Returns the entries touched.
pub(super) fn push(columns: &Columns, ask: &Ask<'_>, v: &[f64], items: &mut [f64], push: &mut [f64]) -> u64 {
    let (head, slots) = push.split_at_mut(HEAD);
    push_terms(columns, ask, v, head);
    let slopes = columns.slopes(v);
    let mut scan = Scan::default();
    widest(
        #[inline(always)]
        || scan.columns(columns, ask, &slopes, items),
    );
    let own = columns.shard.worker * (OWN + 2 * ask.slots);
    let (totals, proposals) = slots[own..own + OWN + 2 * ask.slots].split_at_mut(OWN);
    head[1] = scan.promise;
    totals.copy_from_slice(&[scan.most, scan.excess]);
    for (proposal, (worth, column)) in proposals.chunks_exact_mut(2).zip(first(scan.found, ask.slots)) {
        proposal.copy_from_slice(&[f64::from(column) + 1.0, worth]);
    }
    scan.entries + v.len() as u64
}

impl Scan {
    #[inline(always)]
    fn columns(&mut self, columns: &Columns, ask: &Ask<'_>, slopes: &[f64], items: &mut [f64]) {
        let Columns { outline, shard, norms } = columns;
        let (n, l1) = (outline.rows as f64, outline.penalty.l1);
        let mut at = ask.support.partition_point(|column| (*column as usize) < shard.start());
        for (j, kept) in items.as_chunks_mut::<KEPT>().0.iter_mut().enumerate() {
            let column = (shard.start() + j) as u32;
            let w = if ask.support.get(at) == Some(&column) { ask.w[at] } else { 0.0 };
            at += usize::from(ask.support.get(at) == Some(&column));
            let [c, mark, left_out] = kept;
            let length = norms[j].sqrt();
            let then = ask.travel.most(*c, *mark, ask.travel.before, length / n);
            if l1 > 0.0 && ask.sphere.leaves_out(then, length, l1) {
                *left_out = l1;
            }
            // What is left out for good but has yet to go there is looked at still.
            if w == 0.0
                && (l1 > 0.0 && *left_out == l1 || ask.travel.most(*c, *mark, ask.travel.now, length / n) < ask.near)
            {
                continue;
            }
            if *mark != ask.travel.now {
                self.entries += shard.row(j).stored() as u64;
                (*c, *mark) = (-shard.row(j).long_dot(slopes) / n, ask.travel.now);
            }
            self.see(outline, column, w, *c, norms[j], ask.near);
        }
    }

    #[inline(always)]
    fn see(&mut self, outline: &Outline, column: u32, w: f64, c: f64, norm_sq: f64, near: f64) {
        let over = c.abs() - outline.penalty.l1;
        self.most = self.most.max(c.abs());
        self.excess += over.max(0.0).powi(2);
        let promise = promise(outline, norm_sq, w, c);
        self.promise += promise;
        if w == 0.0 && promise > 0.0 {
            self.found.push((promise, column));
        } else if w == 0.0 && c.abs() > near && norm_sq > 0.0 {
            self.found.push((over.min(0.0), column));
        }
    }
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
#[inline(always)]
fn promise(outline: &Outline, norm_sq: f64, w: f64, c: f64) -> f64 {
    let bend = outline.loss.curvature() * norm_sq / outline.rows as f64;
    if bend <= 0.0 {
        return outline.penalty.value(&[w]);
    }
    let by = outline.penalty.prox(w + c / bend, bend) - w;
    0.5 * (bend + outline.penalty.l2) * by * by
}

/// Those that are worth most, the first of equals.
fn first(mut found: Vec<Found>, slots: usize) -> Vec<Found> {
    let order = |a: &Found, b: &Found| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
    if slots < found.len() {
        found.select_nth_unstable_by(slots, order);
        found.truncate(slots);
    }
    found.sort_unstable_by(order);
    found
}

/// What a look tells.
pub(super) struct Seen {
    /// P.
    pub(super) value: f64,
    /// A bound below P*, if there is one.
    pub(super) dual: f64,
    /// The largest |cⱼ| of those that may be above λ₁.
    pub(super) most: f64,
    /// What all columns together promise, each by itself.
    pub(super) promise: f64,
    pub(super) sphere: Sphere,
    /// Columns at 0 that would move or are near to it, those that promise most first.
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
        let best = best_dual(outline, &head[2..], most, excess);
        Self {
            value,
            dual: best.map_or(f64::NEG_INFINITY, |(_, dual)| dual),
            most,
            promise: head[1],
            sphere: best.map_or(Sphere::UNKNOWN, |(t, dual)| sphere(outline, t, value - dual, value)),
            proposals: found.into_iter().map(|(_, column)| column).collect(),
        }
    }

    /// Takes up a better point tα of the dual, of which it knows the two sums.
    pub(super) fn refine(&mut self, outline: &Outline, t: f64, sums: [f64; 2]) {
        let dual = (sums[0] - sums[1]) / outline.rows as f64;
        if dual > self.dual {
            (self.dual, self.sphere) = (dual, sphere(outline, t, self.value - dual, self.value));
        }
    }
}

/// The largest t for which tα is feasible without λ₂.
pub(super) fn feasible(most: f64, l1: f64) -> f64 {
    if most <= l1 { 1.0 } else { l1 / most }
}

/// The best of the points tα that is feasible, and D there.
fn best_dual(outline: &Outline, sums: &[f64], most: f64, excess: f64) -> Option<(f64, f64)> {
    let (n, penalty) = (outline.rows as f64, outline.penalty);
    let feasible = if penalty.l2 > 0.0 { 1.0 } else { feasible(most, penalty.l1) };
    let (linear, quadratic) = (sums[0] / n, sums[1] / n);
    match (penalty.l2 > 0.0, outline.loss.dual_scales()) {
        (true, _) => Some((1.0, linear - quadratic - excess / (2.0 * penalty.l2))),
        (false, true) => {
            let best = if quadratic > 0.0 { (linear / (2.0 * quadratic)).clamp(0.0, feasible) } else { feasible };
            Some((best, best * linear - best * best * quadratic))
        }
        (false, false) => {
            let points = GRID.iter().zip(sums.chunks_exact(2)).filter(|(t, _)| **t <= feasible);
            points.map(|(t, sums)| (*t, (sums[0] - sums[1]) / n)).max_by(|a, b| a.1.total_cmp(&b.1))
        }
    }
}

/// Where the dual optimum must lie: around tα, by the gap there.
fn sphere(outline: &Outline, t: f64, gap: f64, value: f64) -> Sphere {
    // A hair more than the gap, which is rounded.
    let gap = gap.max(0.0) + 1e-12 * value.abs();
    Sphere { t, radius: (2.0 * outline.loss.curvature() * gap / outline.rows as f64).sqrt() }
}
