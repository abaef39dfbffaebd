//! A case as a file of a few lines: the rule it broke, the seed, the world, which faults strike when, and what users do.
//!
//! YAML, decoded strictly. An act is one line of JSON, so that it can be removed, copied or edited by hand.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use api::ClusterName;
use jiff::SignedDuration;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::case::Case;
use crate::fault::{Fault, Faults, Strikes};
use crate::workload::{Act, Size, Timed, Universe};

/// A case and the rule that it broke when it was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Regression {
    /// The rule, as a breach names it.
    pub rule: String,
    /// The case; its faults are listed.
    pub case: Case,
}

/// A text that is no regression file, or a case that cannot be written as one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RegressionError {
    /// It does not decode, or a field says something that cannot be.
    #[error("{file}: {field}: {problem}")]
    Wrong {
        /// Name of the file.
        file: String,
        /// Path of the field; `.` is the whole file.
        field: String,
        /// What is wrong with it, with its line where that is known.
        problem: String,
    },
    /// Faults are drawn, not listed.
    #[error("a case whose faults are drawn is no regression file; run it and list what struck")]
    Drawn,
    /// A body that is no JSON.
    #[error("act {0} has a body that is no JSON: {1}")]
    Body(usize, String),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    rule: String,
    seed: u64,
    world: Named<Size>,
    projects: Vec<String>,
    networks: Vec<String>,
    locations: Vec<String>,
    replicas: u32,
    strikes: BTreeMap<Named<Fault>, BTreeSet<u64>>,
    acts: Vec<Line>,
}

/// Something by its name.
#[derive(Clone, Copy, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
#[serde(try_from = "String")]
#[serde(bound = "T: std::str::FromStr, T::Err: std::fmt::Display")]
struct Named<T>(T);

impl<T: std::str::FromStr> TryFrom<String> for Named<T> {
    type Error = T::Err;

    fn try_from(text: String) -> Result<Self, T::Err> {
        text.parse().map(Self)
    }
}

#[derive(Clone, Copy, Deserialize, Serialize, PartialEq, Eq)]
#[serde(rename_all = "UPPERCASE")]
enum Method {
    Post,
    Patch,
    Delete,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Line {
    at: SignedDuration,
    plane: ClusterName,
    method: Method,
    path: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    body: Option<Value>,
    /// A foreign hand does it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    foreign: bool,
}

impl Regression {
    /// Reads a file's text; `file` is its name in errors.
    ///
    /// # Errors
    /// If it is no regression file, with the field that is wrong.
    pub fn read(file: &str, text: &str) -> Result<Self, RegressionError> {
        let document = decode(file, text)?;
        let wrong = |field: &str, problem: &str| RegressionError::Wrong {
            file: file.to_owned(),
            field: field.to_owned(),
            problem: problem.to_owned(),
        };
        if document.replicas == 0 {
            return Err(wrong("replicas", "at least one manager must run"));
        }
        let mut strikes = Strikes::new();
        for (Named(fault), occasions) in document.strikes {
            if fault == Fault::ForeignHand {
                return Err(wrong("strikes", "foreign-hand is an act; mark acts with \"foreign\":true"));
            }
            strikes.insert(fault, occasions);
        }
        let mut acts = Vec::with_capacity(document.acts.len());
        for (number, line) in document.acts.into_iter().enumerate() {
            let body = format!("acts[{number}].body");
            acts.push(line.timed().map_err(|problem| wrong(&body, problem))?);
        }
        let universe = Universe {
            projects: document.projects,
            networks: document.networks,
            locations: document.locations,
            replicas: document.replicas,
            ..Universe::of(document.world.0)
        };
        let (seed, size) = (document.seed, document.world.0);
        let faults = Faults::Listed(strikes);
        Ok(Self { rule: document.rule, case: Case { seed, size, universe, faults, acts } })
    }

    /// As a file's text, which reads as the same case.
    ///
    /// # Errors
    /// If the case's faults are not listed.
    pub fn text(&self) -> Result<String, RegressionError> {
        let Faults::Listed(strikes) = &self.case.faults else { return Err(RegressionError::Drawn) };
        let universe = &self.case.universe;
        let mut text = format!("rule: {}\n", Value::from(self.rule.as_str()));
        let mut field = |name: &str, value: &dyn std::fmt::Display| {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{name}: {value}");
        };
        field("seed", &self.case.seed);
        field("world", &self.case.size.name());
        field("projects", &Value::from(universe.projects.as_slice()));
        field("networks", &Value::from(universe.networks.as_slice()));
        field("locations", &Value::from(universe.locations.as_slice()));
        field("replicas", &universe.replicas);
        field("strikes", &if strikes.is_empty() { "{}" } else { "" });
        for (fault, occasions) in strikes {
            let occasions: Vec<u64> = occasions.iter().copied().collect();
            field(&format!("  {fault}"), &Value::from(occasions));
        }
        field("acts", &if self.case.acts.is_empty() { "[]" } else { "" });
        for (number, timed) in self.case.acts.iter().enumerate() {
            let written = Line::of(timed).and_then(|line| serde_json::to_string(&line));
            let line = written.map_err(|error| RegressionError::Body(number, error.to_string()))?;
            let _ = writeln!(text, "- {line}");
        }
        Ok(text.replace(": \n", ":\n"))
    }
}

impl Line {
    fn of(timed: &Timed) -> Result<Self, serde_json::Error> {
        let Timed { at, act, is_foreign } = timed;
        let body = if act.body.is_empty() { None } else { Some(serde_json::from_str(&act.body)?) };
        Ok(Self {
            at: *at,
            plane: act.cluster.clone(),
            method: Method::of(act.method),
            path: act.path.clone(),
            body,
            foreign: *is_foreign,
        })
    }

    fn timed(self) -> Result<Timed, &'static str> {
        let body = match (self.method, self.body) {
            (Method::Delete, None) => String::new(),
            (Method::Delete, Some(_)) => return Err("a deletion has none"),
            (_, None) => return Err("is missing"),
            (_, Some(body)) => body.to_string(),
        };
        let act = Act::of_request(self.plane, self.method.text(), self.path, body);
        let act = act.ok_or("cannot be sent")?;
        Ok(Timed { at: self.at, act, is_foreign: self.foreign })
    }
}

impl Method {
    fn of(text: &str) -> Self {
        match text {
            "POST" => Self::Post,
            "DELETE" => Self::Delete,
            _ => Self::Patch,
        }
    }

    fn text(self) -> &'static str {
        match self {
            Self::Post => "POST",
            Self::Patch => "PATCH",
            Self::Delete => "DELETE",
        }
    }
}

fn decode(file: &str, text: &str) -> Result<Document, RegressionError> {
    let mut field = String::new();
    let options = serde_saphyr::options! { strict_booleans: true, with_snippet: false };
    let read = serde_saphyr::with_deserializer_from_str_with_options(text, options, |yaml| {
        let mut track = serde_path_to_error::Track::new();
        let read = Document::deserialize(serde_path_to_error::Deserializer::new(yaml, &mut track));
        field = track.path().to_string();
        read
    });
    read.map_err(|error| {
        let problem = error.without_snippet().to_string();
        RegressionError::Wrong { file: file.to_owned(), field, problem }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(seed: u64, size: Size) -> Regression {
        let strikes = Strikes::from([
            (Fault::AnswerLost, BTreeSet::from([3, 17])),
            (Fault::Crash, BTreeSet::from([0])),
        ]);
        let case = Case { faults: Faults::Listed(strikes), ..Case::of_seed(seed, size) };
        Regression { rule: "L1 what is declared: \"becomes\" so # at last".to_owned(), case }
    }

    /// What an act is called is for people and is not written.
    fn unnamed(mut regression: Regression) -> Regression {
        for timed in &mut regression.case.acts {
            timed.act.what = "";
        }
        regression
    }

    #[test]
    fn what_is_written_reads_as_the_same_case() {
        for seed in 0..40 {
            for size in [Size::Small, Size::Presence] {
                let regression = listed(seed, size);
                let text = regression.text().unwrap();
                let read = Regression::read("x.yaml", &text).unwrap();
                assert_eq!(unnamed(read), unnamed(regression), "{text}");
            }
        }
    }

    #[test]
    fn an_act_is_one_line() {
        let regression = listed(1, Size::Small);
        let text = regression.text().unwrap();
        assert_eq!(text.lines().count(), 11 + regression.case.acts.len(), "{text}");
    }

    #[test]
    fn a_case_without_acts_and_strikes_can_be_written() {
        let mut regression = listed(1, Size::Small);
        regression.case.acts.clear();
        regression.case.faults = Faults::Listed(Strikes::new());
        let text = regression.text().unwrap();
        assert_eq!(Regression::read("x.yaml", &text).unwrap(), regression, "{text}");
    }

    #[test]
    fn drawn_faults_are_not_written() {
        let case = Case::of_seed(1, Size::Small);
        assert_eq!(Regression { rule: String::new(), case }.text(), Err(RegressionError::Drawn));
    }

    const WHOLE: &str = r#"rule: L1
seed: 3
world: small
projects: [p0]
networks: [n0]
locations: [l0]
replicas: 1
strikes:
  crash: [0]
acts:
- {"at":"PT1.5S","plane":"hub","method":"DELETE","path":"/api/v1/namespaces/ns-p0"}
- {"at":"PT2S","plane":"project/p0","method":"PATCH","path":"/x","body":{"metadata":{"labels":null}},"foreign":true}
"#;

    #[test]
    fn a_file_written_by_hand_is_read() {
        let case = Regression::read("x.yaml", WHOLE).unwrap().case;
        assert_eq!(case.acts[0].at, SignedDuration::from_millis(1500));
        assert_eq!(case.acts[1].act.body, r#"{"metadata":{"labels":null}}"#);
        assert!(case.acts[1].is_foreign);
    }

    #[test]
    fn what_is_wrong_is_told_with_file_and_field() {
        let faulty = [
            ("seed: 3", "seed: three", "x.yaml: seed: "),
            ("seed: 3\n", "", "x.yaml: .: missing field `seed` at line "),
            ("seed: 3", "sead: 3", "x.yaml: sead: "),
            ("seed: 3", "seed: 3\nseed: 4", "duplicate"),
            ("world: small", "world: tiny", "no world is called \"tiny\""),
            ("replicas: 1", "replicas: 0", "x.yaml: replicas: "),
            ("crash: [0]", "flood: [0]", "no fault is called \"flood\""),
            ("crash: [0]", "crash: [-1]", "x.yaml: strikes.crash[0]: "),
            ("crash: [0]", "foreign-hand: [0]", "x.yaml: strikes: foreign-hand is an act"),
            ("\"DELETE\"", "\"REMOVE\"", "x.yaml: acts[0].method: unknown variant"),
            ("\"plane\":\"hub\"", "\"plane\":\"moon\"", "x.yaml: acts[0].plane: "),
            ("\"at\":\"PT1.5S\"", "\"at\":\"soon\"", "x.yaml: acts[0].at: "),
            ("\"foreign\"", "\"alien\"", "x.yaml: acts[1].alien: "),
            ("\"DELETE\"", "\"POST\"", "x.yaml: acts[0].body: is missing"),
            ("\"PATCH\"", "\"DELETE\"", "x.yaml: acts[1].body: a deletion has none"),
        ];
        for (from, to, told) in faulty {
            let text = WHOLE.replacen(from, to, 1);
            assert_ne!(text, WHOLE);
            let error = Regression::read("x.yaml", &text).unwrap_err().to_string();
            assert!(error.contains(told), "{error}\nshould say {told}");
            assert!(error.starts_with("x.yaml"), "{error}");
        }
    }
}
