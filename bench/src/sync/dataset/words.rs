//! A sketch in a few letters a variable: what a row of the data set says of its strategy.
//!
//! `w16 f1e6 s4 S4 R*3 Db8z Tk0.01~2`: sixteen groups under way, groups closed at a megabyte, four servers; then the variables in
//! the model's order. A letter says who sums (`S`erver, `R`ing, `T`ree, halving–`D`oubling, `H`ierarchical), a small one the axis
//! if it is not the first (`b` the second), a number the shards if there are several, then `z` zeros left out, `m` the same packed, `h` 16 bits,
//! `i` 8 bits, `k` a share of top elements or `p` a rank of PowerSGD, and after `~` by how many steps sums may be late. `*3`: three
//! variables alike.

use anyhow::{Context, Result, bail};
use hemingway::sync::sketch::{Gene, Kind, Sketch};
use hemingway::sync::strategy::{Compression, Method};

const KINDS: [(char, Kind); 5] = [
    ('S', Kind::Server),
    ('R', Kind::AllReduce(Method::Ring)),
    ('T', Kind::AllReduce(Method::Tree)),
    ('D', Kind::AllReduce(Method::HalvingDoubling)),
    ('H', Kind::AllReduce(Method::Hierarchical)),
];
/// The second axis to the seventh: what other small letters do not stand for.
const AXES: &str = "bcdefg";

/// A sketch as words.
pub fn words(sketch: &Sketch) -> String {
    let mut all = format!("w{} f{} s{}", sketch.window, sketch.fusion, sketch.servers);
    for alike in sketch.genes.chunk_by(|a, b| a == b) {
        all.push(' ');
        all.push_str(&gene_words(&alike[0]));
        if alike.len() > 1 {
            all.push_str(&format!("*{}", alike.len()));
        }
    }
    all
}

fn gene_words(gene: &Gene) -> String {
    let letter = KINDS.iter().find(|(_, kind)| *kind == gene.kind).map_or('?', |(letter, _)| *letter);
    let axis = gene.axis.checked_sub(1).and_then(|place| AXES.chars().nth(place));
    let shards = if gene.shards == 1 { String::new() } else { gene.shards.to_string() };
    let compression = match gene.compression {
        Compression::None => String::new(),
        Compression::Sparse => "z".into(),
        Compression::Packed => "m".into(),
        Compression::Fp16 => "h".into(),
        Compression::Int8 => "i".into(),
        Compression::TopK(share) => format!("k{share}"),
        Compression::PowerSgd(rank) => format!("p{rank}"),
    };
    let late = if gene.staleness == 0 { String::new() } else { format!("~{}", gene.staleness) };
    format!("{letter}{}{shards}{compression}{late}", axis.map(String::from).unwrap_or_default())
}

/// The sketch of these words.
pub fn sketch(words: &str) -> Result<Sketch> {
    let mut rest = words.split(' ');
    let mut number = |letter: char| {
        let word = rest.next().and_then(|word| word.strip_prefix(letter));
        word.and_then(|word| word.parse::<f64>().ok()).with_context(|| format!("`{words}` lacks {letter} and a number"))
    };
    let (window, fusion, servers) = (number('w')?, number('f')?, number('s')?);
    let mut genes = Vec::new();
    for word in rest {
        let (word, count) = word.split_once('*').unwrap_or((word, "1"));
        let count: usize =
            count.parse().with_context(|| format!("`{word}*{count}` repeats no whole number of times"))?;
        genes.extend(std::iter::repeat_n(gene(word)?, count));
    }
    Ok(Sketch { genes, fusion, window: window as usize, servers: servers as usize })
}

fn gene(word: &str) -> Result<Gene> {
    let (rest, staleness) = word.split_once('~').unwrap_or((word, "0"));
    let letter = rest.chars().next().context("a variable without a word")?;
    let kind = KINDS.iter().find(|(known, _)| *known == letter).with_context(|| format!("`{word}`: who sums?"))?.1;
    let rest = &rest[letter.len_utf8()..];
    let axis = rest.chars().next().and_then(|letter| AXES.find(letter));
    let rest = if axis.is_some() { &rest[1..] } else { rest };
    let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let (shards, compression) = rest.split_at(digits);
    Ok(Gene {
        kind,
        axis: axis.map_or(0, |place| place + 1),
        shards: if shards.is_empty() { 1 } else { shards.parse()? },
        compression: compression_of(compression).with_context(|| format!("`{word}`"))?,
        staleness: staleness.parse().with_context(|| format!("`{word}`"))?,
    })
}

fn compression_of(word: &str) -> Result<Compression> {
    Ok(match (word.get(..1).unwrap_or_default(), word.get(1..).unwrap_or_default()) {
        ("", _) => Compression::None,
        ("z", "") => Compression::Sparse,
        ("m", "") => Compression::Packed,
        ("h", "") => Compression::Fp16,
        ("i", "") => Compression::Int8,
        ("k", share) => Compression::TopK(share.parse()?),
        ("p", rank) => Compression::PowerSgd(rank.parse()?),
        _ => bail!("an unknown compression"),
    })
}

#[cfg(test)]
mod tests {
    use hemingway::rng::{Purpose, keyed};

    use super::*;
    use crate::sync::{CLUSTERS, stage};

    #[test]
    fn sketches_read_back_as_they_were() {
        for (model, (cluster, _)) in ["ncf", "resnet50", "bert-base"].into_iter().zip(&CLUSTERS) {
            let stage = stage(model, cluster).unwrap();
            for draw in 0..60 {
                let (lossless, mut random) = (draw % 2 == 0, keyed(5, Purpose::Propose, 0, draw));
                let drawn = Sketch::sample(&stage, lossless, &mut random).changed(&stage, lossless, &mut random);
                assert_eq!(sketch(&words(&drawn)).unwrap(), drawn, "{}", words(&drawn));
            }
        }
    }

    #[test]
    fn words_are_as_documented_and_others_are_refused() {
        let read = sketch("w16 f1e6 s4 S4 R*3 Db8z Tk0.01~2").unwrap();
        assert_eq!((read.window, read.fusion, read.servers, read.genes.len()), (16, 1e6, 4, 6));
        assert_eq!(read.genes[4].axis, 1);
        assert_eq!(read.genes[5].compression, Compression::TopK(0.01));
        assert_eq!(read.genes[5].staleness, 2);
        for wrong in ["", "w1 f0", "w1 f0 s1 Q", "w1 f0 s1 Ry", "w1 f0 s1 R*x", "w1 f0 s1 R~x", "w1 f0 s1 é"] {
            assert!(sketch(wrong).is_err(), "{wrong}");
        }
    }
}
