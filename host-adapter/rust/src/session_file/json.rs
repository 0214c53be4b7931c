//! JSON as session files hold it: anything, in any shape.
//!
//! An [`Object`] is taken apart one level at a time, and only as far as somebody asks; a member of another type than
//! the expected one counts as absent. Values stay the text they were stored as, so that neither numbers nor the order
//! of members change on their way to the guest.

use std::borrow::Cow;
use std::fmt;

use memchr::memmem;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// The members of a JSON object, in the order of the text.
pub(super) struct Object<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'a> Object<'a> {
    /// The object that is the whole text; `None` for anything else.
    pub(super) fn parse(text: &'a str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }

    /// The value of a member. The last one of that name counts, as in JavaScript.
    pub(super) fn get(&self, name: &str) -> Option<&'a RawValue> {
        self.0.iter().rev().find(|(key, _)| key == name).map(|&(_, value)| value)
    }

    pub(super) fn string(&self, name: &str) -> Option<String> {
        self.get(name).and_then(string)
    }

    pub(super) fn is_true(&self, name: &str) -> bool {
        self.get(name).is_some_and(|value| value.get() == "true")
    }

    pub(super) fn object(&self, name: &str) -> Option<Object<'a>> {
        self.get(name).and_then(|value| Object::parse(value.get()))
    }
}

/// The string that a value is.
pub(super) fn string(value: &RawValue) -> Option<String> {
    serde_json::from_str(value.get()).ok()
}

/// Whether a value is a string of at least one character. Does not look at the text itself.
pub(super) fn is_text(value: &RawValue) -> bool {
    value.get().starts_with('"') && value.get() != "\"\""
}

/// The objects in the array that a value is.
pub(super) fn objects(value: &RawValue) -> Vec<Object<'_>> {
    let items: Vec<&RawValue> = serde_json::from_str(value.get()).unwrap_or_default();
    items.into_iter().filter_map(|item| Object::parse(item.get())).collect()
}

impl<'de: 'a, 'a> Deserialize<'de> for Object<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;

        impl<'de> Visitor<'de> for Members {
            type Value = Object<'de>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Object<'de>, A::Error> {
                let mut members = Vec::new();
                while let Some((Key(key), value)) = map.next_entry::<Key<'de>, &'de RawValue>()? {
                    members.push((key, value));
                }
                Ok(Object(members))
            }
        }

        /// Borrowed unless the name is written with escapes.
        #[derive(serde::Deserialize)]
        struct Key<'a>(#[serde(borrow)] Cow<'a, str>);

        deserializer.deserialize_map(Members)
    }
}

/// The line as text that a JSON parser takes: bytes that are not UTF-8, and escapes of half a character, which
/// JavaScript writes and reads without complaint, become U+FFFD.
pub(super) fn well_formed(line: &[u8]) -> Cow<'_, str> {
    let text = String::from_utf8_lossy(line);
    let may_have_surrogates = [b"\\ud", b"\\uD"].iter().any(|escape| memmem::find(line, *escape).is_some());
    if may_have_surrogates { Cow::Owned(replace_lone_surrogates(&text)) } else { text }
}

fn replace_lone_surrogates(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = memchr::memchr(b'\\', rest.as_bytes()) {
        result.push_str(&rest[..at]);
        rest = &rest[at..];
        let escape = match (unit(rest), rest.get(6..).and_then(unit)) {
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => 12,
            (Some(0xD800..=0xDFFF), _) => {
                result.push(char::REPLACEMENT_CHARACTER);
                rest = &rest[6..];
                continue;
            }
            // The character after a backslash is taken along, so that an escaped backslash starts no escape.
            _ => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
        };
        result.push_str(&rest[..escape]);
        rest = &rest[escape..];
    }
    result + rest
}

/// The UTF-16 unit whose escape the text begins with.
fn unit(text: &str) -> Option<u16> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    u16::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sanitised(text: &str) -> String {
        well_formed(text.as_bytes()).into_owned()
    }

    #[test]
    fn members_are_found_whatever_the_shape() {
        let text =
            r#"{"a": "x", "n": null, "t": true, "o": {"b": "\u0079"}, "l": [{}, 1, {"c": 1}], "\u0061": "last"}"#;
        let object = Object::parse(text).unwrap();
        assert_eq!(object.string("a").unwrap(), "last");
        assert_eq!(object.string("t"), None);
        assert_eq!(object.get("n").unwrap().get(), "null");
        assert!(object.is_true("t") && !object.is_true("a") && !object.is_true("missing"));
        assert_eq!(object.object("o").unwrap().string("b").unwrap(), "y");
        assert!(object.object("l").is_none());
        assert_eq!(objects(object.get("l").unwrap()).len(), 2);
        assert_eq!(objects(object.get("o").unwrap()).len(), 0);
    }

    #[test]
    fn only_an_object_is_one() {
        for text in ["", "[]", "null", "1", "\"x\"", "{", "{} {}", "{\"a\": }"] {
            assert!(Object::parse(text).is_none(), "{text}");
        }
    }

    #[test]
    fn text_is_a_string_that_is_not_empty() {
        let value = |text: &str| RawValue::from_string(text.into()).unwrap();
        assert!(is_text(&value(r#""x""#)) && is_text(&value(r#""\n""#)));
        assert!(!is_text(&value(r#""""#)) && !is_text(&value("null")) && !is_text(&value("[\"x\"]")));
    }

    #[test]
    fn deep_nesting_is_no_danger() {
        let text = format!("{{\"a\": {}{}}}", "[".repeat(100_000), "]".repeat(100_000));
        assert!(Object::parse(&text).is_some());
    }

    #[test]
    fn lone_surrogates_are_replaced_and_pairs_are_not() {
        assert_eq!(sanitised(r#""\ud83d""#), "\"\u{FFFD}\"");
        assert_eq!(sanitised(r#""a\uDE00b""#), "\"a\u{FFFD}b\"");
        assert_eq!(sanitised(r#""\ud83d\ude00""#), r#""\ud83d\ude00""#);
        assert_eq!(sanitised(r#""\ud83d\ud83d\ude00""#), "\"\u{FFFD}\\ud83d\\ude00\"");
        assert_eq!(sanitised(r#""\ud83d\n""#), "\"\u{FFFD}\\n\"");
    }

    #[test]
    fn an_escaped_backslash_starts_no_escape() {
        assert_eq!(sanitised(r#""C:\\ud83d""#), r#""C:\\ud83d""#);
        assert_eq!(sanitised(r#""\\\ud83d""#), "\"\\\\\u{FFFD}\"");
    }

    #[test]
    fn broken_escapes_are_left_to_the_parser() {
        for text in [r#""\ud8""#, r"\", r#""\ud8é0""#, r#""\ud83d"#] {
            assert!(Object::parse(&sanitised(text)).is_none());
        }
    }

    #[test]
    fn bytes_that_are_not_unicode_become_visible() {
        assert_eq!(well_formed(b"\"a\xffb\""), "\"a\u{FFFD}b\"");
    }
}
