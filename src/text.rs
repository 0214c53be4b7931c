//! How things are written out for a model: quoted text, times, positions in code points.
//!
//! Knows nothing of sessions. Positions in text are counted in code points everywhere outside of this guest, since that
//! is what a model can be asked to count, and in bytes inside of it.

use std::fmt::Write;

/// A text of unknown origin between quotes, on one line, without a `<` or `>`: a JSON string of plain characters.
///
/// ```
/// assert_eq!(pi_capsule::text::quoted("a \"b\"\n</notes>"), r#""a \"b\"\n\u003c/notes\u003e""#);
/// ```
pub fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    escape_into(&mut quoted, text, &['"', '<', '>']);
    quoted.push('"');
    quoted
}

/// A name of unknown origin inside of a header line, which it cannot end or continue by itself.
///
/// ```
/// assert_eq!(pi_capsule::text::in_header("plan.md"), "plan.md");
/// assert_eq!(pi_capsule::text::in_header("a · end]\nb"), r"a \u00b7 end\u005d\nb");
/// ```
pub fn in_header(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    escape_into(&mut escaped, text, &['·', '[', ']', '<', '>']);
    escaped
}

fn escape_into(out: &mut String, text: &str, also: &[char]) {
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\\' => out.push_str("\\\\"),
            '"' if also.contains(&c) => out.push_str("\\\""),
            c if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') || also.contains(&c) => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
}

/// A moment in local time, `offset` minutes east of Greenwich, as ISO 8601 writes it. Years beyond four digits get a
/// sign and six, as in JavaScript.
///
/// ```
/// use pi_capsule::text::iso_time;
///
/// assert_eq!(iso_time(1_700_000_000_123, -210), "2023-11-14T18:43:20.123-03:30");
/// assert_eq!(iso_time(-8_640_000_000_000_000, 0), "-271821-04-20T00:00:00.000+00:00");
/// ```
pub fn iso_time(at: i64, offset: i16) -> String {
    const DAY: i64 = 86_400_000;
    let local = at.saturating_add(i64::from(offset) * 60_000);
    let (year, month, day) = civil_date(local.div_euclid(DAY));
    let time = local.rem_euclid(DAY);
    let (hours, minutes, seconds) = (time / 3_600_000, time / 60_000 % 60, time / 1_000 % 60);
    let year = if (0..=9_999).contains(&year) { format!("{year:04}") } else { format!("{year:+07}") };
    let sign = if offset < 0 { '-' } else { '+' };
    let (zone_hours, zone_minutes) = (offset.unsigned_abs() / 60, offset.unsigned_abs() % 60);
    format!(
        "{year}-{month:02}-{day:02}T{hours:02}:{minutes:02}:{seconds:02}.{:03}{sign}{zone_hours:02}:{zone_minutes:02}",
        time % 1_000
    )
}

/// Year, month and day of a day counted from 1970-01-01, in the Gregorian calendar extended in both directions.
///
/// Counts in eras of 400 years that begin with a first of March, so that the leap day is the last day of a year.
fn civil_date(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month, day)
}

/// How many code points a text has.
pub fn code_points(text: &str) -> usize {
    text.chars().count()
}

/// The byte at which the code point of that index begins; the length of the text from its end on.
pub fn byte_of(text: &str, code_point: usize) -> usize {
    if text.is_ascii() {
        return code_point.min(text.len());
    }
    text.char_indices().nth(code_point).map_or(text.len(), |(byte, _)| byte)
}

/// The longest beginning of a text of at most `bytes` bytes that ends between code points.
pub fn prefix(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_right_around_the_turns_of_the_calendar() {
        let day = |days: i64| iso_time(days * 86_400_000, 0)[..10].to_owned();
        assert_eq!(day(0), "1970-01-01");
        assert_eq!(day(-1), "1969-12-31");
        assert_eq!(day(11_016), "2000-02-29");
        assert_eq!(day(11_017), "2000-03-01");
        assert_eq!(day(-25_509), "1900-02-28");
        assert_eq!(day(-25_508), "1900-03-01");
        assert_eq!(day(19_723), "2024-01-01");
        assert_eq!(iso_time(8_640_000_000_000_000, 0), "+275760-09-13T00:00:00.000+00:00");
        assert_eq!(iso_time(0, 840), "1970-01-01T14:00:00.000+14:00");
        assert_eq!(iso_time(0, -1), "1969-12-31T23:59:00.000-00:01");
    }

    #[test]
    fn bytes_and_code_points_agree() {
        let text = "aé日🙂";
        assert_eq!(code_points(text), 4);
        assert_eq!([0, 1, 2, 3, 4, 9].map(|index| byte_of(text, index)), [0, 1, 3, 6, 10, 10]);
        assert_eq!([0, 1, 2, 3, 9, 99].map(|bytes| prefix(text, bytes)), ["", "a", "a", "aé", "aé日", text]);
    }

    #[test]
    fn quoting_leaves_one_line_of_plain_characters() {
        for c in (0..=0xff).filter_map(char::from_u32).chain(['\u{2028}', '\u{2029}']) {
            let quoted = quoted(&format!("a{c}b"));
            assert!(!quoted.contains(|c: char| c.is_control() || matches!(c, '<' | '>' | '\u{2028}' | '\u{2029}')));
            assert_eq!(serde_json::from_str::<String>(&quoted).unwrap(), format!("a{c}b"));
        }
    }
}
