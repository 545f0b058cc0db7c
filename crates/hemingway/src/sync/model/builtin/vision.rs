//! Networks of pictures of 1,000 classes: VGG (1409.1556), ResNet (1512.03385), DenseNet (1608.06993), Inception v3
//! (1512.00567).

use super::Net;

const CLASSES: usize = 1000;

pub(super) fn vgg16() -> Net {
    let mut net = Net::of_pictures(224);
    let mut from = 3;
    for (stage, (layers, to)) in [(2, 64), (2, 128), (3, 256), (3, 512), (3, 512)].into_iter().enumerate() {
        for layer in 0..layers {
            let name = format!("conv{}_{}", stage + 1, layer + 1);
            net.conv(&name, from, to, (3, 3));
            net.push(format!("{name}.bias"), vec![to], (to * net.side * net.side) as f64);
            from = to;
        }
        net.side /= 2;
    }
    for (name, from, to) in [("fc6", 7 * 7 * 512, 4096), ("fc7", 4096, 4096), ("fc8", 4096, CLASSES)] {
        net.dense(name, from, to, 1.0);
    }
    net
}

/// Bottleneck blocks: 1×1, 3×3, 1×1 to four times the width.
pub(super) fn resnet(blocks: &[usize; 4]) -> Net {
    let mut net = Net::of_pictures(112);
    net.conv_norm("conv1", 3, 64, (7, 7));
    net.side = 56;
    let mut from = 64;
    for (stage, blocks) in blocks.iter().enumerate() {
        let width = 64 << stage;
        for block in 0..*blocks {
            let name = format!("layer{}.{block}", stage + 1);
            net.conv_norm(&format!("{name}.conv1"), from, width, (1, 1));
            if block == 0 && stage > 0 {
                net.side /= 2;
            }
            net.conv_norm(&format!("{name}.conv2"), width, width, (3, 3));
            net.conv_norm(&format!("{name}.conv3"), width, 4 * width, (1, 1));
            if block == 0 {
                net.conv_norm(&format!("{name}.downsample"), from, 4 * width, (1, 1));
            }
            from = 4 * width;
        }
    }
    net.dense("fc", from, CLASSES, 1.0);
    net
}

/// Every layer adds 32 channels to all before it; between blocks half of them are kept.
pub(super) fn densenet121() -> Net {
    const GROWTH: usize = 32;
    let mut net = Net::of_pictures(112);
    net.conv_norm("conv0", 3, 64, (7, 7));
    net.side = 56;
    let mut channels = 64;
    for (block, layers) in [6, 12, 24, 16].into_iter().enumerate() {
        for layer in 0..layers {
            let name = format!("block{}.{}", block + 1, layer + 1);
            net.norm(&format!("{name}.norm1"), channels);
            net.conv_norm(&format!("{name}.conv1"), channels, 4 * GROWTH, (1, 1));
            net.conv(&format!("{name}.conv2"), 4 * GROWTH, GROWTH, (3, 3));
            channels += GROWTH;
        }
        if block < 3 {
            net.norm(&format!("transition{}.norm", block + 1), channels);
            net.conv(&format!("transition{}.conv", block + 1), channels, channels / 2, (1, 1));
            channels /= 2;
            net.side /= 2;
        }
    }
    net.norm("norm5", channels);
    net.dense("classifier", channels, CLASSES, 1.0);
    net
}

/// Channels and kernels of the layers of a branch.
type Branch = Vec<(usize, (usize, usize))>;

/// Branches side by side, each from the same channels.
fn mixed(net: &mut Net, name: &str, from: usize, branches: &[Branch]) -> usize {
    for (branch, layers) in branches.iter().enumerate() {
        let mut from = from;
        for (layer, (to, kernel)) in layers.iter().enumerate() {
            net.conv_norm(&format!("{name}.branch{branch}.{layer}"), from, *to, *kernel);
            from = *to;
        }
    }
    branches.iter().filter_map(|layers| layers.last()).map(|(to, _)| to).sum()
}

/// Without the auxiliary classifier.
pub(super) fn inception_v3() -> Net {
    let mut net = Net::of_pictures(149);
    for (name, side, from, to, kernel) in [
        ("1a", 149, 3, 32, 3),
        ("2a", 147, 32, 32, 3),
        ("2b", 147, 32, 64, 3),
        ("3b", 73, 64, 80, 1),
        ("4a", 71, 80, 192, 3),
    ] {
        net.side = side;
        net.conv_norm(&format!("conv{name}"), from, to, (kernel, kernel));
    }
    net.side = 35;
    let mut channels = 192;
    for (place, pool) in [("5b", 32), ("5c", 64), ("5d", 64)] {
        let double = vec![(64, (1, 1)), (96, (3, 3)), (96, (3, 3))];
        let branches = [vec![(64, (1, 1))], vec![(48, (1, 1)), (64, (5, 5))], double, vec![(pool, (1, 1))]];
        channels = mixed(&mut net, &format!("mixed{place}"), channels, &branches);
    }
    net.side = 17;
    let double = vec![(64, (1, 1)), (96, (3, 3)), (96, (3, 3))];
    channels += mixed(&mut net, "mixed6a", channels, &[vec![(384, (3, 3))], double]);
    for (place, c) in [("6b", 128), ("6c", 160), ("6d", 160), ("6e", 192)] {
        let seven = vec![(c, (1, 1)), (c, (1, 7)), (192, (7, 1))];
        let double = vec![(c, (1, 1)), (c, (7, 1)), (c, (1, 7)), (c, (7, 1)), (192, (1, 7))];
        channels = mixed(
            &mut net,
            &format!("mixed{place}"),
            channels,
            &[vec![(192, (1, 1))], seven, double, vec![(192, (1, 1))]],
        );
    }
    net.side = 8;
    let seven = vec![(192, (1, 1)), (192, (1, 7)), (192, (7, 1)), (192, (3, 3))];
    channels += mixed(&mut net, "mixed7a", channels, &[vec![(192, (1, 1)), (320, (3, 3))], seven]);
    for place in ["7b", "7c"] {
        channels = widest(&mut net, &format!("mixed{place}"), channels);
    }
    net.dense("fc", channels, CLASSES, 1.0);
    net
}

/// The last kind of block: two of its branches end in a pair of layers side by side.
fn widest(net: &mut Net, name: &str, from: usize) -> usize {
    mixed(net, name, from, &[vec![(320, (1, 1))], vec![(384, (1, 1))], vec![(448, (1, 1)), (384, (3, 3))]]);
    for branch in [1, 2] {
        mixed(net, &format!("{name}.fork{branch}"), 384, &[vec![(384, (1, 3))], vec![(384, (3, 1))]]);
    }
    mixed(net, &format!("{name}.pool"), from, &[vec![(192, (1, 1))]]);
    320 + 2 * 768 + 192
}
