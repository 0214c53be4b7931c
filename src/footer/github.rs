//! Which GitHub repository a remote URL names, if any.

/// A repository on github.com.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GitHubRepository {
    /// Who owns it, as the URL writes it.
    pub owner: String,
    /// Its name, without `.git`.
    pub name: String,
}

/// The longest owner that GitHub gives out.
const OWNER_LIMIT: usize = 39;
/// The longest repository name that GitHub gives out.
const NAME_LIMIT: usize = 100;

impl GitHubRepository {
    /// Reads a URL (`https`, `http`, `ssh`, `git`) or the short form `user@github.com:owner/name`.
    ///
    /// Exactly one owner and one name count: a URL with more or fewer parts names something else. A user, password or
    /// port in the URL is skipped and never kept.
    pub fn parse(url: &str) -> Option<Self> {
        let path = github_path(url)?;
        let (owner, name) = path.split_once('/')?;
        let name = name.strip_suffix('/').unwrap_or(name);
        let name = name.strip_suffix(".git").unwrap_or(name);
        (is_owner(owner) && is_name(name)).then(|| Self { owner: owner.to_owned(), name: name.to_owned() })
    }
}

/// What follows the host, if the host is GitHub.
fn github_path(url: &str) -> Option<&str> {
    let (authority, path) = match url.split_once("://") {
        Some((scheme, rest)) => {
            let known = ["https", "http", "ssh", "git"].iter().any(|name| scheme.eq_ignore_ascii_case(name));
            if !known {
                return None;
            }
            let (authority, path) = rest.split_once('/')?;
            (without_port(authority)?, path)
        }
        None => {
            let (authority, path) = url.split_once(':')?;
            (authority, path.strip_prefix('/').unwrap_or(path))
        }
    };
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    host.eq_ignore_ascii_case("github.com").then_some(path)
}

/// The authority of a URL without its port; `None` when what stands there is none.
fn without_port(authority: &str) -> Option<&str> {
    let host_start = authority.rfind('@').map_or(0, |at| at + 1);
    match authority[host_start..].split_once(':') {
        Some((host, port)) => {
            port.bytes().all(|byte| byte.is_ascii_digit()).then_some(&authority[..host_start + host.len()])
        }
        None => Some(authority),
    }
}

fn is_owner(owner: &str) -> bool {
    (1..=OWNER_LIMIT).contains(&owner.len())
        && owner.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
        && !owner.starts_with('-')
        && !owner.ends_with('-')
}

fn is_name(name: &str) -> bool {
    (1..=NAME_LIMIT).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte))
        && name != "."
        && name != ".."
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_of_a_github_remote() {
        for url in [
            "https://github.com/acme/widget",
            "https://github.com/acme/widget.git",
            "https://github.com/acme/widget/",
            "http://GitHub.com/acme/widget.git",
            "HTTPS://github.com/acme/widget",
            "https://me:secret@github.com/acme/widget.git",
            "https://github.com:443/acme/widget",
            "ssh://git@github.com/acme/widget.git",
            "ssh://git@github.com:22/acme/widget.git",
            "git://github.com/acme/widget.git",
            "git@github.com:acme/widget.git",
            "github.com:acme/widget",
            "git@github.com:/acme/widget.git",
        ] {
            let expected = GitHubRepository { owner: "acme".into(), name: "widget".into() };
            assert_eq!(GitHubRepository::parse(url), Some(expected), "{url}");
        }
    }

    #[test]
    fn dots_and_case_in_a_name_are_kept() {
        let parsed = GitHubRepository::parse("git@github.com:Acme/.Wid_get.js").map(|r| (r.owner, r.name));
        assert_eq!(parsed, Some(("Acme".into(), ".Wid_get.js".into())));
    }

    #[test]
    fn anything_else_is_no_github_remote() {
        let long_owner = format!("https://github.com/{}/widget", "a".repeat(40));
        let long_name = format!("https://github.com/acme/{}", "a".repeat(101));
        for url in [
            "",
            "acme/widget",
            "/srv/git/widget.git",
            "C:\\git\\widget",
            "file:///github.com/acme/widget",
            "https://gitlab.com/acme/widget",
            "https://github.com.evil.example/acme/widget",
            "https://evil.example/github.com/acme/widget",
            "https://github.com@evil.example/acme/widget",
            "https://github.com",
            "https://github.com/acme",
            "https://github.com/acme/",
            "https://github.com/acme/.git",
            "https://github.com/acme/..",
            "https://github.com//widget",
            "https://github.com/acme/widget/tree/main",
            "https://github.com/acme/widget?x=1",
            "https://github.com/-acme/widget",
            "https://github.com/acme-/widget",
            "https://github.com/ac me/widget",
            "https://github.com:evil/acme/widget",
            "git@github.com:acme/widget/extra",
            &long_owner,
            &long_name,
        ] {
            assert_eq!(GitHubRepository::parse(url), None, "{url}");
        }
    }
}
