//! The question asked of GitHub, and what its answer means.
//!
//! One question: the open pull requests of a branch of a repository that is named in full, so that nothing depends on
//! what `gh` would infer from its surroundings. GitHub also lists those of strangers whose branch has the same name; one
//! counts only when it comes from the owner of the repository.

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::host::{Command, Outcome, Program};
use crate::session;

use super::github::GitHubRepository;

/// What a pull request is looked up by. Two are the same when GitHub says so: it does not tell owners and names by the
/// case of their letters, but branches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    owner: String,
    name: String,
    branch: String,
}

/// An open pull request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PullRequest {
    /// Its number.
    pub number: u64,
    /// Whether it is a draft.
    pub is_draft: bool,
}

/// The answer could not be had or made no sense. Nothing may be concluded from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unknown;

impl Query {
    /// The question about a branch.
    pub fn new(repository: &GitHubRepository, branch: &str) -> Self {
        let lower = |name: &str| name.to_ascii_lowercase();
        Self { owner: lower(&repository.owner), name: lower(&repository.name), branch: branch.to_owned() }
    }

    /// The command that asks it.
    pub fn command(&self) -> Command {
        // With the host: without it, `gh` asks the one that the person uses most.
        let repository = format!("github.com/{}/{}", self.owner, self.name);
        let fields = "number,state,isDraft,url,isCrossRepository,headRepositoryOwner";
        let arguments = [
            "pr",
            "list",
            "--repo",
            &repository,
            "--head",
            &self.branch,
            "--state",
            "open",
            "--limit",
            "20",
            "--json",
            fields,
        ];
        Command { program: Program::Gh, arguments: arguments.map(str::to_owned).into() }
    }

    /// Reads the answer: the pull request of the branch, or that there is none.
    ///
    /// # Errors
    ///
    /// When `gh` did not answer, or not in the expected form.
    pub fn answer(&self, outcome: &Outcome) -> Result<Option<PullRequest>, Unknown> {
        let Outcome::Exited { code: 0, stdout, .. } = outcome else { return Err(Unknown) };
        let rows: Vec<&RawValue> = serde_json::from_slice(stdout).map_err(|_| Unknown)?;
        let rows = rows.iter().map(|row| session::object(row.get()).filter(Row::is_valid).ok_or(Unknown));
        let rows = rows.collect::<Result<Vec<Row>, Unknown>>()?;
        let ours = rows.iter().filter(|row| row.is_of(&self.owner));
        let latest = ours.max_by_key(|row| row.number);
        Ok(latest.map(|row| PullRequest { number: row.number, is_draft: row.is_draft }))
    }
}

/// A pull request as `gh` prints it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Row {
    number: u64,
    state: String,
    is_draft: bool,
    url: String,
    #[serde(rename = "isCrossRepository")]
    _is_cross_repository: bool,
    /// Absent when the fork is gone.
    head_repository_owner: Option<Owner>,
}

#[derive(Deserialize)]
struct Owner {
    login: String,
}

impl Row {
    fn is_valid(&self) -> bool {
        self.number > 0
            && self.state == "OPEN"
            && ["https://", "http://"].iter().any(|scheme| self.url.starts_with(scheme))
    }

    fn is_of(&self, owner: &str) -> bool {
        self.head_repository_owner.as_ref().is_some_and(|head| head.login.eq_ignore_ascii_case(owner))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::Failure;

    fn query() -> Query {
        Query::new(&GitHubRepository { owner: "Acme".into(), name: "Widget".into() }, "Feature/x")
    }

    fn row(number: &str, draft: &str, owner: &str) -> String {
        format!(
            r#"{{"number":{number},"state":"OPEN","isDraft":{draft},"url":"https://github.com/acme/widget/pull/1",
                "isCrossRepository":false,"headRepositoryOwner":{owner}}}"#
        )
    }

    fn answer(code: i32, stdout: &str) -> Result<Option<PullRequest>, Unknown> {
        query().answer(&Outcome::Exited { code, stdout: stdout.into(), stderr: vec![] })
    }

    const ACME: &str = r#"{"id":"x","login":"aCme"}"#;
    const STRANGER: &str = r#"{"login":"stranger"}"#;

    #[test]
    fn the_repository_is_named_with_its_host_and_the_branch_as_it_is() {
        let arguments = query().command().arguments;
        assert_eq!(arguments[..6], ["pr", "list", "--repo", "github.com/acme/widget", "--head", "Feature/x"]);
    }

    #[test]
    fn owners_and_names_differ_by_more_than_case_and_branches_do_not() {
        let named = |owner: &str, branch: &str| {
            Query::new(&GitHubRepository { owner: owner.into(), name: "widget".into() }, branch)
        };
        assert_eq!(named("acme", "Feature/x"), query());
        assert_ne!(named("acme", "feature/x"), query());
    }

    #[test]
    fn none_one_and_a_draft() {
        assert_eq!(answer(0, "[]"), Ok(None));
        let open = PullRequest { number: 42, is_draft: false };
        assert_eq!(answer(0, &format!("[{}]\n", row("42", "false", ACME))), Ok(Some(open)));
        let draft = PullRequest { number: 7, is_draft: true };
        assert_eq!(answer(0, &format!("[{}]", row("7", "true", ACME))), Ok(Some(draft)));
    }

    #[test]
    fn only_those_of_the_owner_count_and_the_highest_number() {
        let rows =
            [row("9", "false", STRANGER), row("3", "false", ACME), row("5", "true", ACME), row("8", "false", "null")];
        assert_eq!(answer(0, &format!("[{}]", rows.join(","))), Ok(Some(PullRequest { number: 5, is_draft: true })));
        assert_eq!(answer(0, &format!("[{}]", row("9", "false", STRANGER))), Ok(None));
    }

    #[test]
    fn an_answer_that_makes_no_sense_says_nothing() {
        let closed = row("1", "false", ACME).replace("OPEN", "CLOSED");
        let other_url = row("1", "false", ACME).replace("https:", "javascript:");
        for bad in [
            "",
            "null",
            "{}",
            "[1]",
            r#"[[1,"OPEN",false,"https://x",false,{"login":"acme"}]]"#,
            "[",
            "gh: not logged in",
            &format!("[{}]", row("0", "false", ACME)),
            &format!("[{}]", row("-1", "false", ACME)),
            &format!("[{}]", row("1.5", "false", ACME)),
            &format!("[{}]", row("\"1\"", "false", ACME)),
            &format!("[{}]", row("1", "\"no\"", ACME)),
            &format!("[{}]", row("1", "false", r#""acme""#)),
            &format!("[{closed}]"),
            &format!("[{other_url}]"),
        ] {
            assert_eq!(answer(0, bad), Err(Unknown), "{bad}");
        }
        assert_eq!(answer(1, "[]"), Err(Unknown));
        assert_eq!(query().answer(&Outcome::Failed(Failure::TimedOut)), Err(Unknown));
    }
}
