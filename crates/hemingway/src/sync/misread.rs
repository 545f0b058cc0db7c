//! Where in a file of JSON the parser found what it could not take: it tells the line, and people look for names.

use serde_json::{Error, Value};

/// The parser's words behind the variable and the field that they are of; a line is told elsewhere.
pub(super) fn in_words(text: &str, error: &Error) -> String {
    let words = error.to_string();
    let words = words.rsplit_once(" at line ").map_or(words.as_str(), |(words, _)| words);
    let words = words.replace("expected usize", "expected a whole number").replace("expected f64", "expected a number");
    // What is no JSON has no fields to name.
    let steps = if error.is_data() { steps(read_until(text, error)) } else { Vec::new() };
    let told = named(text, &steps);
    if told.is_empty() { words } else { format!("{told}: {words}") }
}

/// A step down into a value.
#[derive(Debug, Clone, PartialEq)]
enum Step {
    Field(String),
    Place(usize),
}

/// What the parser had read when it gave up.
fn read_until<'a>(text: &'a str, error: &Error) -> &'a [u8] {
    let before: usize = text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
    &text.as_bytes()[..text.len().min(before + error.column())]
}

/// The way to where sound JSON was left off.
fn steps(read: &[u8]) -> Vec<Step> {
    let mut open: Vec<Option<Step>> = Vec::new();
    let (mut at, mut last) = (0, "");
    while let Some(byte) = read.get(at) {
        match byte {
            b'"' => {
                let end = end_of_string(read, at + 1);
                last = std::str::from_utf8(&read[at + 1..end]).unwrap_or_default();
                at = end;
            }
            b'{' => open.push(None),
            b'[' => open.push(Some(Step::Place(0))),
            b'}' | b']' => _ = open.pop(),
            b':' => open.last_mut().into_iter().for_each(|step| *step = Some(Step::Field(last.into()))),
            b',' => match open.last_mut() {
                Some(Some(Step::Place(place))) => *place += 1,
                Some(field) => *field = None,
                None => {}
            },
            _ => {}
        }
        at += 1;
    }
    open.into_iter().flatten().collect()
}

/// Where the quotes close that were opened just before.
fn end_of_string(read: &[u8], mut at: usize) -> usize {
    while at < read.len() && read[at] != b'"' {
        at += if read[at] == b'\\' { 2 } else { 1 };
    }
    at.min(read.len())
}

/// The steps in words: of a list of variables, by the variable's name.
fn named(text: &str, steps: &[Step]) -> String {
    let [Step::Field(list), Step::Place(place), rest @ ..] = steps else { return joined(steps) };
    let whole: Option<Value> = serde_json::from_str(text).ok();
    let variable = whole.as_ref().map(|whole| &whole[list.as_str()][*place]);
    let name = variable.and_then(|one| one["variable"].as_str().or(one["name"].as_str()));
    match name.filter(|_| list == "variables") {
        Some(name) if rest.is_empty() => format!("variable `{name}`"),
        Some(name) => format!("variable `{name}`: {}", joined(rest)),
        None => joined(steps),
    }
}

fn joined(steps: &[Step]) -> String {
    let mut words = String::new();
    for step in steps {
        match step {
            Step::Field(name) if words.is_empty() => words.push_str(name),
            Step::Field(name) => words.push_str(&format!(".{name}")),
            Step::Place(place) => words.push_str(&format!("[{place}]")),
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use crate::sync::{Model, Strategy};

    const STRATEGY: &str = r#"{"version": 1, "name": "a \" {", "machines": 2, "window": 1, "variables": [
{"variable": "v", "shards": [{"by": "ring", "group": 0}]},
{"variable": "w", "shards": [{"by": "ring", "group": 1}, {"by": {"server": 1}, "group": 2}]}]}"#;

    #[test]
    fn the_field_and_the_variable_are_named() {
        assert!(Strategy::parse(STRATEGY).is_ok());
        for (from, to, told) in [
            ("\"window\": 1", "\"window\": \"8\"", "window: invalid type: string \"8\", expected a whole number"),
            ("\"ring\", \"group\": 1", "\"rign\", \"group\": 1", "variable `w`: shards[0].by: unknown variant `rign`"),
            ("\"group\": 2", "\"group\": \"two\"", "variable `w`: shards[1].group: invalid type"),
            ("{\"server\": 1}", "{\"server\": -1}", "variable `w`: shards[1].by.server: invalid value"),
            ("\"shards\": [{\"by\": \"ring\", \"group\": 0}]", "\"size\": 1", "variable `v`: unknown field `size`"),
            ("\"window\": 1,", "", "missing field `window`"),
        ] {
            let error = Strategy::parse(&STRATEGY.replace(from, to)).unwrap_err().to_string();
            assert!(error.contains(&format!(": {told}")), "{told}\n{error}");
        }
        let cut = Strategy::parse(&STRATEGY[..90]).unwrap_err().to_string();
        assert!(cut.contains(": EOF while parsing"), "{cut}");
    }

    #[test]
    fn a_list_without_names_is_counted() {
        let error = Model::parse(r#"{"name": "m", "variables": [{"shape": "3"}]}"#).unwrap_err().to_string();
        assert!(error.contains(": variables[0].shape: invalid type"), "{error}");
    }
}
