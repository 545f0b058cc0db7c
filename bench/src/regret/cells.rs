//! What was judged last, kept so that tables can be printed again.

use std::path::PathBuf;

use anyhow::Context;

use super::judge::Pair;

/// Keeps every pair, one a line.
pub fn save(pairs: &[Pair]) -> anyhow::Result<()> {
    let lines: Vec<String> = pairs.iter().map(serde_json::to_string).collect::<Result<_, _>>()?;
    Ok(std::fs::write(path()?, lines.join("\n"))?)
}

/// Reads them again.
pub fn load() -> anyhow::Result<Vec<Pair>> {
    let path = path()?;
    let text = std::fs::read_to_string(&path)
        .with_context(|| format!("cannot read {}; `regret judge` writes it", path.display()))?;
    text.lines().map(|line| Ok(serde_json::from_str(line)?)).collect()
}

fn path() -> anyhow::Result<PathBuf> {
    Ok(crate::out_dir()?.join("regret").join("cells.jsonl"))
}
