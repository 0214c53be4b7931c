//! What a guest may ask for: pure decisions over the data in `policy.json`.
//!
//! The same file, and the same cases in `policy-cases.json`, bind every host, so nothing is decided here that is not
//! written there. Nothing is started, read or shown here either: [`Capsule`](crate::Capsule) asks before it hands a
//! request to the embedder's [`Host`](crate::Host).

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::sync::LazyLock;
use std::time::Duration;

use regex_lite::Regex;
use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::wit::subprocess::{Command, Program};

static SHARED: LazyLock<Policy> = LazyLock::new(|| {
    #[expect(clippy::expect_used, reason = "policy.json is part of the build, and a test parses it")]
    Policy::parse(include_str!("../policy.json")).expect("a policy")
});

/// The capability policy: which requests of a guest are granted.
pub struct Policy {
    programs: BTreeMap<String, Vec<Shape>>,
    environment: Environment,
    limits: ProcessLimits,
    guest_limits: GuestLimits,
    settings_sections: Vec<String>,
    status_keys: Vec<String>,
    custom_types: Vec<String>,
    tools: Vec<String>,
    commands: Vec<String>,
}

/// One allowed argument list.
type Shape = Vec<Word>;

/// What one argument has to be.
enum Word {
    Exactly(String),
    Matching(Regex),
}

/// What a running program may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProcessLimits {
    /// How long it may run.
    pub time: Duration,
    /// How many bytes it may print, on both streams together.
    pub output: usize,
    /// How many may run side by side for one guest.
    pub concurrent: usize,
}

/// What a guest itself may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GuestLimits {
    /// How long a call of an export may take.
    pub call: Duration,
    /// How many requests it may make in one call, and how many of them may be under way: whatever an import does besides
    /// telling the guest something. An ordinary call makes a handful.
    pub requests: usize,
    /// How much memory it may have, in bytes. Guests keep an index of the session and a bounded copy of its text; this is
    /// several times what the largest sessions (100 MB) need, and small enough not to hurt the machine.
    pub memory: usize,
}

/// The kinds of request that can be refused. The person is told once for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Capability {
    /// To run a program.
    Process,
    /// To read a section of the settings.
    SettingsSection,
    /// To own a status line.
    StatusLine,
    /// To write custom entries of a type.
    EntryType,
    /// To send messages of a type.
    MessageType,
    /// To offer a tool to the model.
    Tool,
    /// To offer a command to the person.
    Command,
    /// To have the drafts of an answer stored.
    Answer,
}

/// A refused request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Denial {
    /// What was asked for.
    pub capability: Capability,
    /// Why it is refused, for people. May quote what the guest sent.
    pub reason: String,
}

/// A command that the policy has let pass. There is no other way to make one.
#[derive(Clone, Debug)]
pub struct AllowedCommand {
    program: Program,
    arguments: Vec<String>,
}

impl AllowedCommand {
    /// The name of the program, without a path.
    pub fn program(&self) -> &'static str {
        program_name(self.program)
    }

    /// Its arguments, to be passed on as they are.
    pub fn arguments(&self) -> &[String] {
        &self.arguments
    }
}

impl Policy {
    /// The policy that all hosts share, parsed once.
    pub fn shared() -> &'static Policy {
        &SHARED
    }

    fn parse(json: &str) -> Result<Policy, Box<dyn std::error::Error>> {
        let data: PolicyData = serde_json::from_str(json)?;
        let word = |text: String| match data.placeholders.get(&text) {
            Some(pattern) => Regex::new(pattern).map(Word::Matching),
            None => Ok(Word::Exactly(text)),
        };
        let shapes = |shapes: Vec<Vec<String>>| -> Result<Vec<Shape>, _> {
            shapes.into_iter().map(|words| words.into_iter().map(word).collect()).collect()
        };
        let programs = data.programs.into_iter().map(|(name, allowed)| Ok((name, shapes(allowed)?)));
        Ok(Policy {
            programs: programs.collect::<Result<_, regex_lite::Error>>()?,
            environment: data.environment,
            limits: ProcessLimits {
                time: Duration::from_millis(data.limits.process_milliseconds),
                output: data.limits.output_bytes,
                concurrent: data.limits.concurrent_processes,
            },
            guest_limits: GuestLimits {
                call: Duration::from_millis(data.limits.call_milliseconds),
                requests: data.limits.requests,
                memory: data.limits.memory_bytes,
            },
            settings_sections: data.settings_sections,
            status_keys: data.status_keys,
            custom_types: data.custom_types,
            tools: data.tools,
            commands: data.commands,
        })
    }

    /// What each program may use.
    pub fn process_limits(&self) -> ProcessLimits {
        self.limits
    }

    /// What a guest itself may use.
    pub fn guest_limits(&self) -> GuestLimits {
        self.guest_limits
    }

    /// Whether a program may be run with exactly these arguments.
    pub fn command(&self, command: Command) -> Result<AllowedCommand, Denial> {
        let Command { program, arguments } = command;
        let name = program_name(program);
        let shapes = self.programs.get(name).map_or(&[][..], Vec::as_slice);
        if shapes.iter().any(|shape| matches(shape, &arguments)) {
            Ok(AllowedCommand { program, arguments })
        } else {
            Err(denial(Capability::Process, format!("{name} is not allowed with these arguments")))
        }
    }

    /// Whether a section of the settings may be read.
    pub fn settings_section(&self, name: &str) -> Result<(), Denial> {
        listed(&self.settings_sections, name, Capability::SettingsSection, "the settings section")
    }

    /// Whether a status line of this name may be shown.
    pub fn status_key(&self, key: &str) -> Result<(), Denial> {
        listed(&self.status_keys, key, Capability::StatusLine, "the status line")
    }

    /// Whether custom entries of this type may be written, and their data read.
    pub fn entry_type(&self, custom_type: &str) -> Result<(), Denial> {
        listed(&self.custom_types, custom_type, Capability::EntryType, "the entry type")
    }

    /// Whether messages of this type may be sent.
    pub fn message_type(&self, custom_type: &str) -> Result<(), Denial> {
        listed(&self.custom_types, custom_type, Capability::MessageType, "the message type")
    }

    /// Whether a tool of this name may be offered to the model.
    pub fn tool(&self, name: &str) -> Result<(), Denial> {
        listed(&self.tools, name, Capability::Tool, "the tool")
    }

    /// Whether a command of this name may be offered to the person.
    pub fn command_name(&self, name: &str) -> Result<(), Denial> {
        listed(&self.commands, name, Capability::Command, "the command")
    }

    /// The environment of a process: what is inherited, without what the policy removes, with what it sets.
    pub fn environment(
        &self,
        inherited: impl IntoIterator<Item = (OsString, OsString)>,
    ) -> BTreeMap<OsString, OsString> {
        let Environment { set, remove } = &self.environment;
        let kept = inherited.into_iter().filter(|(name, _)| !remove.iter().any(|pattern| matches_name(pattern, name)));
        let added = set.iter().map(|(name, value)| (name.into(), value.into()));
        kept.chain(added).collect()
    }
}

fn program_name(program: Program) -> &'static str {
    match program {
        Program::Git => "git",
        Program::Gh => "gh",
    }
}

fn matches(shape: &[Word], arguments: &[String]) -> bool {
    shape.len() == arguments.len()
        && shape.iter().zip(arguments).all(|(word, argument)| match word {
            Word::Exactly(text) => text == argument,
            Word::Matching(pattern) => pattern.is_match(argument),
        })
}

fn listed(list: &[String], value: &str, capability: Capability, what: &str) -> Result<(), Denial> {
    if list.iter().any(|allowed| allowed == value) {
        Ok(())
    } else {
        Err(denial(capability, format!("{what} {value:?} is not allowed")))
    }
}

fn denial(capability: Capability, reason: String) -> Denial {
    Denial { capability, reason }
}

/// Whether a variable's name is the pattern, or begins with it if the pattern ends in `*`.
fn matches_name(pattern: &str, name: &OsStr) -> bool {
    // Windows does not tell names apart by case.
    let upper = cfg!(windows).then(|| name.to_ascii_uppercase());
    let name = upper.as_deref().unwrap_or(name).as_encoded_bytes();
    match pattern.strip_suffix('*') {
        Some(prefix) => name.starts_with(prefix.as_bytes()),
        None => name == pattern.as_bytes(),
    }
}

/// The file as it is written. A key that only another host knew would be a hole, so unknown ones are refused.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct PolicyData {
    #[serde(rename = "$comment")]
    _comment: IgnoredAny,
    programs: BTreeMap<String, Vec<Vec<String>>>,
    placeholders: BTreeMap<String, String>,
    environment: Environment,
    limits: LimitsData,
    settings_sections: Vec<String>,
    status_keys: Vec<String>,
    custom_types: Vec<String>,
    tools: Vec<String>,
    commands: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Environment {
    set: BTreeMap<String, String>,
    remove: Vec<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct LimitsData {
    process_milliseconds: u64,
    output_bytes: usize,
    concurrent_processes: usize,
    call_milliseconds: u64,
    requests: usize,
    memory_bytes: usize,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The file that the tests of every host read.
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Cases {
        processes: Vec<ProcessCase>,
        settings_sections: Vec<ValueCase>,
        status_keys: Vec<ValueCase>,
        custom_types: Vec<ValueCase>,
        tools: Vec<ValueCase>,
        commands: Vec<ValueCase>,
        environment: Vec<VariableCase>,
    }

    #[derive(Deserialize)]
    struct ProcessCase {
        name: String,
        program: String,
        arguments: Vec<String>,
        allowed: bool,
    }

    #[derive(Deserialize)]
    struct ValueCase {
        value: String,
        allowed: bool,
    }

    #[derive(Deserialize)]
    struct VariableCase {
        name: String,
        inherited: String,
        given: Option<String>,
    }

    fn cases() -> Cases {
        serde_json::from_str(include_str!("../../policy-cases.json")).unwrap()
    }

    #[test]
    fn decides_the_shared_process_cases() {
        let cases = cases().processes;
        assert!(cases.iter().any(|case| case.allowed) && cases.iter().any(|case| !case.allowed));
        for ProcessCase { name, program, arguments, allowed } in cases {
            let program = match program.as_str() {
                "git" => Program::Git,
                "gh" => Program::Gh,
                other => panic!("{name}: the contract has no program {other}"),
            };
            let decision = Policy::shared().command(Command { program, arguments });
            assert_eq!(decision.is_ok(), allowed, "{name}");
        }
    }

    #[test]
    fn decides_the_shared_name_cases() {
        let Cases { settings_sections, status_keys, custom_types, tools, commands, .. } = cases();
        let policy = Policy::shared();
        for ValueCase { value, allowed } in settings_sections {
            assert_eq!(policy.settings_section(&value).is_ok(), allowed, "settings section {value:?}");
        }
        for ValueCase { value, allowed } in status_keys {
            assert_eq!(policy.status_key(&value).is_ok(), allowed, "status key {value:?}");
        }
        for ValueCase { value, allowed } in custom_types {
            assert_eq!(policy.entry_type(&value).is_ok(), allowed, "entry type {value:?}");
            assert_eq!(policy.message_type(&value).is_ok(), allowed, "message type {value:?}");
        }
        for ValueCase { value, allowed } in tools {
            assert_eq!(policy.tool(&value).is_ok(), allowed, "tool {value:?}");
        }
        for ValueCase { value, allowed } in commands {
            assert_eq!(policy.command_name(&value).is_ok(), allowed, "command {value:?}");
        }
    }

    #[test]
    fn makes_the_shared_environment() {
        for VariableCase { name, inherited, given } in cases().environment {
            let environment = Policy::shared().environment([(name.clone().into(), inherited.into())]);
            assert_eq!(environment.get(OsStr::new(&name)), given.map(OsString::from).as_ref(), "{name}");
        }
    }

    #[test]
    fn sets_what_is_not_inherited() {
        let environment = Policy::shared().environment([]);
        assert_eq!(environment.get(OsStr::new("LC_ALL")), Some(&"C".into()));
    }

    #[test]
    fn a_denial_says_what_was_asked_for() {
        let denial = Policy::shared().status_key("mcp\n").unwrap_err();
        assert_eq!(denial.capability, Capability::StatusLine);
        assert_eq!(denial.reason, r#"the status line "mcp\n" is not allowed"#);
    }

    #[test]
    fn a_key_that_is_not_understood_is_refused() {
        let json = include_str!("../policy.json").replacen("\"statusKeys\"", "\"network\": [], \"statusKeys\"", 1);
        assert!(Policy::parse(&json).is_err());
    }
}
