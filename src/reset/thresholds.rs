//! The lines that a filling context crosses, computed from Pi's reserve.
//!
//! ```text
//! 0 ──── used ────► reminder ────── margin ──────► Pi compacts ─ reserve ─► window
//!                                  warning ─ runway ─►
//! ```
//!
//! Pure numbers: where they come from and what is done at a line is decided elsewhere. All are tokens of the model.

/// How far before Pi's reserve the model is reminded, unless the settings say otherwise: 24,576 tokens.
pub const DEFAULT_MARGIN: u64 = 24_576;
/// How far before Pi's reserve the model is warned: room for one note and one call.
const RUNWAY: u64 = 8_192;
/// A small window gives up at most this share of what is usable to the margin: one part in four.
const MARGIN_SHARE: u64 = 4;
/// The same for the runway: one part in eight.
const RUNWAY_SHARE: u64 = 8;

/// Where the lines of a window are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lines {
    /// The window.
    window: u64,
    /// At this many tokens left the model is reminded.
    reminder: u64,
    /// At this many tokens left the model is warned.
    warning: u64,
}

/// How full a context is, and what that calls for. Carries the tokens left above the warning line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Nothing yet.
    Roomy(u64),
    /// A reminder.
    Filling(u64),
    /// The warning.
    Full,
}

impl Lines {
    /// The lines of a window, or `None` when the reserve takes all of it.
    ///
    /// ```
    /// use pi_capsule::reset::thresholds::{DEFAULT_MARGIN, Lines, Standing};
    ///
    /// let lines = Lines::new(200_000, 16_384, DEFAULT_MARGIN).unwrap();
    /// assert_eq!(lines.standing(100_000), Standing::Roomy(75_424));
    /// assert_eq!(lines.standing(160_000), Standing::Filling(15_424));
    /// assert_eq!(lines.standing(199_000), Standing::Full);
    /// assert_eq!(Lines::new(16_000, 16_384, DEFAULT_MARGIN), None);
    /// ```
    pub fn new(window: u64, reserve: u64, margin: u64) -> Option<Self> {
        let usable = window.checked_sub(reserve).filter(|&usable| usable > 0)?;
        let reminder = reserve + margin.min(usable / MARGIN_SHARE);
        let warning = reserve + RUNWAY.min(usable / RUNWAY_SHARE);
        Some(Self { window, reminder, warning })
    }

    /// What `used` tokens call for.
    pub fn standing(self, used: u64) -> Standing {
        let remaining = self.window.saturating_sub(used);
        match remaining.saturating_sub(self.warning) {
            0 => Standing::Full,
            left if remaining <= self.reminder => Standing::Filling(left),
            left => Standing::Roomy(left),
        }
    }
}

impl Standing {
    /// The tokens left above the warning line.
    pub fn left(self) -> u64 {
        match self {
            Self::Roomy(left) | Self::Filling(left) => left,
            Self::Full => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_are_where_the_defaults_put_them() {
        let lines = Lines::new(200_000, 16_384, DEFAULT_MARGIN).unwrap();
        assert_eq!(lines, Lines { window: 200_000, reminder: 40_960, warning: 24_576 });
        assert_eq!(lines.standing(200_000 - 40_961), Standing::Roomy(16_385));
        assert_eq!(lines.standing(200_000 - 40_960), Standing::Filling(16_384));
        assert_eq!(lines.standing(200_000 - 24_577), Standing::Filling(1));
        assert_eq!(lines.standing(200_000 - 24_576), Standing::Full);
    }

    #[test]
    fn a_small_window_is_past_no_line_at_its_start() {
        let lines = Lines::new(20_384, 16_384, DEFAULT_MARGIN).unwrap();
        assert_eq!(lines, Lines { window: 20_384, reminder: 17_384, warning: 16_884 });
        assert_eq!(lines.standing(0), Standing::Roomy(3_500));
        for window in 1..200 {
            let lines = Lines::new(window, 0, DEFAULT_MARGIN).unwrap();
            assert!(matches!(lines.standing(0), Standing::Roomy(_)), "{lines:?}");
        }
    }

    #[test]
    fn a_margin_inside_the_runway_leaves_only_the_warning() {
        let lines = Lines::new(200_000, 16_384, 100).unwrap();
        for used in 0..200 {
            assert!(!matches!(lines.standing(used * 1_000), Standing::Filling(_)));
        }
    }

    #[test]
    fn nothing_is_judged_without_usable_tokens() {
        assert_eq!(Lines::new(16_384, 16_384, DEFAULT_MARGIN), None);
        assert_eq!(Lines::new(0, 0, DEFAULT_MARGIN), None);
    }

    #[test]
    fn extremes_do_not_overflow() {
        assert_eq!(Lines::new(u64::MAX, 0, u64::MAX).unwrap().standing(u64::MAX), Standing::Full);
        assert_eq!(Lines::new(u64::MAX, u64::MAX - 1, u64::MAX).unwrap().standing(0).left(), 1);
    }
}
