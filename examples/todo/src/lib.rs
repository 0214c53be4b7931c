//! A to-do list that the model keeps in the session: an example of a component that is not pi-capsule.
//!
//! One tool, one command, one status line, and state on the session branch. Everything else that the world may tell a
//! guest is left empty. `list.rs` is what the extension is about; this file is what makes it a component.

#![cfg_attr(not(target_arch = "wasm32"), allow(dead_code))]

mod list;

#[cfg(target_arch = "wasm32")]
mod component {
    use std::cell::RefCell;

    use crate::list::{Action, List};

    #[allow(missing_docs, unreachable_pub)]
    mod bindings {
        wit_bindgen::generate!({ path: "../../wit", world: "extension" });
    }

    use bindings::exports::pi::extension::{commands, completions, lifecycle, tool_observer, tools};
    use bindings::pi::extension::session_reader::{Changes, EntryKind, changes_since};
    use bindings::pi::extension::{session_writer, status};

    /// The type of the entries that hold the list, each of them whole. The latest one on the branch counts.
    const ENTRY_TYPE: &str = "todo/list";
    const STATUS_KEY: &str = "todo";

    const TOOL: &str = "todo";
    const TOOL_DESCRIPTION: &str = "Keep a list of what is to be done in this session. Actions: add a thing, mark one as \
                                    done by its number, or list them all. Every answer is the whole list.";
    const PARAMETERS: &str = r#"{
        "type": "object",
        "properties": {
            "action": {"type": "string", "enum": ["add", "done", "list"]},
            "text": {"type": "string", "description": "What is to be done; for add."},
            "number": {"type": "integer", "minimum": 1, "description": "Which one; for done."}
        },
        "required": ["action"]
    }"#;

    const COMMAND: &str = "todo";

    struct Component;

    bindings::export!(Component with_types_in bindings);

    thread_local! {
        /// A host never calls an export while another one runs, so it is never borrowed twice.
        static LIST: RefCell<List> = RefCell::default();
    }

    /// Reads the list from the branch, which is the only thing that lasts.
    fn read_list() -> List {
        let mut latest = None;
        let mut cursor = None;
        loop {
            let (Changes::Appended(page) | Changes::Replaced(page)) = changes_since(cursor.as_deref());
            cursor = page.entries.last().map(|entry| entry.id.clone());
            for entry in page.entries {
                if let EntryKind::Custom(custom) = entry.kind
                    && custom.custom_type == ENTRY_TYPE
                    && let Some(list) = custom.data.and_then(|data| serde_json::from_str(&data).ok())
                {
                    latest = Some(list);
                }
            }
            if !page.more {
                return latest.unwrap_or_default();
            }
        }
    }

    /// Takes the list of the branch, and shows how far it has come.
    fn reload() {
        LIST.set(read_list());
        show();
    }

    fn show() {
        let text = LIST.with_borrow(List::status);
        // A host that shows no line has said so itself.
        let _ = status::set_status(STATUS_KEY, text.as_deref());
    }

    fn store(list: &List) -> Result<(), String> {
        let data = serde_json::to_string(list).map_err(|error| error.to_string())?;
        session_writer::append(ENTRY_TYPE, &data).map(drop).map_err(|_| "the list cannot be stored".into())
    }

    impl lifecycle::Guest for Component {
        fn session_started(_reason: lifecycle::StartReason) {
            reload();
        }

        fn branch_changed() {
            reload();
        }

        fn session_shut_down(_reason: lifecycle::ShutdownReason) {
            LIST.take();
        }

        fn model_changed() {}
        fn context_requested() {}
        fn turn_ended(_outcome: lifecycle::RunOutcome) {}
        fn agent_ended(_outcome: lifecycle::RunOutcome) {}
        fn before_settle() -> Option<lifecycle::Boundary> {
            None
        }
        fn agent_settled(_outcome: lifecycle::RunOutcome) {}
        fn before_compact(_request: lifecycle::CompactionRequest) -> lifecycle::CompactionDecision {
            lifecycle::CompactionDecision::NoOpinion
        }
        fn compacted(_event: lifecycle::CompactedEvent) {}
        fn compaction_failed(_failure: lifecycle::CompactionFailure) {}
        fn compaction_finished(_attempt: u32, _outcome: Result<(), lifecycle::CompactionError>) {}
    }

    impl tools::Guest for Component {
        fn definitions() -> Vec<tools::Definition> {
            vec![tools::Definition {
                name: TOOL.into(),
                label: "To-do list".into(),
                description: TOOL_DESCRIPTION.into(),
                parameters: PARAMETERS.into(),
                prompt_snippet: Some("Keep a list of what is to be done".into()),
                execution: tools::Execution::Sequential,
            }]
        }

        fn call(invocation: tools::Invocation) -> Result<tools::Output, String> {
            let action: Action = serde_json::from_str(&invocation.arguments)
                .map_err(|error| format!("the arguments are not understood: {error}"))?;
            let mut list = LIST.with_borrow(List::clone);
            if list.apply(action)? {
                store(&list)?;
            }
            let text = list.text();
            LIST.set(list);
            show();
            Ok(tools::Output { text, terminate: false })
        }
    }

    impl commands::Guest for Component {
        fn definitions() -> Vec<commands::Definition> {
            vec![commands::Definition { name: COMMAND.into(), description: "Show what is to be done".into() }]
        }

        fn complete(_name: String, _typed: String) -> Vec<commands::Completion> {
            Vec::new()
        }

        fn run(_invocation: commands::Invocation) {
            let text = LIST.with_borrow(List::text);
            let _ = status::notify(status::NoticeLevel::Info, &text);
        }
    }

    impl tool_observer::Guest for Component {
        fn tool_called(_call: tool_observer::Call) {}
        fn tool_finished(_call_id: String, _is_error: bool) {}
    }

    impl completions::Guest for Component {
        fn subprocess_finished(_id: u32, _outcome: completions::Outcome) {}
        fn timer_fired(_id: u32) {}
    }
}
