//! The query of a request: get, list, watch and write options, each judged as kube-apiserver judges it.

use crate::field_error::{FieldError, FieldErrorKind};
use crate::metadata::validate::{forbidden, invalid, not_supported};
use crate::status::Failure;

const MANAGER_MAX: usize = 128;

/// A decoded query.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    pairs: Vec<(String, String)>,
}

/// How unknown and duplicate fields of a body are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldValidation {
    /// Dropped silently.
    Ignore,
    /// Dropped, with a `Warning` header each.
    Warn,
    /// Refused.
    Strict,
}

/// Which revision a read wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RevisionMatch {
    /// The newest.
    MostRecent,
    /// Whatever is at hand.
    Any,
    /// At least this one.
    NotOlderThan(u64),
    /// This one.
    Exact(u64),
}

impl Query {
    /// Decodes a query text.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        Self { pairs: form_urlencoded::parse(text.as_bytes()).into_owned().collect() }
    }

    /// The first value of a key, empty when absent.
    #[must_use]
    pub fn get(&self, key: &str) -> &str {
        self.pairs.iter().find(|(name, _)| name == key).map_or("", |(_, value)| value)
    }

    /// Every value of a key.
    pub fn all<'a>(&'a self, key: &'a str) -> impl Iterator<Item = &'a str> {
        self.pairs.iter().filter(move |(name, _)| name == key).map(|(_, value)| value.as_str())
    }

    /// Whether the key is there at all.
    #[must_use]
    pub fn has(&self, key: &str) -> bool {
        self.pairs.iter().any(|(name, _)| name == key)
    }

    /// A flag; present without a value counts as true, anything but `false` and `0` too (kube-apiserver's reading).
    #[must_use]
    pub fn flag(&self, key: &str) -> bool {
        self.has(key) && !matches!(self.get(key).to_ascii_lowercase().as_str(), "false" | "0")
    }

    /// A whole number.
    ///
    /// # Errors
    /// 400 when the text is no number.
    pub fn number(&self, key: &str) -> Result<Option<i64>, Failure> {
        match self.get(key) {
            "" => Ok(None),
            text => text.parse().map(Some).map_err(|_| {
                Failure::bad_request(format!("strconv.ParseInt: parsing {text:?}: invalid syntax"))
            }),
        }
    }

    /// `resourceVersion` as a number; empty and `0` are 0.
    ///
    /// # Errors
    /// 400 when the text is no revision.
    pub fn revision(&self) -> Result<u64, Failure> {
        match self.get("resourceVersion") {
            "" => Ok(0),
            text => text.parse().map_err(|_| {
                Failure::bad_request(format!(
                    "invalid resource version: resourceVersion: Invalid value: {text:?}: strconv.ParseUint: parsing \
                     {text:?}: invalid syntax"
                ))
            }),
        }
    }

    /// Whether the write is only tried.
    ///
    /// # Errors
    /// 422 for a value other than `All`.
    pub fn dry_run(&self, options: &str) -> Result<bool, Failure> {
        let mut asked = false;
        for value in self.all("dryRun").filter(|value| !value.is_empty()) {
            if value != "All" {
                let error = not_supported("dryRun", value, &["All"]);
                return Err(invalid_options(options, &[error]));
            }
            asked = true;
        }
        Ok(asked)
    }

    /// How unknown fields are taken; the default is to warn.
    ///
    /// # Errors
    /// 422 for an unknown value.
    pub fn field_validation(&self, options: &str) -> Result<FieldValidation, Failure> {
        match self.field_validation_error() {
            Some(error) => Err(invalid_options(options, &[error])),
            None => Ok(match self.get("fieldValidation") {
                "Ignore" => FieldValidation::Ignore,
                "Strict" => FieldValidation::Strict,
                _ => FieldValidation::Warn,
            }),
        }
    }

    /// What is wrong with the wish for validation, if anything.
    pub(crate) fn field_validation_error(&self) -> Option<FieldError> {
        const KNOWN: [&str; 4] = ["", "Ignore", "Strict", "Warn"];
        let asked = self.get("fieldValidation");
        (!KNOWN.contains(&asked)).then(|| not_supported("fieldValidation", asked, &KNOWN))
    }

    /// The field manager the query names, if any.
    ///
    /// # Errors
    /// 422 for one that is too long or unprintable.
    pub fn field_manager(&self, options: &str) -> Result<Option<&str>, Failure> {
        let name = self.get("fieldManager");
        if name.len() > MANAGER_MAX {
            let error = FieldError {
                kind: FieldErrorKind::TooLong,
                field: "fieldManager".to_owned(),
                message: format!("Too long: may not be more than {MANAGER_MAX} bytes"),
            };
            return Err(invalid_options(options, &[error]));
        }
        if let Some(odd) = name.chars().find(|c| c.is_control()) {
            let error =
                invalid("fieldManager", name, &format!("invalid character {} (at position 0)", Point(odd)));
            return Err(invalid_options(options, &[error]));
        }
        Ok(Some(name).filter(|name| !name.is_empty()))
    }

    /// Which revision a list wants.
    ///
    /// # Errors
    /// 400 or 422 for combinations that kube-apiserver refuses.
    pub fn revision_match(&self) -> Result<RevisionMatch, Failure> {
        let revision = self.revision()?;
        let mode = self.get("resourceVersionMatch");
        let given = self.has("resourceVersion") && !self.get("resourceVersion").is_empty();
        if !mode.is_empty() {
            self.check_mode(mode, given, revision)?;
        }
        Ok(match (mode, given, revision) {
            (_, false, _) => RevisionMatch::MostRecent,
            ("Exact", true, exact) => RevisionMatch::Exact(exact),
            (_, true, 0) => RevisionMatch::Any,
            ("", true, revision) if self.number("limit")?.unwrap_or_default() > 0 => {
                RevisionMatch::Exact(revision)
            }
            (_, true, revision) => RevisionMatch::NotOlderThan(revision),
        })
    }

    fn check_mode(&self, mode: &str, given: bool, revision: u64) -> Result<(), Failure> {
        const FIELD: &str = "resourceVersionMatch";
        let watch_initial = self.flag("watch") && self.has("sendInitialEvents");
        let error = if self.flag("watch") && !watch_initial {
            forbidden(
                FIELD,
                "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided",
            )
        } else if !given && !watch_initial {
            forbidden(FIELD, "resourceVersionMatch is forbidden unless resourceVersion is provided")
        } else if !self.get("continue").is_empty() {
            forbidden(FIELD, "resourceVersionMatch is forbidden when continue is provided")
        } else if !matches!(mode, "Exact" | "NotOlderThan") {
            not_supported(FIELD, mode, &["Exact", "NotOlderThan", ""])
        } else if mode == "Exact" && revision == 0 {
            forbidden(FIELD, "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"")
        } else {
            return Ok(());
        };
        Err(invalid_options("ListOptions", &[error]))
    }
}

/// 422 for options, named as kube-apiserver names them (`CreateOptions`, ...).
#[must_use]
pub fn invalid_options(options: &str, errors: &[FieldError]) -> Failure {
    Failure::invalid("meta.k8s.io", options, "", errors)
}

struct Point(char);

impl std::fmt::Display for Point {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "U+{:04X}", u32::from(self.0))
    }
}
