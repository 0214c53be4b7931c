//! What the model searches for: one or several texts, any of which is a match.
//!
//! Case-sensitive and literal. Positions are bytes here.

use memchr::memmem::Finder;
use serde::Deserialize;

/// The argument `query`: a text or several.
#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum Query {
    One(String),
    Several(Vec<String>),
}

/// A query that is ready to be looked for.
pub(super) struct Matcher {
    finders: Vec<Finder<'static>>,
}

impl Query {
    /// Prepares the search.
    pub(super) fn matcher(self) -> Result<Matcher, String> {
        let texts = match self {
            Self::One(text) => vec![text],
            Self::Several(texts) => texts,
        };
        if texts.is_empty() || texts.iter().any(String::is_empty) {
            return Err(
                "query must not be empty: give the text to look for, or a list of texts of which one is enough.".into(),
            );
        }
        Ok(Matcher { finders: texts.iter().map(|text| Finder::new(text).into_owned()).collect() })
    }
}

impl Matcher {
    /// Where the earliest match begins.
    pub(super) fn earliest(&self, text: &str) -> Option<usize> {
        let mut earliest: Option<usize> = None;
        for finder in &self.finders {
            let end = earliest.map_or(text.len(), |found| (found + finder.needle().len()).min(text.len()));
            earliest = match (finder.find(&text.as_bytes()[..end]), earliest) {
                (Some(found), Some(before)) => Some(found.min(before)),
                (found, before) => found.or(before),
            };
        }
        earliest
    }

    /// Where matches begin, in order, each position once.
    pub(super) fn all(&self, text: &str) -> Vec<usize> {
        let mut found: Vec<usize> = self.finders.iter().flat_map(|finder| finder.find_iter(text.as_bytes())).collect();
        found.sort_unstable();
        found.dedup();
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matcher(texts: &[&str]) -> Matcher {
        Query::Several(texts.iter().map(|&text| text.to_owned()).collect()).matcher().unwrap()
    }

    #[test]
    fn the_earliest_of_several_texts_counts() {
        let text = "one two three two";
        assert_eq!(matcher(&["three", "two"]).earliest(text), Some(4));
        assert_eq!(matcher(&["two", "three"]).earliest(text), Some(4));
        assert_eq!(matcher(&["e two t", "two"]).earliest(text), Some(2));
        assert_eq!(matcher(&["Two", "four"]).earliest(text), None);
        assert_eq!(matcher(&["two", "two ", "t"]).all(text), [4, 8, 14]);
    }

    #[test]
    fn nothing_to_look_for_is_an_error() {
        for query in
            [Query::One(String::new()), Query::Several(vec![]), Query::Several(vec!["a".into(), String::new()])]
        {
            assert!(query.matcher().err().unwrap().starts_with("query must not be empty"));
        }
    }
}
