//! `/pi-context [on|off]`: shows or sets whether contexts are reset.
//!
//! Words only; the switch itself belongs to the module above.

/// The name of the command, without the slash.
pub const NAME: &str = "pi-context";
/// What a person reads in the list of commands.
pub const DESCRIPTION: &str = "Context resets in this session: on, off, or show which";

/// What can be typed after the name, and what it does.
pub const ARGUMENTS: [(&str, &str); 2] = [
    ("on", "Reset the context instead of summarising it"),
    ("off", "Leave compaction to Pi; history and notes stay readable"),
];

/// What the person wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// To know.
    Show,
    /// To switch.
    Switch(bool),
    /// Something else.
    Unknown,
}

pub(super) fn order(arguments: &str) -> Order {
    match arguments.trim() {
        "" => Order::Show,
        "on" => Order::Switch(true),
        "off" => Order::Switch(false),
        _ => Order::Unknown,
    }
}

pub(super) fn shown(on: bool) -> String {
    if on {
        "Context resets are on: a full context is cleared at once, and history and notes stay readable. \
         /pi-context off leaves compaction to Pi."
            .into()
    } else {
        "Context resets are off in this session: Pi summarises as usual. /pi-context on switches them on.".into()
    }
}

pub(super) fn unknown(arguments: &str) -> String {
    format!("/pi-context takes on, off or nothing, not {}.", crate::text::quoted(arguments))
}
