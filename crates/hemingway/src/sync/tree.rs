//! The one tree in which engines sum.

/// Sums pushes in the pairwise tree that worker indices fix, whatever the engine: neighbours first, then pairs of
/// pairs. Pushes must come in order of worker; at most log₂ m + 1 partial sums are held.
#[derive(Debug, Default)]
pub struct TreeSum {
    /// Partial sums with the height of their subtree, tallest first.
    partial: Vec<(u32, Vec<f64>)>,
    spare: Vec<Vec<f64>>,
}

impl TreeSum {
    /// A zeroed buffer for the next push.
    pub fn buffer(&mut self, len: usize) -> Vec<f64> {
        let mut buffer = self.spare.pop().unwrap_or_default();
        buffer.clear();
        buffer.resize(len, 0.0);
        buffer
    }

    /// Takes the next worker's push.
    pub fn add(&mut self, push: Vec<f64>) {
        self.partial.push((0, push));
        while let [.., (a, _), (b, _)] = self.partial[..]
            && a == b
        {
            self.merge_last_two();
        }
    }

    /// Closes the tree and leaves the sum in `into`.
    pub fn finish(&mut self, into: &mut [f64]) {
        while self.partial.len() > 1 {
            self.merge_last_two();
        }
        match self.partial.pop() {
            Some((_, sum)) => {
                into.copy_from_slice(&sum);
                self.spare.push(sum);
            }
            None => into.fill(0.0),
        }
    }

    fn merge_last_two(&mut self) {
        let Some((_, right)) = self.partial.pop() else { return };
        if let Some((height, left)) = self.partial.last_mut() {
            crate::data::matrix::axpy(1.0, &right, left);
            *height += 1;
        }
        self.spare.push(right);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tree written out as recursion: the left half is the largest power of two below m.
    fn by_definition(pushes: &[f64]) -> f64 {
        match pushes {
            [] => 0.0,
            [one] => *one,
            many => {
                let left = 1 << (many.len() - 1).ilog2();
                by_definition(&many[..left]) + by_definition(&many[left..])
            }
        }
    }

    #[test]
    fn the_stream_sums_like_the_tree() {
        for m in 0..70 {
            let pushes: Vec<f64> = (0..m).map(|k| 1.0 / (k as f64 + 0.3)).collect();
            let mut tree = TreeSum::default();
            for &p in &pushes {
                let mut push = tree.buffer(1);
                push[0] = p;
                tree.add(push);
                assert!(tree.partial.len() <= 8);
            }
            let mut sum = [f64::NAN];
            tree.finish(&mut sum);
            assert_eq!(sum[0].to_bits(), by_definition(&pushes).to_bits(), "m = {m}");
        }
    }
}
