//! Embeds a component: which windows a session has, as the model would see them.
//!
//!     cargo run --release --example embed -- COMPONENT.wasm SESSION.jsonl

use std::error::Error;
use std::{env, fs};

use pi_capsule_host::wit::lifecycle::{ShutdownReason, StartReason};
use pi_capsule_host::wit::tools::Invocation;
use pi_capsule_host::{Capsule, LocalHost};

fn main() -> Result<(), Box<dyn Error>> {
    let [component, session] = env::args().skip(1).collect::<Vec<_>>().try_into().map_err(|_| "name two files")?;

    // The host: what the guest sees and can do. This one reads a session file, and runs the programs of the policy.
    let (host, skipped) = LocalHost::open(&session)?;
    if !skipped.is_empty() {
        eprintln!("{session}: not all of it could be read");
    }

    let mut capsule = Capsule::load(&fs::read(component)?, host)?;
    capsule.session_started(StartReason::Startup)?;
    let answer = capsule.call_tool(&Invocation {
        call_id: "1".into(),
        name: "history_list_windows".into(),
        arguments: "{}".into(),
        cwd: "/".into(),
    })?;
    println!("{}", answer?.text);
    capsule.session_shut_down(ShutdownReason::Quit)?;
    Ok(())
}
