//! Paths as text. The guest has no file system: whether a path exists is git's to say.

use crate::host::PathStyle;

/// Whether the path needs no working directory. Paths with NUL can name nothing and are not absolute.
pub fn is_absolute(path: &str, style: PathStyle) -> bool {
    !path.contains('\0') && root_length(path, style) > 0
}

/// The absolute path that `path` means in `cwd`, without `.` and `..`; `None` where it means nothing certain.
///
/// Goes by the text alone, as a shell does in `cd ..`: what a symbolic link points to is not known here.
pub fn join(cwd: &str, path: &str, style: PathStyle) -> Option<String> {
    if path.is_empty() || path.contains('\0') || !is_absolute(cwd, style) {
        return None;
    }
    let begins = |separator: char| path.starts_with(separator);
    let whole = if root_length(path, style) > 0 {
        path.to_owned()
    } else if style == PathStyle::Windows && (begins('/') || begins('\\')) {
        // At the top of the drive that the directory is on.
        format!("{}{}", &cwd[..root_length(cwd, style)], &path[1..])
    } else if style == PathStyle::Windows && path.as_bytes().get(1) == Some(&b':') {
        // In a directory of another drive, which is not known here.
        return None;
    } else {
        format!("{cwd}{}{path}", separator(style))
    };
    Some(normalized(&whole, style))
}

/// An absolute path without `.`, `..` and empty components.
fn normalized(path: &str, style: PathStyle) -> String {
    let root = root_length(path, style);
    let mut components: Vec<&str> = Vec::new();
    for component in path[root..].split(|c: char| c.is_ascii() && separates(c as u8, style)) {
        match component {
            "" | "." => {}
            ".." => {
                components.pop();
            }
            _ => components.push(component),
        }
    }
    let mut normalized = path[..root].to_owned();
    let needs_separator = !normalized.ends_with(|c: char| c.is_ascii() && separates(c as u8, style));
    if needs_separator && !components.is_empty() {
        normalized.push(separator(style));
    }
    normalized.push_str(&components.join(separator(style).encode_utf8(&mut [0; 4])));
    normalized
}

fn separator(style: PathStyle) -> char {
    match style {
        PathStyle::Posix => '/',
        PathStyle::Windows => '\\',
    }
}

/// The directory that holds `path`, or `None` at the root of the path.
pub fn parent(path: &str, style: PathStyle) -> Option<&str> {
    let is_separator = |byte: u8| separates(byte, style);
    let root = root_length(path, style);
    let bytes = path.as_bytes();
    let mut end = bytes.len();
    while end > root && is_separator(bytes[end - 1]) {
        end -= 1;
    }
    if end <= root {
        return None;
    }
    while end > root && !is_separator(bytes[end - 1]) {
        end -= 1;
    }
    while end > root && is_separator(bytes[end - 1]) {
        end -= 1;
    }
    Some(&path[..end])
}

/// The last component, or the whole path where there is none.
pub fn name(path: &str, style: PathStyle) -> &str {
    let root = root_length(path, style);
    let rest = path[root..].trim_end_matches(|c: char| c.is_ascii() && separates(c as u8, style));
    let start = rest.bytes().rposition(|byte| separates(byte, style)).map_or(0, |index| index + 1);
    if rest.is_empty() { path } else { &rest[start..] }
}

fn separates(byte: u8, style: PathStyle) -> bool {
    byte == b'/' || (byte == b'\\' && style == PathStyle::Windows)
}

/// How many bytes at the start make the path absolute: `/`, `C:\`, or `\\server\share`. 0 for a relative path.
fn root_length(path: &str, style: PathStyle) -> usize {
    let bytes = path.as_bytes();
    match style {
        PathStyle::Posix => usize::from(bytes.first() == Some(&b'/')),
        PathStyle::Windows => match bytes {
            [a, b, rest @ ..] if separates(*a, style) && separates(*b, style) => {
                let mut separators = rest.iter().enumerate().filter(|(_, byte)| separates(**byte, style));
                separators.nth(1).map_or(bytes.len(), |(index, _)| index + 2)
            }
            [letter, b':', separator, ..] if letter.is_ascii_alphabetic() && separates(*separator, style) => 3,
            _ => 0,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use PathStyle::{Posix, Windows};

    #[test]
    fn absolute_paths() {
        for (path, style, expected) in [
            ("/", Posix, true),
            ("/a", Posix, true),
            ("a/b", Posix, false),
            ("", Posix, false),
            ("~/a", Posix, false),
            ("C:\\a", Posix, false),
            ("/a\0b", Posix, false),
            ("C:\\a", Windows, true),
            ("c:/a", Windows, true),
            ("C:a", Windows, false),
            ("\\a", Windows, false),
            ("\\\\server\\share\\a", Windows, true),
        ] {
            assert_eq!(is_absolute(path, style), expected, "{path}");
        }
    }

    #[test]
    fn parents_end_at_the_root() {
        for (path, style, expected) in [
            ("/a/b", Posix, Some("/a")),
            ("/a//b/", Posix, Some("/a")),
            ("/a", Posix, Some("/")),
            ("/", Posix, None),
            ("/ä/ö", Posix, Some("/ä")),
            ("C:\\a\\b", Windows, Some("C:\\a")),
            ("C:/a", Windows, Some("C:/")),
            ("C:\\", Windows, None),
            ("\\\\server\\share\\a", Windows, Some("\\\\server\\share")),
            ("\\\\server\\share", Windows, None),
        ] {
            assert_eq!(parent(path, style), expected, "{path}");
        }
    }

    #[test]
    fn names() {
        for (path, style, expected) in [
            ("/src/widget", Posix, "widget"),
            ("/src/wid\\get/", Posix, "wid\\get"),
            ("/", Posix, "/"),
            ("C:\\src\\widget", Windows, "widget"),
            ("C:/src/widget", Windows, "widget"),
            ("\\\\server\\share", Windows, "\\\\server\\share"),
        ] {
            assert_eq!(name(path, style), expected, "{path}");
        }
    }

    #[test]
    fn joined_paths_are_absolute_and_plain() {
        for (cwd, path, style, expected) in [
            ("/src/a", "b", Posix, Some("/src/a/b")),
            ("/src/a", "../b/./c//d/", Posix, Some("/src/b/c/d")),
            ("/src/a", "../../../..", Posix, Some("/")),
            ("/src/a", "/x/../y", Posix, Some("/y")),
            ("/src/a", ".", Posix, Some("/src/a")),
            ("/src/a", "a\\b", Posix, Some("/src/a/a\\b")),
            ("/", "a", Posix, Some("/a")),
            ("/src/a", "", Posix, None),
            ("/src/a", "a\0b", Posix, None),
            ("src", "a", Posix, None),
            ("C:\\src\\a", "..\\b/c", Windows, Some("C:\\src\\b\\c")),
            ("C:\\src", "\\x", Windows, Some("C:\\x")),
            ("C:\\src", "/x", Windows, Some("C:\\x")),
            ("C:\\src", "D:\\x\\..", Windows, Some("D:\\")),
            ("C:\\src", "D:x", Windows, None),
            ("C:\\src", "\\\\host\\share\\a\\..", Windows, Some("\\\\host\\share")),
        ] {
            assert_eq!(join(cwd, path, style).as_deref(), expected, "{cwd} {path}");
        }
    }
}
