//! Values as people write them.

use std::path::PathBuf;
use std::str::FromStr;

use hemingway::Error;
use hemingway::engine::MOST_MACHINES;
use hemingway::goal::Goal;

/// How the names of pictures end that cannot be drawn.
const PICTURES: [&str; 8] = ["png", "jpg", "jpeg", "gif", "pdf", "eps", "ps", "webp"];

/// `60`, `60s`, `5m`, `1h30m`.
pub(super) fn seconds(text: &str) -> Result<f64, String> {
    if let Ok(seconds) = text.parse::<f64>() {
        return Ok(seconds);
    }
    let duration = humantime::parse_duration(text);
    duration.map(|d| d.as_secs_f64()).map_err(|_| "write seconds, or a time such as 60s, 5m or 1h30m".into())
}

/// A plain number.
pub(super) fn number(text: &str) -> Result<f64, String> {
    text.trim().parse().map_err(|_| "write a number, such as 0.01 or 1e-3".into())
}

/// A whole number.
pub(super) fn whole<T: FromStr>(text: &str) -> Result<T, String> {
    text.trim().parse().map_err(|_| "write a whole number, such as 8".into())
}

/// Machines of a run.
pub(super) fn one_number(text: &str) -> Result<usize, String> {
    match text.contains("..") {
        true => Err("write one number, such as 8; `hemingway train` chooses among --machines A..B".into()),
        false => whole(text),
    }
}

/// A part of the rows.
pub(super) fn share(text: &str) -> Result<f64, String> {
    text.trim().parse().map_err(|_| "write a share above 0 and below 1, such as 0.2".into())
}

/// What all that is random is drawn by.
pub(super) fn seed(text: &str) -> Result<u64, String> {
    text.trim().parse().map_err(|_| "write a whole number, such as 7".into())
}

/// Something with a name of its own; its complaint without the flag, which clap says already.
pub(super) fn named<T: FromStr<Err = Error>>(text: &str) -> Result<T, String> {
    text.parse().map_err(|error| match error {
        Error::Setting { what, .. } => what,
        other => other.to_string(),
    })
}

/// `$2` or `2`.
pub(super) fn dollars(text: &str) -> Result<f64, String> {
    let number = text.trim().strip_prefix('$').unwrap_or(text);
    number.parse().map_err(|_| "write dollars, such as 2 or '$0.50'".into())
}

/// `A..B`, both ends included, or a single number.
pub(super) fn machines(text: &str) -> Result<(usize, usize), String> {
    let wrong = || "write A..B, such as 1..16, or one number".to_string();
    let number = |text: &str| text.trim().parse::<usize>().map_err(|_| wrong());
    let range = match text.split_once("..") {
        Some((low, high)) => (number(low)?, number(high.strip_prefix('=').unwrap_or(high))?),
        None => number(text).map(|m| (m, m))?,
    };
    match range.1 <= MOST_MACHINES {
        true => Ok(range),
        false => Err(format!("{} is more than any cluster has; at most {MOST_MACHINES}", range.1)),
    }
}

/// `METRIC=VALUE`.
pub(super) fn metric_goal(text: &str) -> Result<Goal, String> {
    let wrong = || "write METRIC=VALUE, such as accuracy=0.97 or rmse=0.2".to_string();
    let (metric, value) = text.split_once('=').ok_or_else(wrong)?;
    let value = value.trim().parse().map_err(|_| wrong())?;
    Ok(Goal::ReachMetric { metric: metric.trim().into(), value, level: None })
}

/// A file for a picture.
pub(super) fn svg(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    let ends = path.extension().is_some_and(|end| end.eq_ignore_ascii_case("svg"));
    ends.then_some(path).ok_or_else(|| "pictures are drawn as SVG: end the file's name in .svg".into())
}

/// A file for a picture, or a folder for several. A name such as `fit.png` is no folder's: its owner wants another format.
pub(super) fn svg_or_folder(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    let format = path.extension().filter(|_| !path.is_dir()).map(|end| end.to_string_lossy().to_lowercase());
    match format.as_deref() {
        Some(end) if PICTURES.contains(&end) => {
            Err("pictures are drawn as SVG: end the file's name in .svg, or name a folder".into())
        }
        _ => Ok(path),
    }
}

/// A target error above 0.
pub(super) fn error(text: &str) -> Result<f64, String> {
    let error: f64 = text.parse().map_err(|_| "not a number; write errors such as 1e-2,1e-3".to_string())?;
    if error.is_finite() && error > 0.0 { Ok(error) } else { Err("errors are above 0".into()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_money_and_ranges_are_read_as_people_write_them() {
        assert_eq!(["60", "60s", "5m", "1h30m", "0.5"].map(|t| seconds(t).unwrap()), [60.0, 60.0, 300.0, 5400.0, 0.5]);
        assert_eq!(["$2", "2", "$0.50"].map(|t| dollars(t).unwrap()), [2.0, 2.0, 0.5]);
        assert_eq!(["1..8", "2..=4", "3"].map(|t| machines(t).unwrap()), [(1, 8), (2, 4), (3, 3)]);
        assert!(seconds("soon").is_err() && dollars("much").is_err() && machines("1..").is_err());
        assert!(svg("a/b.SVG").is_ok() && svg("b.png").is_err() && svg(".").is_err());
        assert!(svg_or_folder("fit.PNG").is_err() && svg_or_folder("a.b/pictures").is_ok());
        assert!(metric_goal("accuracy").is_err() && error("0").is_err());
    }
}
