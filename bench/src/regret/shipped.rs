//! Precedents as `crates/hemingway/src/model/precedent/shipped.json` has them: four digits, a line a row.

use anyhow::Context;
use hemingway::model::Precedents;
use serde_json::Value;

/// The text of the file.
pub fn text(precedents: &Precedents) -> anyhow::Result<String> {
    let value = serde_json::to_value(precedents)?;
    let list = |key: &str| value[key].as_array().with_context(|| format!("precedents have no {key}"));
    let weights = list("weights")?;
    let rows: Vec<String> =
        weights.iter().map(|row| format!("[{}]", line(row.as_array().into_iter().flatten()))).collect();
    let covariance: Vec<String> =
        list("covariance")?.chunks(weights.len().max(1)).map(|row| line(row.iter())).collect();
    Ok(format!(
        "{{\n  \"algorithms\": [{}],\n  \"weights\": [\n    {}\n  ],\n  \"covariance\": [\n    {}\n  ],\n  \"noise\": [{}],\n  \"start\": [{}],\n  \"start_off\": {}{}\n}}",
        line(list("algorithms")?.iter()),
        rows.join(",\n    "),
        covariance.join(",\n    "),
        line(list("noise")?.iter()),
        line(list("start")?.iter()),
        short(&value["start_off"]),
        passes(&value),
    ))
}

/// What rounds take that are not alike, if any are.
fn passes(value: &Value) -> String {
    let all = value["passes"].as_array().map_or(&[][..], Vec::as_slice);
    let one = |passes: &Value| {
        let weights = line(passes["weights"].as_array().into_iter().flatten());
        format!(
            "{{ \"algorithm\": {}, \"weights\": [{weights}], \"off\": {} }}",
            passes["algorithm"],
            short(&passes["off"])
        )
    };
    if all.is_empty() {
        return String::new();
    }
    format!(",\n  \"passes\": [\n    {}\n  ]", all.iter().map(one).collect::<Vec<_>>().join(",\n    "))
}

fn line<'a>(values: impl Iterator<Item = &'a Value>) -> String {
    values.map(short).collect::<Vec<_>>().join(", ")
}

/// A number to four digits; anything else as it is.
fn short(value: &Value) -> String {
    let rounded = value.as_f64().and_then(|number| format!("{number:.3e}").parse::<f64>().ok());
    rounded.map_or_else(|| value.to_string(), |number| number.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_program_comes_with_is_written_as_it_is() {
        for shipped in [Precedents::shipped(), Precedents::shipped_for_l1()] {
            let text = text(&shipped).unwrap();
            assert_eq!(serde_json::from_str::<Precedents>(&text).unwrap(), shipped);
            assert!(text.lines().all(|line| line.len() < 300), "{text}");
        }
    }
}
