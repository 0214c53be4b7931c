//! The one engine of this process, and the clock that bounds its guests.
//!
//! A guest looks at the clock whenever it begins a function or goes round a loop, and is stopped when its call has taken too
//! long. That costs less than counting what it does, and is also true of the time that it spends in imports; see
//! `docs/performance.md`.

use std::sync::LazyLock;
use std::thread;
use std::time::Duration;

use wasmtime::{Config, Engine};

use crate::text::plain_line;

/// How often the clock ticks. A call is stopped at most this much late.
const TICK: Duration = Duration::from_millis(50);

static ENGINE: LazyLock<Result<Engine, String>> = LazyLock::new(|| {
    let mut config = Config::new();
    config.epoch_interruption(true);
    let engine = Engine::new(&config).map_err(|error| plain_line(&error.to_string()))?;
    let clock = engine.clone();
    let tick = move || {
        loop {
            thread::sleep(TICK);
            clock.increment_epoch();
        }
    };
    // Without its clock a guest could run for ever.
    thread::Builder::new().spawn(tick).map_err(|error| plain_line(&error.to_string()))?;
    Ok(engine)
});

/// The engine, or why there is none. What it compiles has neither threads nor shared memory, which are not part of this build
/// of wasmtime.
pub(crate) fn shared() -> Result<&'static Engine, String> {
    ENGINE.as_ref().map_err(String::clone)
}

/// How many ticks a time takes, so that it is never cut short.
pub(crate) fn ticks(time: Duration) -> u64 {
    let ticks = time.as_nanos().div_ceil(TICK.as_nanos()) + 1;
    ticks.try_into().unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_never_cut_short() {
        assert_eq!(ticks(Duration::ZERO), 1);
        assert_eq!(ticks(TICK), 2);
        assert_eq!(ticks(TICK + Duration::from_nanos(1)), 3);
    }
}
