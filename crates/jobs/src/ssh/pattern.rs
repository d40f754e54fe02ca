//! Patterns of names, as in OpenSSH's files (`ssh_config(5)`, PATTERNS).

/// Whether a text matches a pattern in which `*` stands for any characters and `?` for any one.
pub(super) fn matches(pattern: &str, text: &str) -> bool {
    let (pattern, text) = (pattern.as_bytes(), text.as_bytes());
    let (mut p, mut t) = (0, 0);
    // The last star, and the place in the text from which it is tried.
    let mut star: Option<(usize, usize)> = None;
    while t < text.len() {
        match pattern.get(p) {
            Some(b'*') => {
                star = Some((p, t));
                p += 1;
            }
            Some(&byte) if byte == b'?' || byte == text[t] => {
                p += 1;
                t += 1;
            }
            _ => match star {
                None => return false,
                Some((at, from)) => {
                    star = Some((at, from + 1));
                    p = at + 1;
                    t = from + 1;
                }
            },
        }
    }
    pattern[p..].iter().all(|&byte| byte == b'*')
}

/// Whether a text matches one of the patterns between commas, and none of those that begin with `!`.
pub(super) fn matches_list(list: &str, text: &str) -> bool {
    let mut found = false;
    for pattern in list.split(',') {
        match pattern.strip_prefix('!') {
            Some(pattern) if matches(pattern, text) => return false,
            Some(_) => {}
            None => found |= matches(pattern, text),
        }
    }
    found
}

/// Whether a text has characters with a meaning in patterns or lists.
pub(super) fn is_pattern(text: &str) -> bool {
    text.contains(['*', '?', '!', ','])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_and_exclamation_marks() {
        for (pattern, text) in [
            ("", ""),
            ("*", ""),
            ("a*", "a"),
            ("*.example.org", "host.example.org"),
            ("a?c*e", "abcdde"),
            ("*a*b*", "xaxaxbx"),
            ("**", "ab"),
        ] {
            assert!(matches(pattern, text), "{pattern} {text}");
        }
        for (pattern, text) in [
            ("", "a"),
            ("?", ""),
            ("a", "A"),
            ("*.example.org", "example.org"),
            ("a*b", "abc"),
            ("a?", "a"),
        ] {
            assert!(!matches(pattern, text), "{pattern} {text}");
        }
        assert!(matches_list("a,b*", "bc"));
        assert!(!matches_list("*,!b*", "bc"));
        assert!(!matches_list("!b*", "a"));
    }
}
