//! Sums of sampled strategies on one to eight threads against plain sums.

use rand::RngExt;

use super::Team;
use crate::rng::{Purpose, keyed};
use crate::sync::links::tests::cluster;
use crate::sync::sketch::{Gene, Kind, Sketch};
use crate::sync::strategy::{Compression, Method, Strategy};
use crate::sync::{Model, Stage, TreeSum, Variable, builders};

fn model() -> Model {
    let mut table = Variable::new("table", [40, 3]);
    table.density = 0.2;
    let shapes: [&[usize]; 4] = [&[7, 5], &[33], &[], &[3, 4, 6]];
    let mut variables: Vec<Variable> =
        shapes.iter().enumerate().map(|(i, shape)| Variable::new(format!("v{i}"), *shape)).collect();
    variables.push(table);
    Model { name: "small".into(), variables, step_ms: 0.0 }
}

/// Whole numbers, whose sums are exact in any order.
fn whole_numbers(stage: &Stage, seed: u64) -> Vec<Vec<Vec<f32>>> {
    let machine = |machine: usize| {
        let mut random = keyed(seed, Purpose::Synthesize, machine, 0);
        let mut tensor = |variable: &Variable| {
            let mut value = || f32::from(random.random_range(-50i8..50));
            let mut values: Vec<f32> = (0..variable.elements()).map(|_| value()).collect();
            for (row, values) in values.chunks_mut(variable.row().max(1)).enumerate() {
                if variable.is_sparse() && !(row + machine).is_multiple_of(5) {
                    values.fill(0.0);
                }
            }
            values
        };
        stage.model.variables.iter().map(&mut tensor).collect()
    };
    (0..stage.machines()).map(machine).collect()
}

fn plain_sum(gradients: &[Vec<Vec<f32>>]) -> Vec<Vec<f32>> {
    let mut sum = gradients[0].clone();
    for other in &gradients[1..] {
        for (into, from) in sum.iter_mut().zip(other) {
            into.iter_mut().zip(from).for_each(|(a, b)| *a += b);
        }
    }
    sum
}

#[test]
fn sampled_lossless_strategies_give_the_plain_sum_to_the_bit() {
    let mut random = keyed(1, Purpose::Synthesize, 0, 0);
    for machines in 1..=8 {
        let stage = Stage::new(model(), &cluster(machines, machines % 2 == 0), machines).unwrap();
        let gradients = whole_numbers(&stage, 3);
        let expected = plain_sum(&gradients);
        let mut packed = 0;
        for trial in 0..300 {
            let mut sketch = Sketch::sample(&stage, true, &mut random);
            (0..trial % 4).for_each(|_| sketch = sketch.changed(&stage, true, &mut random));
            let strategy = sketch.strategy(&stage, "sampled");
            packed += strategy.exchanges().filter(|exchange| exchange.compression == Compression::Packed).count();
            assert!(strategy.is_lossless());
            let sums = Team::new(&stage, &strategy).unwrap().sum(&gradients).unwrap();
            for (machine, sum) in sums.iter().enumerate() {
                assert_eq!(*sum, expected, "machine {machine} of {machines}, trial {trial}: {strategy:?}");
            }
        }
        assert!(packed > 0, "of {machines} machines none packs");
    }
}

/// What is handed out and what is kept back make up all gradients; and all machines have the same.
#[test]
fn sampled_lossy_strategies_lose_nothing_that_they_do_not_keep() {
    let mut random = keyed(2, Purpose::Synthesize, 0, 0);
    for machines in 2..=8 {
        let stage = Stage::new(model(), &cluster(machines, machines % 2 == 0), machines).unwrap();
        let gradients = whole_numbers(&stage, 4);
        let expected = plain_sum(&gradients);
        for trial in 0..60 {
            let mut sketch = Sketch::sample(&stage, false, &mut random);
            sketch.genes.iter_mut().for_each(|gene| gene.staleness = 0);
            let strategy = sketch.strategy(&stage, "sampled");
            let team = Team::new(&stage, &strategy).unwrap();
            let (sums, lost) = team.train(1, &|machine, _, _| gradients[machine].clone()).unwrap();
            assert!(sums.iter().all(|sum| *sum == sums[0]), "machines agree, trial {trial}");
            let kept = plain_sum(&lost);
            for (variable, expected) in expected.iter().enumerate() {
                for (element, expected) in expected.iter().enumerate() {
                    let all = sums[0][variable][element] + kept[variable][element];
                    assert!((all - expected).abs() < 0.02, "{all} for {expected}, trial {trial}: {strategy:?}");
                }
            }
        }
    }
}

#[test]
fn a_tree_adds_in_the_order_of_every_engine() {
    for machines in 1..=8 {
        let stage = Stage::new(model(), &cluster(machines, false), machines).unwrap();
        let strategy = Sketch::uniform(&stage, Gene::new(Kind::AllReduce(Method::Tree)), 4).strategy(&stage, "tree");
        let mut gradients = whole_numbers(&stage, 5);
        gradients.iter_mut().flatten().flatten().for_each(|x| *x = 1.0 / (*x + 0.3));
        let sums = Team::new(&stage, &strategy).unwrap().sum(&gradients).unwrap();
        let expected = |variable: usize, element: usize| by_tree(&gradients, variable, element);
        for (variable, tensor) in sums[0].iter().enumerate() {
            for (element, sum) in tensor.iter().enumerate() {
                assert_eq!(sum.to_bits(), expected(variable, element).to_bits());
            }
        }
        let mut tree = TreeSum::default();
        gradients.iter().for_each(|own| tree.add(own[0].iter().map(|x| f64::from(*x)).collect()));
        let mut wide = vec![0.0; gradients[0][0].len()];
        tree.finish(&mut wide);
        assert!(wide.iter().zip(&sums[0][0]).all(|(a, b)| (a - f64::from(*b)).abs() < 1e-5 * a.abs().max(1.0)));
    }
}

fn by_tree(gradients: &[Vec<Vec<f32>>], variable: usize, element: usize) -> f32 {
    match gradients {
        [] => 0.0,
        [one] => one[variable][element],
        many => {
            let left = 1 << (many.len() - 1).ilog2();
            by_tree(&many[..left], variable, element) + by_tree(&many[left..], variable, element)
        }
    }
}

/// Steps of gradient descent on ½‖w − t‖² where every machine has its own target and sees only its own gradient.
fn distance_after(compression: Compression, staleness: u32, steps: u64) -> f32 {
    let variables = vec![Variable::new("w", [12, 12])];
    let stage = Stage::new(Model { name: "w".into(), variables, step_ms: 0.0 }, &cluster(4, false), 4).unwrap();
    let gene = Gene { compression, staleness, ..Gene::new(Kind::AllReduce(Method::Ring)) };
    let strategy = Sketch::uniform(&stage, gene, 4).strategy(&stage, "lossy");
    let target = |machine: usize, i: usize| ((i * 7 + machine * 13) % 23) as f32 / 4.0 - 2.0;
    let weights: Vec<std::sync::Mutex<Vec<f32>>> = (0..4).map(|_| std::sync::Mutex::new(vec![0.0; 144])).collect();
    let source = |machine: usize, _: u64, sums: &Vec<Vec<f32>>| {
        let mut own = weights[machine].lock().unwrap();
        if let [sum] = &sums[..] {
            own.iter_mut().zip(sum).for_each(|(w, g)| *w -= 0.005 * g);
        }
        vec![own.iter().enumerate().map(|(i, w)| w - target(machine, i)).collect()]
    };
    Team::new(&stage, &strategy).unwrap().train(steps, &source).unwrap();
    let best = |i: usize| (0..4).map(|machine| target(machine, i)).sum::<f32>() / 4.0;
    let last = weights[0].lock().unwrap();
    last.iter().enumerate().map(|(i, w)| (w - best(i)).abs()).fold(0.0, f32::max)
}

#[test]
fn lossy_and_stale_exchanges_converge_in_training() {
    let far = distance_after(Compression::None, 0, 2);
    let kinds = [
        (Compression::None, 0, 1e-3),
        (Compression::Fp16, 0, 1e-2),
        (Compression::Int8, 0, 2e-2),
        (Compression::TopK(0.25), 0, 0.1),
        (Compression::PowerSgd(2), 0, 0.1),
        (Compression::None, 2, 1e-3),
    ];
    for (compression, staleness, near) in kinds {
        let distance = distance_after(compression, staleness, 1500);
        assert!(far > 1.0 && distance < near, "{compression}, {staleness} steps late: {distance}");
    }
}

#[test]
fn real_bytes_over_shaped_links_take_real_time() {
    let mut variables = vec![Variable::new("w", [250_000])];
    variables[0].ready_ms = 2.0;
    let stage = Stage::new(Model { name: "w".into(), variables, step_ms: 4.0 }, &cluster(3, false), 3).unwrap();
    let strategy: Strategy = builders::named("ps", &stage).unwrap().remove(0);
    let seconds = Team::new(&stage, &strategy).unwrap().time(super::Timing { scale: 10.0, steps: 2, seed: 0 }).unwrap();
    // From 2 ms on two gradients of a megabyte come in at 1 GB/s, and one goes out before its receiver can go on.
    assert!(seconds.len() == 2 && seconds.iter().all(|seconds| *seconds >= 0.005), "{seconds:?}");
}
