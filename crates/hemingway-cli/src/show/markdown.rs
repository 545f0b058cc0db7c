//! Words inside Markdown.

/// Words that mean themselves, whatever letters they hold.
pub(crate) fn escaped(words: &str) -> String {
    let mut text = String::with_capacity(words.len());
    for letter in words.chars() {
        match letter {
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '&' | '~' => text.extend(['\\', letter]),
            letter if letter.is_control() => text.push(' '),
            letter => text.push(letter),
        }
    }
    text
}

/// Words that stand out, where they are to.
pub(crate) fn strong(words: &str, on: bool) -> String {
    if on && !words.is_empty() { format!("**{words}**") } else { words.into() }
}

/// Text as it is, in a block that nothing inside can end.
pub(crate) fn block(language: &str, text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(3.max(longest + 1));
    format!("{fence}{language}\n{}\n{fence}\n", text.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_inside_words_or_blocks_is_taken_for_a_mark() {
        assert_eq!(escaped("a_b|<c>*d*\n[e](f)"), r"a\_b\|\<c\>\*d\* \[e\](f)");
        assert_eq!(block("sh", "echo ```\n"), "````sh\necho ```\n````\n");
        assert_eq!(
            (strong("x", true), strong("", true), strong("x", false)),
            ("**x**".into(), String::new(), "x".into())
        );
    }
}
