//! `recommend`: the items that suit a user best.

use anyhow::Result;
use hemingway::Error;
use hemingway::trained::Recommended;
use serde_json::{Value, json};

use super::exit;
use super::predict::{load_model, say_all};
use crate::args::RecommendArgs;
use crate::output::{Answer, Output};
use crate::show::Paint;

/// Recommends.
pub(super) fn recommend(args: &RecommendArgs, out: &mut dyn Output) -> Result<u8> {
    let model = load_model(&args.model, &args.store.store)?;
    let of_file = |error| match error {
        Error::File { what, .. } => Error::file(&args.model, what),
        other => other,
    };
    let (items, note) = model.recommend(&args.user, args.top, args.seen).map_err(of_file)?;
    let notes: Vec<String> = note.into_iter().collect();
    say_all(&notes, out);
    out.answer(&Suggested { user: args.user.clone(), items, notes })?;
    Ok(exit::MET)
}

struct Suggested {
    user: String,
    items: Vec<Recommended>,
    notes: Vec<String>,
}

impl Answer for Suggested {
    fn json(&self) -> Value {
        json!({ "user": self.user, "items": self.items, "notes": self.notes })
    }

    fn human(&self, paint: Paint) -> String {
        let longest = self.items.iter().map(|item| item.item.chars().count()).max().unwrap_or(0);
        let line = |(k, Recommended { item, score }): (usize, &Recommended)| {
            format!("{}  {item:<longest$}  {score:.3}\n", paint.dim(&format!("{:>3}", k + 1)))
        };
        self.items.iter().enumerate().map(line).collect()
    }

    fn quiet(&self) -> String {
        self.items.iter().map(|item| item.item.as_str()).collect::<Vec<_>>().join("\n")
    }
}
