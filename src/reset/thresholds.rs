//! The lines that a filling context crosses, computed from Pi's reserve.
//!
//! ```text
//! 0 ──────────────────────── used ───────► warning line ─ runway ─► Pi compacts ─ reserve ─► window
//! ```
//!
//! Pure numbers: where they come from and what is done at a line is decided elsewhere. All are tokens of the model.

/// How far before Pi's reserve the model is warned: room for one note and one call.
const RUNWAY: u64 = 8_192;
/// A small window gives up at most this share of what is usable: one part in eight.
const RUNWAY_SHARE: u64 = 8;

/// How many tokens are left above the warning line, or `None` when the reserve takes the whole window.
///
/// ```
/// use pi_capsule::reset::thresholds::remaining_above_warning;
///
/// assert_eq!(remaining_above_warning(200_000, 16_384, 100_000), Some(75_424));
/// assert_eq!(remaining_above_warning(200_000, 16_384, 199_000), Some(0));
/// assert_eq!(remaining_above_warning(16_000, 16_384, 0), None);
/// ```
pub fn remaining_above_warning(window: u64, reserve: u64, used: u64) -> Option<u64> {
    let usable = window.checked_sub(reserve).filter(|&usable| usable > 0)?;
    let warning = reserve + RUNWAY.min(usable / RUNWAY_SHARE);
    Some(window.saturating_sub(used).saturating_sub(warning))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_window_keeps_seven_eighths_of_what_is_usable() {
        assert_eq!(remaining_above_warning(32_384, 16_384, 0), Some(14_000));
    }

    #[test]
    fn nothing_is_judged_without_usable_tokens() {
        assert_eq!(remaining_above_warning(16_384, 16_384, 0), None);
        assert_eq!(remaining_above_warning(0, 0, 0), None);
    }

    #[test]
    fn extremes_do_not_overflow() {
        assert_eq!(remaining_above_warning(u64::MAX, 0, u64::MAX), Some(0));
        assert_eq!(remaining_above_warning(u64::MAX, u64::MAX - 1, 0), Some(1));
    }
}
