//! Text from outside, such as the name of a file, as part of a line that nothing in it can end or
//! disguise.

use std::fmt::{self, Display, Write};

/// A text on one line: characters that would end the line, control the terminal or reverse the
/// direction of writing are escaped as in Rust, `\n` or `\u{1b}`.
pub(crate) struct OneLine<T>(pub(crate) T);

impl<T: Display> Display for OneLine<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(Escaping(f), "{}", self.0)
    }
}

/// A writer that escapes what it passes on.
struct Escaping<'a, 'b>(&'a mut fmt::Formatter<'b>);

impl Write for Escaping<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        text.chars().try_for_each(|character| {
            if is_dangerous(character) {
                write!(self.0, "{}", character.escape_default())
            } else {
                self.0.write_char(character)
            }
        })
    }
}

/// Whether a character is a control character, a line or paragraph separator, or one that changes
/// the direction of writing (Unicode's property `Bidi_Control`).
fn is_dangerous(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_ends_or_disguises_the_line() {
        for (text, expected) in [
            ("a b/é\\c: d", "a b/é\\c: d"),
            ("a\nsunzi: b\r\t", "a\\nsunzi: b\\r\\t"),
            ("\u{1b}[2K\u{7f}\u{9b}\0", "\\u{1b}[2K\\u{7f}\\u{9b}\\u{0}"),
            ("\u{2028}\u{202e}gpj", "\\u{2028}\\u{202e}gpj"),
        ] {
            assert_eq!(OneLine(text).to_string(), expected);
        }
    }
}
