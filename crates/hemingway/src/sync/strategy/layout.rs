//! A strategy against a model and a cluster: refused with the reason, or laid out as groups of pieces.

use std::collections::{BTreeMap, HashMap};

use super::{Compression, Exchange, MOST_STALENESS, MOST_WINDOW, Method, Partition, Plan, Strategy};
use crate::error::counted;
use crate::sync::{Dtype, Links, Model, Variable};
use crate::{Error, Result};

/// What is exchanged as one, in the order in which it is ready.
#[derive(Debug, Clone)]
pub struct Layout {
    /// Groups, the first ready first.
    pub groups: Vec<Group>,
    /// How many are exchanged at once.
    pub window: usize,
}

/// Shards merged into one buffer.
#[derive(Debug, Clone)]
pub struct Group {
    /// Its number in the strategy.
    pub id: u32,
    /// How it is exchanged.
    pub by: Method,
    /// How its messages are written.
    pub compression: Compression,
    /// By how many steps its sum may be late.
    pub staleness: u32,
    /// What its elements are.
    pub dtype: Dtype,
    /// Where its elements are from, in order.
    pub pieces: Vec<Piece>,
    /// Elements of the buffer.
    pub elements: usize,
    /// When the last of it is ready on a machine of the usual pace, in seconds.
    pub ready: f64,
    /// How machines touch its elements, in order; none where zeros are sent along.
    pub textures: Vec<Texture>,
}

/// Elements that are touched alike.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Texture {
    /// How many there are.
    pub elements: usize,
    /// The share of them that a machine touches.
    pub density: f64,
    /// How that share grows with the machines whose gradients are in a message: `Variable::spread`.
    pub spread: f64,
    /// The length of a run of touched elements.
    pub run: f64,
}

impl Texture {
    fn of(piece: &Piece, variable: &Variable, machines: usize) -> Self {
        // Of a row that is cut, a piece holds only a part.
        let run = if variable.is_sparse() { variable.row().min(piece.length) } else { piece.length };
        Self {
            elements: piece.elements(),
            density: variable.density,
            spread: variable.spread(machines),
            run: run as f64,
        }
    }

    /// The share that so many machines touch together.
    pub fn touched_by(&self, machines: usize) -> f64 {
        match self.spread {
            _ if self.density == 1.0 => 1.0,
            1.0 => 1.0 - (1.0 - self.density).powi(machines as i32),
            spread => 1.0 - (1.0 - self.density).powf((machines as f64).powf(spread)),
        }
    }
}

/// The part of a variable that a group holds: `count` blocks of `length` elements, `stride` apart from `start` on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// The variable's place in the model.
    pub variable: usize,
    /// The first element.
    pub start: usize,
    /// Elements of a block.
    pub length: usize,
    /// From one block to the next.
    pub stride: usize,
    /// Blocks.
    pub count: usize,
}

impl Piece {
    /// Its blocks as ranges of the variable's elements.
    pub fn blocks(&self) -> impl Iterator<Item = std::ops::Range<usize>> + '_ {
        (0..self.count).map(|i| self.start + i * self.stride..self.start + i * self.stride + self.length)
    }

    /// How many elements it has.
    pub fn elements(&self) -> usize {
        self.length * self.count
    }
}

impl Group {
    /// Bytes of its buffer.
    pub fn bytes(&self) -> f64 {
        (self.elements * self.dtype.bytes()) as f64
    }
}

impl Layout {
    /// Steps after which what may be late must have come: one more than the latest may be.
    pub fn period(&self) -> u64 {
        1 + self.groups.iter().map(|group| u64::from(group.staleness)).max().unwrap_or(0)
    }

    /// Lays a strategy out; the error names the variable that cannot be exchanged so.
    pub fn of(strategy: &Strategy, model: &Model, links: &Links) -> Result<Self> {
        check_whole(strategy, links).map_err(|what| Error::setting("strategy", what))?;
        let plans = plans(strategy, model)?;
        let (mut groups, mut places) = (Vec::<Group>::new(), BTreeMap::<u32, usize>::new());
        for (place, (variable, plan)) in model.variables.iter().zip(plans).enumerate() {
            let refuse = |what: String| Error::setting(format!("variable `{}`", variable.name), what);
            let plan = plan.ok_or_else(|| refuse("has no plan".into()))?;
            let pieces = pieces(place, variable, plan).map_err(refuse)?;
            for (piece, exchange) in pieces.zip(&plan.shards) {
                check(exchange, links).map_err(refuse)?;
                let place = *places.entry(exchange.group).or_insert_with(|| {
                    groups.push(Group::empty(exchange, variable.dtype));
                    groups.len() - 1
                });
                groups[place].take(piece, variable, exchange, links.machines()).map_err(refuse)?;
            }
        }
        groups.sort_by(|a, b| a.ready.total_cmp(&b.ready).then(a.id.cmp(&b.id)));
        Ok(Self { groups, window: strategy.window })
    }
}

/// The plan of each variable, where it has one.
fn plans<'a>(strategy: &'a Strategy, model: &Model) -> Result<Vec<Option<&'a Plan>>> {
    let names = || model.variables.iter().map(|variable| variable.name.as_str());
    if strategy.variables.iter().map(|plan| plan.variable.as_str()).eq(names()) {
        return Ok(strategy.variables.iter().map(Some).collect());
    }
    let places: HashMap<&str, usize> = names().zip(0..).collect();
    let mut plans: Vec<Option<&Plan>> = vec![None; model.variables.len()];
    for plan in &strategy.variables {
        let refuse = |what: &str| Error::setting(format!("variable `{}`", plan.variable), what);
        let place = *places.get(plan.variable.as_str()).ok_or_else(|| refuse("is not in the model"))?;
        if plans[place].replace(plan).is_some() {
            return Err(refuse("has two plans"));
        }
    }
    Ok(plans)
}

fn check_whole(strategy: &Strategy, links: &Links) -> Result<(), String> {
    match strategy {
        Strategy { machines, .. } if *machines != links.machines() => {
            let own = counted(*machines, "machine");
            Err(format!("is for {own}, not for {}: say --machines {machines}", links.machines()))
        }
        Strategy { window, .. } if !(1..=MOST_WINDOW).contains(window) => {
            Err(format!("window {window} is not between 1 and {MOST_WINDOW}"))
        }
        _ => Ok(()),
    }
}

fn check(exchange: &Exchange, links: &Links) -> Result<(), String> {
    exchange.compression.check()?;
    match exchange.by {
        Method::Server(machine) if machine >= links.machines() => {
            Err(format!("there is no machine {machine} to serve; they count from 0 to {}", links.machines() - 1))
        }
        Method::Hierarchical if !links.has_racks() => {
            Err("hierarchical needs several racks, at least one of them with several machines".into())
        }
        _ if exchange.staleness > MOST_STALENESS => {
            Err(format!("staleness {} is above {MOST_STALENESS}", exchange.staleness))
        }
        _ => Ok(()),
    }
}

fn pieces(place: usize, variable: &Variable, plan: &Plan) -> Result<impl Iterator<Item = Piece>, String> {
    let (sizes, inner, count) = match &plan.partition {
        None if plan.shards.len() == 1 => (&[1][..], variable.elements(), 1),
        None => return Err(format!("is not cut, but has {} planned: plan one", counted(plan.shards.len(), "shard"))),
        Some(partition) => {
            check_cut(variable, partition, plan.shards.len())?;
            let (before, after) = variable.shape.split_at(partition.axis);
            (&partition.sizes[..], after[1..].iter().product(), before.iter().product())
        }
    };
    let stride = sizes.iter().sum::<usize>() * inner;
    let piece = move |start: &mut usize, size: &usize| {
        let piece = Piece { variable: place, start: *start, length: size * inner, stride, count };
        *start += piece.length;
        Some(piece)
    };
    Ok(sizes.iter().scan(0, piece))
}

fn check_cut(variable: &Variable, partition: &Partition, planned: usize) -> Result<(), String> {
    let (axis, sizes) = (partition.axis, &partition.sizes);
    let length =
        *variable.shape.get(axis).ok_or_else(|| format!("has no axis {axis}: its shape is {:?}", variable.shape))?;
    if sizes.contains(&0) {
        return Err(format!("shards of {sizes:?} along axis {axis}: each must have a length of 1 or more"));
    }
    if sizes.iter().try_fold(0usize, |sum, size| sum.checked_add(*size)) != Some(length) {
        return Err(format!("shards of {sizes:?} do not add up to the {length} of axis {axis}"));
    }
    if sizes.len() != planned {
        return Err(format!("is cut into {}, but has plans for {planned}", counted(sizes.len(), "shard")));
    }
    Ok(())
}

impl Group {
    fn empty(exchange: &Exchange, dtype: Dtype) -> Self {
        Self {
            id: exchange.group,
            by: exchange.by,
            compression: exchange.compression,
            staleness: exchange.staleness,
            dtype,
            pieces: Vec::new(),
            elements: 0,
            ready: 0.0,
            textures: Vec::new(),
        }
    }

    /// One more piece.
    fn take(&mut self, piece: Piece, variable: &Variable, exchange: &Exchange, machines: usize) -> Result<(), String> {
        let alike = (self.by, self.compression, self.staleness, self.dtype)
            == (exchange.by, exchange.compression, exchange.staleness, variable.dtype);
        if !alike {
            return Err(format!(
                "is in group {} with others, but differs from them in its method, compression, staleness or dtype",
                self.id
            ));
        }
        if self.compression.leaves_out_zeros() {
            self.weave(Texture::of(&piece, variable, machines));
        }
        self.elements += piece.elements();
        self.ready = self.ready.max(variable.ready_ms / 1e3);
        self.pieces.push(piece);
        Ok(())
    }

    /// One more texture, joined to the last if they are alike.
    fn weave(&mut self, next: Texture) {
        match self.textures.last_mut() {
            Some(last) if (Texture { elements: next.elements, ..*last }) == next => last.elements += next.elements,
            _ => self.textures.push(next),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sync::links::tests::cluster;
    use crate::sync::strategy::VERSION;

    fn model() -> Model {
        let text = r#"{"name": "m", "step_ms": 4, "variables": [
            {"name": "w", "shape": [3, 4], "ready_ms": 2},
            {"name": "e", "shape": [100, 8], "density": 0.01, "ready_ms": 4}]}"#;
        Model::parse(text).unwrap()
    }

    fn strategy() -> Strategy {
        let plan = |variable: &str, shards, partition| Plan { variable: variable.into(), partition, shards };
        let cut = Some(Partition { axis: 1, sizes: vec![3, 1] });
        let shards = vec![Exchange::new(Method::Ring, 0), Exchange::new(Method::Server(1), 1)];
        let table = Exchange { compression: Compression::Sparse, ..Exchange::new(Method::Server(1), 7) };
        let variables = vec![plan("e", vec![table], None), plan("w", shards, cut)];
        Strategy { version: VERSION, name: "s".into(), machines: 4, window: 2, variables }
    }

    #[test]
    fn shards_are_blocks_of_their_variable() {
        let layout = Layout::of(&strategy(), &model(), &Links::of(&cluster(4, false), 4)).unwrap();
        assert_eq!(layout.groups.iter().map(|group| group.id).collect::<Vec<_>>(), [0, 1, 7]);
        let blocks: Vec<_> = layout.groups[0].pieces[0].blocks().collect();
        assert_eq!(blocks, [0..3, 4..7, 8..11]);
        assert_eq!(layout.groups[1].pieces[0].blocks().collect::<Vec<_>>(), [3..4, 7..8, 11..12]);
        let texture = Texture { elements: 800, density: 0.01, spread: 1.0, run: 8.0 };
        assert_eq!((&layout.groups[2].textures[..], layout.groups[2].ready), (&[texture][..], 0.004));
    }

    #[test]
    fn a_file_reads_the_same() {
        let strategy = strategy();
        assert_eq!(Strategy::parse(&strategy.json().unwrap()).unwrap(), strategy);
        let later = strategy.json().unwrap().replace("\"version\": 1", "\"version\": 2");
        assert!(Strategy::parse(&later).unwrap_err().to_string().contains("version 1"));
    }

    #[test]
    fn what_cannot_be_exchanged_names_its_variable() {
        let links = Links::of(&cluster(4, false), 4);
        let refused = |change: &dyn Fn(&mut Strategy)| {
            let mut strategy = strategy();
            change(&mut strategy);
            Layout::of(&strategy, &model(), &links).unwrap_err().to_string()
        };
        let shard = |s: &mut Strategy, change: &dyn Fn(&mut Exchange)| change(&mut s.variables[1].shards[0]);
        assert!(refused(&|s| s.machines = 3).contains("is for 3 machines"));
        assert!(refused(&|s| s.window = 0).contains("window 0"));
        assert!(refused(&|s| s.variables[0].variable = "x".into()).contains("variable `x`: is not in the model"));
        assert!(refused(&|s| s.variables[0].variable = "w".into()).contains("variable `w`: has two plans"));
        assert_eq!(refused(&|s| drop(s.variables.pop())), "variable `w`: has no plan");
        assert!(refused(&|s| s.variables[1].partition = None).contains("`w`: is not cut, but has 2 shards planned"));
        let cut = |axis, sizes: &[usize]| Some(Partition { axis, sizes: sizes.into() });
        assert!(refused(&|s| s.variables[1].partition = cut(2, &[1])).contains("`w`: has no axis 2"));
        assert!(refused(&|s| s.variables[1].partition = cut(1, &[3, 2])).contains("do not add up to the 4 of axis 1"));
        assert!(refused(&|s| s.variables[1].partition = cut(1, &[4, 0])).contains("each must have a length of 1"));
        assert!(
            refused(&|s| s.variables[1].partition = cut(1, &[4])).contains("is cut into 1 shard, but has plans for 2")
        );
        assert!(refused(&|s| shard(s, &|e| e.by = Method::Server(4))).contains("`w`: there is no machine 4"));
        assert!(
            refused(&|s| shard(s, &|e| e.by = Method::Hierarchical)).contains("`w`: hierarchical needs several racks")
        );
        assert!(refused(&|s| shard(s, &|e| e.compression = Compression::TopK(0.0))).contains("`w`: top-k keeps"));
        assert!(refused(&|s| shard(s, &|e| e.staleness = 9)).contains("`w`: staleness 9"));
        assert!(refused(&|s| shard(s, &|e| e.group = 1)).contains("`w`: is in group 1 with others, but differs"));
    }
}
