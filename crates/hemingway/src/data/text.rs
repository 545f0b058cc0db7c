//! Pieces of text files: numbers, and tokens as they can be shown.

mod decimal;

pub(super) use decimal::prefix;

/// A finite number.
pub(super) fn number(text: &[u8]) -> Option<f64> {
    if let Some((v, length)) = prefix(text)
        && length == text.len()
    {
        return Some(v);
    }
    let v: f64 = std::str::from_utf8(text).ok()?.parse().ok()?;
    v.is_finite().then_some(v)
}

/// A token as it can be shown: short and printable, whatever the file holds.
pub(super) fn show(token: &[u8]) -> String {
    let short: String = String::from_utf8_lossy(token).chars().take(32).collect();
    let more = if short.len() < token.len() { "…" } else { "" };
    format!("`{}{more}`", short.escape_debug())
}

/// A line that holds nothing: empty, or a comment. Tabs may be empty fields.
pub(super) fn is_skipped(line: &[u8]) -> bool {
    line.iter().find(|b| !b" \r\n".contains(b)).is_none_or(|first| *first == b'#')
}
