//! What a guest is told of the calls of other tools.

use std::collections::BTreeMap;

use serde_json::value::RawValue;

/// The longest JSON text of an argument that is passed on, in bytes. Paths and commands are shorter; file contents are
/// none of the guest's business.
const LONGEST_ARGUMENT: usize = 16 * 1024;

/// Takes the members out of a JSON object whose values are too long. Anything but an object becomes an empty one.
pub(crate) fn drop_long_arguments(arguments: &mut String) {
    if arguments.len() <= LONGEST_ARGUMENT && arguments.starts_with('{') {
        return;
    }
    let mut members: BTreeMap<String, Box<RawValue>> = serde_json::from_str(arguments).unwrap_or_default();
    members.retain(|_, value| value.get().len() <= LONGEST_ARGUMENT);
    *arguments = serde_json::to_string(&members).unwrap_or_else(|_| "{}".into());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(arguments: &str) -> String {
        let mut arguments = arguments.to_owned();
        drop_long_arguments(&mut arguments);
        arguments
    }

    #[test]
    fn only_long_members_go() {
        let at_limit = format!("\"{}\"", "x".repeat(LONGEST_ARGUMENT - 2));
        let above = format!("\"{}\"", "x".repeat(LONGEST_ARGUMENT - 1));
        let arguments = format!(r#"{{"content":{above},"edits":{at_limit},"path":"/a"}}"#);
        assert_eq!(kept(&arguments), format!(r#"{{"edits":{at_limit},"path":"/a"}}"#));
    }

    #[test]
    fn short_arguments_stay_as_they_are() {
        let arguments = r#"{ "path": "/a", "again": 1, "path": "/b" }"#;
        assert_eq!(kept(arguments), arguments);
    }

    #[test]
    fn what_is_no_object_tells_nothing() {
        assert_eq!(kept("[1]"), "{}");
        assert_eq!(kept(&format!("{{ {}", "x".repeat(LONGEST_ARGUMENT))), "{}");
    }
}
