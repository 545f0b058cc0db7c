//! What was judged, kept problem by problem: a judge that was interrupted goes on, and tables can be printed again.

use std::path::PathBuf;
use std::time::SystemTime;

use anyhow::Context;

use super::judge::Pair;
use super::suite;

/// Keeps the pairs of a problem, one a line.
pub fn save(problem: &str, pairs: &[Pair]) -> anyhow::Result<()> {
    let lines: Vec<String> = pairs.iter().map(serde_json::to_string).collect::<Result<_, _>>()?;
    Ok(std::fs::write(path(problem)?, lines.join("\n"))?)
}

/// Reads them again.
pub fn load(problem: &str) -> anyhow::Result<Vec<Pair>> {
    let path = path(problem)?;
    let text = std::fs::read_to_string(&path)
        .with_context(|| format!("cannot read {}; `regret judge {problem}` writes it", path.display()))?;
    text.lines().map(|line| Ok(serde_json::from_str(line)?)).collect()
}

/// Whether this very program judged the problem, as the suite has it now.
pub fn are_fresh(problem: &str) -> anyhow::Result<bool> {
    let changed = |path: PathBuf| -> Option<SystemTime> { path.metadata().and_then(|about| about.modified()).ok() };
    let judged = changed(path(problem)?);
    Ok(judged.is_some()
        && judged > changed(std::env::current_exe()?)
        && judged > changed(suite::folder().join("suite.toml")))
}

fn path(problem: &str) -> anyhow::Result<PathBuf> {
    let folder = crate::out_dir()?.join("regret").join(problem);
    std::fs::create_dir_all(&folder)?;
    Ok(folder.join("cells.jsonl"))
}
