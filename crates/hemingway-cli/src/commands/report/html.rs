//! One page: the Markdown rendered, the pictures in it, light and dark, ready to print.

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd, html};

use super::pieces::{Figure, Piece};

const STYLE: &str = include_str!("style.css");

/// The whole document.
pub(super) fn page(title: &str, pieces: &[Piece]) -> String {
    let body: String = pieces.iter().map(rendered).collect();
    let head = text(title);
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n\
         <meta name=\"color-scheme\" content=\"light dark\"/>\n<title>{head}</title>\n\
         <style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n{body}</main>\n</body>\n</html>\n"
    )
}

fn rendered(piece: &Piece) -> String {
    match piece {
        Piece::Words(words) => {
            let mut text = String::new();
            html::push_html(&mut text, Parser::new_ext(words, Options::ENABLE_TABLES).flat_map(framed));
            text
        }
        Piece::Figure(Figure { picture, caption, .. }) => {
            let below = if caption.is_empty() {
                String::new()
            } else {
                format!("<figcaption>{}</figcaption>\n", text(caption))
            };
            format!("<figure>\n{}{below}</figure>\n", picture.svg())
        }
    }
}

/// Words that mean themselves.
fn text(words: &str) -> String {
    let mut text = String::new();
    html::push_html(&mut text, [Event::Text(words.into())].into_iter());
    text
}

/// Wide tables scroll by themselves, not with the page.
fn framed(event: Event<'_>) -> Vec<Event<'_>> {
    match event {
        Event::Start(Tag::Table(_)) => vec![Event::Html("<div class=\"table\">".into()), event],
        Event::End(TagEnd::Table) => vec![event, Event::Html("</div>\n".into())],
        event => vec![event],
    }
}
