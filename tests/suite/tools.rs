//! The tools, told to the native guest and to the component.

use crate::world::tell;

fn json(answer: Result<String, String>) -> serde_json::Value {
    serde_json::from_str(&answer.expect("an answer")).expect("JSON")
}

#[test]
fn windows_count_what_the_branch_holds_page_by_page() {
    tell(|guest| {
        guest.world().borrow_mut().messages = 7;
        guest.start();
        let listed = json(guest.call("history_list_windows", "{}"));
        assert_eq!(listed, serde_json::json!({"windows": [{"window_id": "pcw:01234567:root", "item_count": 7}]}));
    });
}

#[test]
fn a_call_reads_only_what_is_new() {
    tell(|guest| {
        guest.world().borrow_mut().messages = 100;
        guest.start();
        guest.world().borrow_mut().headers_read = 0;
        // One state was appended by somebody; the hundred messages are known.
        guest.world().borrow_mut().footer_states.push("{}".into());
        json(guest.call("history_list_windows", "{}"));
        assert_eq!(guest.world().borrow().headers_read, 1);
        json(guest.call("history_list_windows", "{}"));
        assert_eq!(guest.world().borrow().headers_read, 1);
    });
}

#[test]
fn context_remaining_is_null_while_it_is_not_known() {
    for (context, expected) in [
        (None, serde_json::Value::Null),
        (Some((None, Some(200_000))), serde_json::Value::Null),
        (Some((Some(1), None)), serde_json::Value::Null),
        (Some((Some(1), Some(16_384))), serde_json::Value::Null),
        (Some((Some(100_000), Some(200_000))), 75_424.into()),
        (Some((Some(199_000), Some(200_000))), 0.into()),
    ] {
        tell(|guest| {
            guest.world().borrow_mut().context = context;
            guest.start();
            let remaining = json(guest.call("get_context_remaining", "{}"));
            assert_eq!(remaining, serde_json::json!({"remaining_tokens": expected}));
        });
    }
}

#[test]
fn errors_tell_the_model_what_to_do_instead() {
    tell(|guest| {
        guest.start();
        let error = |answer: Result<String, String>| answer.expect_err("an error");
        let unknown = error(guest.call("history_rewrite", "{}"));
        assert!(unknown.contains("history_list_windows"), "{unknown}");
        for arguments in [r#"{"limit":0}"#, r#"{"limit":"3"}"#, r#"{"newest":true}"#, "[1]", "", "{"] {
            let wrong = error(guest.call("history_list_windows", arguments));
            assert!(wrong.starts_with("history_list_windows cannot read its arguments: "), "{wrong}");
        }
    });
}
