//! The list itself, which knows nothing of components: what is to be done, and what the model can do with it.

use serde::{Deserialize, Serialize};

/// Things to do, in the order in which they were added.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct List {
    things: Vec<Thing>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Thing {
    text: String,
    done: bool,
}

/// What the model asks for: the arguments of the tool.
#[derive(Debug, Deserialize)]
#[serde(tag = "action", rename_all = "lowercase", deny_unknown_fields)]
pub(crate) enum Action {
    /// Adds something to do.
    Add { text: String },
    /// Marks a thing as done. Numbers begin at 1.
    Done { number: usize },
    /// Changes nothing.
    List {},
}

impl List {
    /// Carries out an action. Says whether the list is another one now.
    pub(crate) fn apply(&mut self, action: Action) -> Result<bool, String> {
        match action {
            Action::Add { text } if text.trim().is_empty() => Err("text is empty: say what is to be done".into()),
            Action::Add { text } => {
                self.things.push(Thing { text: text.trim().into(), done: false });
                Ok(true)
            }
            Action::Done { number } => {
                let last = self.things.len();
                let thing = number.checked_sub(1).and_then(|index| self.things.get_mut(index));
                let thing = thing.ok_or_else(|| format!("there is no number {number}: the list ends at {last}"))?;
                Ok(!std::mem::replace(&mut thing.done, true))
            }
            Action::List {} => Ok(false),
        }
    }

    /// The list, a line for each thing, as the model and the person read it.
    pub(crate) fn text(&self) -> String {
        let line = |(index, thing): (usize, &Thing)| {
            let mark = if thing.done { 'x' } else { ' ' };
            format!("{}. [{mark}] {}", index + 1, thing.text)
        };
        let lines: Vec<String> = self.things.iter().enumerate().map(line).collect();
        if lines.is_empty() { "There is nothing to do.".into() } else { lines.join("\n") }
    }

    /// How far it has come; nothing while there is nothing to do.
    pub(crate) fn status(&self) -> Option<String> {
        let done = self.things.iter().filter(|thing| thing.done).count();
        (!self.things.is_empty()).then(|| format!("{done} of {} done", self.things.len()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn apply(list: &mut List, action: &str) -> Result<bool, String> {
        list.apply(serde_json::from_str(action).unwrap())
    }

    #[test]
    fn things_are_added_and_done() {
        let mut list = List::default();
        assert_eq!(list.status(), None);
        assert_eq!(apply(&mut list, r#"{"action":"add","text":" write a test "}"#), Ok(true));
        assert_eq!(apply(&mut list, r#"{"action":"add","text":"run it"}"#), Ok(true));
        assert_eq!(apply(&mut list, r#"{"action":"done","number":1}"#), Ok(true));
        assert_eq!(apply(&mut list, r#"{"action":"done","number":1}"#), Ok(false));
        assert_eq!(list.text(), "1. [x] write a test\n2. [ ] run it");
        assert_eq!(list.status().as_deref(), Some("1 of 2 done"));
    }

    #[test]
    fn what_cannot_be_done_says_why_and_changes_nothing() {
        let mut list = List::default();
        assert!(apply(&mut list, r#"{"action":"add","text":" "}"#).is_err());
        assert!(apply(&mut list, r#"{"action":"done","number":0}"#).is_err());
        assert!(apply(&mut list, r#"{"action":"done","number":1}"#).unwrap_err().contains("no number 1"));
        assert_eq!(list, List::default());
    }
}
