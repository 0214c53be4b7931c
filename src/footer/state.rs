//! What the footer keeps on the session branch, and what it makes of what it finds there.

use serde::{Deserialize, Serialize};

use crate::host::{PathStyle, Timestamp};
use crate::session;

use super::path;

/// The type of the custom entry.
pub const CUSTOM_TYPE: &str = "pr-footer-state";

/// The version of the entry's shape.
const VERSION: u32 = 1;
/// The largest time that JavaScript, which may read the entry, can represent: 100 million days.
const TIME_LIMIT: Timestamp = 8_640_000_000_000_000;

/// Whether the root follows the evidence or the person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mode {
    /// It follows what the tools touch.
    Auto,
    /// The person chose it.
    Pinned {
        /// The root chosen. Absolute.
        root: String,
    },
}

/// What outlives a restart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// When the session began. The age in the footer counts from here.
    pub started_at: Timestamp,
    /// What the root follows.
    pub mode: Mode,
    /// The last root that was confirmed to be a repository. Absolute.
    pub last_confirmed_root: Option<String>,
}

impl State {
    /// The state of a session that has stored none.
    pub fn new(started_at: Timestamp) -> Self {
        Self { started_at, mode: Mode::Auto, last_confirmed_root: None }
    }

    /// The latest of the stored entries that is valid. `entries` come newest first.
    pub fn restore<'a>(mut entries: impl Iterator<Item = &'a str>, style: PathStyle) -> Option<Self> {
        entries.find_map(|entry| Self::parse(entry, style))
    }

    fn parse(json: &str, style: PathStyle) -> Option<Self> {
        let stored: Stored = session::object(json)?;
        let valid_root = |root: &String| path::is_absolute(root, style);
        if stored.version != VERSION
            || stored.started_at.unsigned_abs() > TIME_LIMIT.unsigned_abs()
            || !stored.pinned_root.iter().all(valid_root)
            || !stored.last_confirmed_root.iter().all(valid_root)
        {
            return None;
        }
        let mode = match (stored.mode, stored.pinned_root) {
            (StoredMode::Auto, None) => Mode::Auto,
            (StoredMode::Pinned, Some(root)) => Mode::Pinned { root },
            (StoredMode::Auto, Some(_)) | (StoredMode::Pinned, None) => return None,
        };
        Some(Self { started_at: stored.started_at, mode, last_confirmed_root: stored.last_confirmed_root })
    }

    /// The entry to store.
    pub fn to_json(&self) -> String {
        let (mode, pinned_root) = match &self.mode {
            Mode::Auto => (StoredMode::Auto, None),
            Mode::Pinned { root } => (StoredMode::Pinned, Some(root.clone())),
        };
        let stored = Stored {
            version: VERSION,
            started_at: self.started_at,
            mode,
            pinned_root,
            last_confirmed_root: self.last_confirmed_root.clone(),
        };
        serde_json::to_string(&stored).expect("numbers and strings under fixed names are always JSON")
    }
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Stored {
    version: u32,
    started_at: Timestamp,
    mode: StoredMode,
    #[serde(skip_serializing_if = "Option::is_none")]
    pinned_root: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_confirmed_root: Option<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum StoredMode {
    Auto,
    Pinned,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn restore(entries: &[&str]) -> Option<State> {
        State::restore(entries.iter().copied(), PathStyle::Posix)
    }

    #[test]
    fn what_is_stored_is_restored() {
        for state in [
            State::new(0),
            State { started_at: -1, mode: Mode::Auto, last_confirmed_root: Some("/src/widget".into()) },
            State {
                started_at: TIME_LIMIT,
                mode: Mode::Pinned { root: "/src/a \"b\"\n".into() },
                last_confirmed_root: None,
            },
        ] {
            assert_eq!(restore(&[&state.to_json()]), Some(state));
        }
    }

    #[test]
    fn the_shape_is_the_one_that_other_versions_read() {
        let state = State {
            started_at: 12,
            mode: Mode::Pinned { root: "/pin".into() },
            last_confirmed_root: Some("/last".into()),
        };
        let expected =
            r#"{"version":1,"startedAt":12,"mode":"pinned","pinnedRoot":"/pin","lastConfirmedRoot":"/last"}"#;
        assert_eq!(state.to_json(), expected);
        assert_eq!(State::new(12).to_json(), r#"{"version":1,"startedAt":12,"mode":"auto"}"#);
    }

    #[test]
    fn an_entry_that_is_not_valid_gives_way_to_an_older_one() {
        let good = r#"{"version":1,"startedAt":5,"mode":"auto","somethingNew":true}"#;
        for bad in [
            "",
            "null",
            "[1]",
            r#"{"version":2,"startedAt":1,"mode":"auto"}"#,
            r#"{"version":1,"mode":"auto"}"#,
            r#"{"version":1,"startedAt":1.5,"mode":"auto"}"#,
            r#"{"version":1,"startedAt":"1","mode":"auto"}"#,
            r#"{"version":1,"startedAt":8640000000000001,"mode":"auto"}"#,
            r#"{"version":1,"startedAt":-9223372036854775808,"mode":"auto"}"#,
            r#"[1,1,"auto",null,null]"#,
            r#"{"version":1,"startedAt":1,"mode":"manual"}"#,
            r#"{"version":1,"startedAt":1,"mode":"pinned"}"#,
            r#"{"version":1,"startedAt":1,"mode":"pinned","pinnedRoot":"src"}"#,
            r#"{"version":1,"startedAt":1,"mode":"auto","pinnedRoot":"/src"}"#,
            r#"{"version":1,"startedAt":1,"mode":"auto","lastConfirmedRoot":"../x"}"#,
            r#"{"version":1,"startedAt":1,"mode":"auto","lastConfirmedRoot":7}"#,
        ] {
            assert_eq!(restore(&[bad]), None, "{bad}");
            assert_eq!(restore(&[bad, good]), Some(State::new(5)), "{bad}");
        }
    }
}
