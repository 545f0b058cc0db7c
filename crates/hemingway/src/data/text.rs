//! Pieces of text files: numbers, and tokens as they can be shown.

/// A finite number.
pub(super) fn number(text: &[u8]) -> Option<f64> {
    // Most values of real files are short whole numbers, which need no general parser.
    if (1..=15).contains(&text.len()) && text.iter().all(u8::is_ascii_digit) {
        return Some(text.iter().fold(0, |n, b| 10 * n + u64::from(b - b'0')) as f64);
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
