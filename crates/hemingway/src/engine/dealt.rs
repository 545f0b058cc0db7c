//! Who holds what in an engine, and how long that takes them.

use super::Setting;
use crate::algorithm::Order;
use crate::data::Shard;
use crate::placement::drift::Drift;
use crate::placement::{Cuts, Placement};

/// The shards of an engine's machines.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Dealt {
    /// Rows, or columns.
    pub(super) own: Placement,
    /// Columns beside rows.
    pub(super) beside: Option<Placement>,
    /// What they took for either since they were cut.
    drifts: [Drift; 2],
}

impl Dealt {
    /// As a setting cuts them at first.
    pub(super) fn new(setting: &Setting, machines: usize) -> Self {
        let (own, beside) = (setting.placement(machines), setting.placement_beside(machines));
        Self { own, beside, drifts: Default::default() }
    }

    /// The shards themselves.
    pub(super) fn shards(&self, setting: &Setting) -> Vec<Shard> {
        setting.shards(&self.own, self.beside.as_ref())
    }

    /// What a round took on every machine; of what is not watched, nothing is kept.
    pub(super) fn note(&mut self, setting: &Setting, order: &Order, seconds: impl FnOnce() -> Vec<f64>) {
        if setting.cuts == Cuts::Measured && !order.off_clock {
            self.drifts[usize::from(setting.algorithm.is_beside(order))].note(&seconds());
        }
    }

    /// The same cut again where that pays; `moving` foretells the seconds it takes to move from one placement to the other.
    pub(super) fn again(&self, setting: &Setting, moving: impl Fn(&Placement, &Placement) -> f64) -> Option<Self> {
        if setting.cuts != Cuts::Measured {
            return None;
        }
        let cut = |placement: &Placement, drift: &Drift, beside: bool| {
            drift.cut(placement, setting.work(beside), |to| moving(placement, to))
        };
        let own = cut(&self.own, &self.drifts[0], false);
        let beside = self.beside.as_ref().and_then(|placement| cut(placement, &self.drifts[1], true));
        if own.is_none() && beside.is_none() {
            return None;
        }
        let mut again = self.clone();
        for (drift, is_cut) in again.drifts.iter_mut().zip([own.is_some(), beside.is_some()]) {
            if is_cut {
                *drift = Drift::default();
            }
        }
        again.own = own.unwrap_or(again.own);
        again.beside = beside.or(again.beside);
        Some(again)
    }

    /// What a new engine could not know: nothing where nothing is watched.
    pub(super) fn state(&self, setting: &Setting) -> Vec<f64> {
        if setting.cuts != Cuts::Measured {
            return Vec::new();
        }
        let placements = std::iter::once(&self.own).chain(&self.beside).flat_map(Placement::state);
        placements.chain(self.drifts.iter().flat_map(Drift::state)).collect()
    }

    /// Takes up what [`Dealt::state`] gave of as many machines.
    pub(super) fn restored(&self, state: &[f64]) -> Option<Self> {
        let (own, mut rest) = Placement::restored(state, self.own.items())?;
        let mut beside = None;
        if let Some(placement) = &self.beside {
            let (found, after) = Placement::restored(rest, placement.items())?;
            (beside, rest) = (Some(found), after);
        }
        let (first, rest) = Drift::restored(rest)?;
        let (second, rest) = Drift::restored(rest)?;
        let same = own.machines() == self.own.machines() && rest.is_empty();
        same.then_some(Self { own, beside, drifts: [first, second] })
    }
}
