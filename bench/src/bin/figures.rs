//! Figures 1 and 3 to 10 of the founding paper from simulated runs, as SVG under `bench/out/figures/`, and the numbers
//! beneath each as Markdown.

use anyhow::Context;
use hemingway_bench::figures::{
    NAMES, Part, first_figure, first_numbers, fitted, forward, left_out, ours, picture, study,
};
use hemingway_bench::out_dir;
use hemingway_plot::{Picture, Scale};

const SETTING: &str = "CoCoA+ on MNIST, digit 5 against the rest, linear SVM, λ = 3e-5; Spark, simulated";

fn main() -> anyhow::Result<()> {
    let study = study()?;
    save("figure-1", &first_figure(&study))?;
    println!("## Figure 1\n\n{}", first_numbers(&study));
    let unseen = left_out(&study)?;
    save("unseen", &ours("The more machines, the more rounds, and by how many can be foretold", SETTING, &unseen[0]))?;
    let [rounds, seconds] = forward(&study);
    let figures = [
        ("every m, by models of all m", fitted(&study)?),
        ("each m, by models of the others", unseen),
        ("ahead of a window of 50 rounds", rounds),
        ("ahead of a window of 50 rounds, in time", seconds),
    ];
    for (place, (title, parts)) in figures.iter().enumerate() {
        figure(3 + place, title, parts, Scale::Log)?;
    }
    for (place, (title, parts)) in figures.iter().enumerate() {
        let title = format!("{title}: the first 100 rounds");
        figure(7 + place, &title, &parts.each_ref().map(Part::early), Scale::Linear)?;
    }
    Ok(())
}

fn figure(number: usize, title: &str, parts: &[Part; 2], rounds: Scale) -> anyhow::Result<()> {
    save(&format!("figure-{number}"), &picture(&format!("Figure {number}: {title}"), SETTING, parts, rounds))?;
    let heads = NAMES.map(|name| format!("{name}: median % | mean | p95")).join(" | ");
    println!("## Figure {number}: {title}\n\n| part | predictions | {heads} |\n|---|--:|{}", "--:|".repeat(6));
    for part in parts {
        println!("{}", part.row());
    }
    println!();
    Ok(())
}

fn save(name: &str, picture: &Picture) -> anyhow::Result<()> {
    let path = out_dir()?.join(format!("figures/{name}.svg"));
    std::fs::write(&path, picture.svg()).with_context(|| format!("cannot write {}", path.display()))
}
