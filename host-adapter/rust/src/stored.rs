//! What the session can keep: the data of entries, and what a guest says and answers.

use serde_json::Value;

/// The longest data of an entry, and the longest text, in bytes: what the contract promises to store, and no more.
const LONGEST: usize = 2 * 1024 * 1024;

/// Whether the session can hold a message or a summary, with its details.
pub(crate) fn check_text(text: &str, details: Option<&str>) -> Result<(), String> {
    check_length(text)?;
    details.map_or(Ok(()), check_data)
}

/// Whether the session can hold the data, and be read again with it.
pub(crate) fn check_data(data: &str) -> Result<(), String> {
    check_length(data)?;
    // Reads 127 levels and no more, which is as deep as an entry may be: the session has to be read again.
    match serde_json::from_str::<Value>(data) {
        Ok(_) => Ok(()),
        Err(error) => Err(format!("not JSON, or nested too deep: {error}")),
    }
}

fn check_length(text: &str) -> Result<(), String> {
    if text.len() > LONGEST { Err(format!("longer than {LONGEST} bytes")) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_of_bounded_length_and_so_are_its_details() {
        let long = "x".repeat(LONGEST);
        assert_eq!(check_text(&long, Some("{}")), Ok(()));
        assert_eq!(check_text(&long, None), Ok(()));
        assert_eq!(check_text(&(long + "x"), None), Err("longer than 2097152 bytes".into()));
        assert!(check_text("", Some("{")).unwrap_err().starts_with("not JSON, "));
    }

    #[test]
    fn data_is_one_json_value_of_bounded_length() {
        assert_eq!(check_data(r#"{"version": 1}"#), Ok(()));
        assert!(check_data("{} {}").unwrap_err().starts_with("not JSON, "));
        assert!(check_data("").is_err());
        let text = |length| format!("\"{}\"", "x".repeat(length - 2));
        assert_eq!(check_data(&text(LONGEST)), Ok(()));
        assert_eq!(check_data(&text(LONGEST + 1)), Err("longer than 2097152 bytes".into()));
        let nested = |levels| "[".repeat(levels) + &"]".repeat(levels);
        assert_eq!(check_data(&nested(127)), Ok(()));
        assert!(check_data(&nested(128)).unwrap_err().ends_with("recursion limit exceeded at line 1 column 128"));
    }
}
