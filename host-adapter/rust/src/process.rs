//! Runs one program to its end, within limits, and says what became of it.
//!
//! No shell, no input, no terminal. Only an [`AllowedCommand`] can be started, so whether it may run has been decided;
//! what its output means is for others to say.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use std::{env, io};

use process_wrap::std::{ChildWrapper, CommandWrap};

use crate::policy::{AllowedCommand, Policy, ProcessLimits};
use crate::wit::subprocess::{Exit, Outcome};

/// How often a program is looked at that has closed its output and still runs. Most end within a millisecond of it.
const EXIT_POLL: Duration = Duration::from_millis(2);

/// How many events may wait for the supervisor: few, so that a program which prints faster than it is read waits, rather than
/// fill the memory.
const WAITING_EVENTS: usize = 4;

/// A program that runs. Dropping it kills the program, with everything it has started, and waits until it is gone.
pub struct RunningProcess {
    events: SyncSender<Event>,
    supervisor: Option<JoinHandle<()>>,
}

/// Starts a program as the [policy](Policy) wants it, with what that leaves of the `inherited` environment, usually
/// [`std::env::vars_os`]. `finished` is called once, on another thread, when it has ended.
///
/// An error is the outcome of a program that could not be started; then `finished` is not called.
pub fn start(
    command: &AllowedCommand,
    inherited: impl IntoIterator<Item = (OsString, OsString)>,
    finished: impl FnOnce(Outcome) + Send + 'static,
) -> Result<RunningProcess, Outcome> {
    let policy = Policy::shared();
    let environment = policy.environment(inherited);
    let file = find_program(command.program(), &environment).ok_or(Outcome::NotFound)?;
    spawn(&file, command.arguments(), &environment, policy.process_limits(), finished)
}

/// The program of that name in the absolute directories of `PATH`. A relative one would depend on where we are.
fn find_program(name: &str, environment: &BTreeMap<OsString, OsString>) -> Option<PathBuf> {
    let is_path = |name: &OsStr| if cfg!(windows) { name.eq_ignore_ascii_case("PATH") } else { name == "PATH" };
    let (_, path) = environment.iter().find(|(name, _)| is_path(name))?;
    let absolute = env::join_paths(env::split_paths(path).filter(|directory| directory.is_absolute())).ok()?;
    which::which_in(format!("{name}{}", env::consts::EXE_SUFFIX), Some(absolute), neutral_directory()).ok()
}

/// Where programs run: the root of the file system, which exists and which nobody works in.
fn neutral_directory() -> PathBuf {
    env::temp_dir().ancestors().last().map(Path::to_path_buf).unwrap_or_default()
}

fn spawn(
    file: &Path,
    arguments: &[String],
    environment: &BTreeMap<OsString, OsString>,
    limits: ProcessLimits,
    finished: impl FnOnce(Outcome) + Send + 'static,
) -> Result<RunningProcess, Outcome> {
    let mut command = CommandWrap::with_new(file, |command| {
        command
            .args(arguments)
            .env_clear()
            .envs(environment)
            .current_dir(neutral_directory())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
    });
    // Programs start helpers. All of them are killed together, and none has a terminal to ask for a password on.
    #[cfg(unix)]
    command.wrap(process_wrap::std::ProcessSession);
    #[cfg(windows)]
    command.wrap(process_wrap::std::JobObject);
    // Before the program, so that there is none that nobody watches over.
    let (events, received) = sync_channel(WAITING_EVENTS);
    let (hand_over, taken_over) = sync_channel(1);
    let supervisor = thread::Builder::new().spawn(move || {
        if let Ok(child) = taken_over.recv() {
            finished(supervise(child, &received, limits));
        }
    });
    let supervisor = supervisor.map_err(|error| not_started(&error))?;
    let mut child = command.spawn().map_err(|error| not_started(&error))?;
    if let Err(error) = read_both(child.as_mut(), &events) {
        let _ = child.start_kill();
        let _ = child.wait();
        return Err(not_started(&error));
    }
    // It waits for it.
    let _ = hand_over.send(child);
    Ok(RunningProcess { events, supervisor: Some(supervisor) })
}

impl Drop for RunningProcess {
    fn drop(&mut self) {
        // Fails when it has ended by itself.
        let _ = self.events.send(Event::Cancelled);
        if let Some(supervisor) = self.supervisor.take() {
            let _ = supervisor.join();
        }
    }
}

/// What a supervisor waits for. The exit is not among them: output can be there after it.
enum Event {
    Printed(Stream, Vec<u8>),
    Closed,
    Cancelled,
}

#[derive(Clone, Copy)]
enum Stream {
    Stdout,
    Stderr,
}

/// Reads both of a program's outputs, each on a thread.
fn read_both(child: &mut dyn ChildWrapper, events: &SyncSender<Event>) -> io::Result<()> {
    let stdout = child.stdout().take().ok_or(ErrorKind::BrokenPipe)?;
    let stderr = child.stderr().take().ok_or(ErrorKind::BrokenPipe)?;
    read_on_thread(Stream::Stdout, stdout, events.clone())?;
    read_on_thread(Stream::Stderr, stderr, events.clone())
}

/// Reads a pipe to its end. The thread ends with the pipe, or at the next output after nobody wants it any more; only a
/// descendant that has left the group can keep it waiting longer.
fn read_on_thread(stream: Stream, mut pipe: impl Read + Send + 'static, events: SyncSender<Event>) -> io::Result<()> {
    let read = move || {
        let mut buffer = [0; 16 * 1024];
        loop {
            match pipe.read(&mut buffer) {
                Ok(0) => break,
                Ok(length) if events.send(Event::Printed(stream, buffer[..length].to_vec())).is_ok() => {}
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Ok(_) | Err(_) => break,
            }
        }
        let _ = events.send(Event::Closed);
    };
    thread::Builder::new().spawn(read).map(drop)
}

/// Watches over a program until it has ended, or has to.
fn supervise(mut child: Box<dyn ChildWrapper>, events: &Receiver<Event>, limits: ProcessLimits) -> Outcome {
    match watch(child.as_mut(), events, limits) {
        Ok(exited) => exited,
        Err(verdict) => {
            // It may have ended meanwhile, which is just as well.
            let _ = child.start_kill();
            let _ = child.wait();
            verdict
        }
    }
}

/// The outcome of a program that ended by itself, or why it must be killed.
fn watch(child: &mut dyn ChildWrapper, events: &Receiver<Event>, limits: ProcessLimits) -> Result<Outcome, Outcome> {
    let deadline = Instant::now() + limits.time;
    let mut output = Output { stdout: Vec::new(), stderr: Vec::new(), left: limits.output };
    let mut open = 2;
    loop {
        // Until its pipes are closed, not only until it has exited: a helper can still hold them, and print.
        if open == 0
            && let Some(status) = child.try_wait().map_err(|error| unavailable(&error))?
        {
            let Output { stdout, stderr, .. } = output;
            return Ok(Outcome::Exited(Exit { code: exit_code(status), stdout, stderr }));
        }
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(Outcome::TimedOut);
        }
        match events.recv_timeout(if open == 0 { left.min(EXIT_POLL) } else { left }) {
            Ok(Event::Printed(stream, bytes)) => output.add(stream, &bytes)?,
            Ok(Event::Closed) => open -= 1,
            Ok(Event::Cancelled) => return Err(Outcome::Cancelled),
            Err(_) => {}
        }
    }
}

/// What was printed, both streams counted together while they are read.
struct Output {
    stdout: Vec<u8>,
    stderr: Vec<u8>,
    left: usize,
}

impl Output {
    fn add(&mut self, stream: Stream, bytes: &[u8]) -> Result<(), Outcome> {
        self.left = self.left.checked_sub(bytes.len()).ok_or(Outcome::OutputLimit)?;
        match stream {
            Stream::Stdout => self.stdout.extend(bytes),
            Stream::Stderr => self.stderr.extend(bytes),
        }
        Ok(())
    }
}

/// The exit status; for a program that died of a signal, 128 plus the signal's number.
fn exit_code(status: ExitStatus) -> i32 {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return 128 + signal;
    }
    status.code().unwrap_or(-1)
}

fn not_started(error: &io::Error) -> Outcome {
    Outcome::Unavailable(format!("could not start it: {error}"))
}

fn unavailable(error: &io::Error) -> Outcome {
    Outcome::Unavailable(format!("lost sight of it: {error}"))
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;
    use std::sync::mpsc;

    use tempfile::TempDir;

    use super::*;
    use crate::wit::subprocess::{Command, Program};

    const LIMITS: ProcessLimits = ProcessLimits { time: Duration::from_secs(30), output: 1 << 20, concurrent: 8 };

    /// Starts a shell script. Real policies allow no shell; here it stands for any program.
    fn script(text: &str, limits: ProcessLimits) -> (RunningProcess, Receiver<Outcome>) {
        let (sender, outcome) = mpsc::channel();
        let environment = Policy::shared().environment(env::vars_os());
        let arguments = ["-c".into(), text.into()];
        let running = spawn(Path::new("/bin/sh"), &arguments, &environment, limits, move |outcome| {
            sender.send(outcome).unwrap();
        });
        (running.unwrap(), outcome)
    }

    fn run(text: &str, limits: ProcessLimits) -> Outcome {
        let (_running, outcome) = script(text, limits);
        outcome.recv_timeout(Duration::from_secs(20)).expect("it is answered")
    }

    fn exited(outcome: Outcome) -> (i32, String, String) {
        let Outcome::Exited(Exit { code, stdout, stderr }) = outcome else { panic!("{outcome:?}") };
        (code, String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap())
    }

    /// Whether a process of that id is there and alive.
    fn is_alive(pid: &str) -> bool {
        let Ok(status) = fs::read_to_string(format!("/proc/{pid}/stat")) else { return false };
        !status.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with('Z'))
    }

    /// The id that a script writes into `file` once its helper runs.
    fn helper_of(file: &Path) -> String {
        let deadline = Instant::now() + Duration::from_secs(10);
        loop {
            match fs::read_to_string(file) {
                Ok(text) if text.ends_with('\n') => return text.trim().into(),
                _ => assert!(Instant::now() < deadline, "the script has not started its helper"),
            }
            thread::sleep(Duration::from_millis(5));
        }
    }

    #[test]
    fn both_streams_and_the_status_come_back() {
        let outcome = run("echo out; echo err >&2; exit 3", LIMITS);
        assert_eq!(exited(outcome), (3, "out\n".into(), "err\n".into()));
    }

    #[test]
    fn full_pipes_do_not_block_each_other() {
        let fill = "head -c 200000 /dev/zero >&2; head -c 200000 /dev/zero; head -c 200000 /dev/zero >&2";
        let (code, stdout, stderr) = exited(run(fill, LIMITS));
        assert_eq!((code, stdout.len(), stderr.len()), (0, 200_000, 400_000));
    }

    #[test]
    fn death_by_signal_is_128_and_its_number() {
        assert_eq!(exited(run("kill -9 $$", LIMITS)).0, 137);
    }

    #[test]
    fn output_up_to_the_limit_is_kept_and_one_byte_more_is_not() {
        let limits = ProcessLimits { output: 1000, ..LIMITS };
        let outcome = run("head -c 600 /dev/zero; head -c 400 /dev/zero >&2", limits);
        assert_eq!(exited(outcome).1.len(), 600);
        assert_eq!(run("head -c 600 /dev/zero; head -c 401 /dev/zero >&2", limits), Outcome::OutputLimit);
    }

    #[test]
    fn endless_output_is_stopped() {
        assert_eq!(run("yes", LIMITS), Outcome::OutputLimit);
    }

    #[test]
    fn what_runs_too_long_is_killed() {
        let limits = ProcessLimits { time: Duration::from_millis(100), ..LIMITS };
        let begin = Instant::now();
        assert_eq!(run("echo begun; sleep 60", limits), Outcome::TimedOut);
        assert_eq!(run("exec >&- 2>&-; sleep 60", limits), Outcome::TimedOut, "without any output to wait for");
        assert!(begin.elapsed() < Duration::from_secs(10));
    }

    #[test]
    fn helpers_are_killed_with_their_program() {
        let directory = TempDir::new().unwrap();
        let file = directory.path().join("helper");
        let text = format!("sleep 60 & echo $! > '{}'; wait", file.display());
        let (running, outcome) = script(&text, LIMITS);
        let helper = helper_of(&file);
        assert!(is_alive(&helper));
        drop(running);
        assert_eq!(outcome.recv().unwrap(), Outcome::Cancelled);
        let deadline = Instant::now() + Duration::from_secs(5);
        while is_alive(&helper) {
            assert!(Instant::now() < deadline, "the helper still runs");
            thread::sleep(Duration::from_millis(5));
        }
    }

    #[test]
    fn a_helper_that_escapes_with_the_pipes_does_not_hold_us_up() {
        let limits = ProcessLimits { time: Duration::from_millis(200), ..LIMITS };
        let begin = Instant::now();
        assert_eq!(run("setsid sleep 5 & exit 0", limits), Outcome::TimedOut);
        assert!(begin.elapsed() < Duration::from_secs(4));
    }

    #[test]
    fn a_program_has_no_input_no_terminal_and_a_neutral_directory() {
        let text = "pwd; cat; (: < /dev/tty) 2>/dev/null && echo terminal; echo $LC_ALL";
        assert_eq!(exited(run(text, LIMITS)).1, "/\nC\n");
    }

    #[test]
    fn programs_are_found_in_absolute_directories_only() {
        let directory = TempDir::new().unwrap();
        let file = directory.path().join("git");
        fs::write(&file, "#!/bin/sh\n").unwrap();
        let find = |path: &OsStr| find_program("git", &[("PATH".into(), path.to_owned())].into());
        assert_eq!(find(directory.path().as_os_str()), None, "not executable");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
        assert_eq!(find(directory.path().as_os_str()), Some(file));
        // From the root, where programs run, this would lead to the same file.
        assert_eq!(find(directory.path().strip_prefix("/").unwrap().as_os_str()), None);
        assert_eq!(find(OsStr::new("")), None);
    }

    #[test]
    fn an_allowed_command_runs() {
        let directory = TempDir::new().unwrap();
        let path = fs::canonicalize(directory.path()).unwrap();
        assert!(std::process::Command::new("git").args(["init", "--quiet"]).arg(&path).status().unwrap().success());
        let arguments = ["-C", path.to_str().unwrap(), "rev-parse", "--show-toplevel"].map(String::from).to_vec();
        let command = Policy::shared().command(Command { program: Program::Git, arguments }).unwrap();
        let (sender, outcome) = mpsc::channel();
        let _running = start(&command, env::vars_os(), move |outcome| sender.send(outcome).unwrap()).unwrap();
        let outcome = outcome.recv_timeout(Duration::from_secs(20)).unwrap();
        assert_eq!(exited(outcome), (0, format!("{}\n", path.display()), String::new()));
    }
}
