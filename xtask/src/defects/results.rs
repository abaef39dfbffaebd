//! What it took to find each defect, kept beside the patches.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{DefectsError, io};

/// Where results are kept.
pub(super) const FILE: &str = "crates/sim/defects/results.yaml";
const HEAD: &str =
    "# Written by `cargo xtask defects`: seeds until each planted defect was found, from each start.\n";

/// One start.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Found {
    /// Seeds that were needed, the one that broke a rule included.
    pub(super) seeds: u64,
    /// The rule.
    pub(super) rule: String,
}

/// One defect.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Kept {
    /// Size of the worlds that found it.
    pub(super) world: String,
    /// Every start.
    pub(super) found: Vec<Found>,
}

impl Kept {
    fn sorted(&self) -> Vec<u64> {
        let mut seeds: Vec<u64> = self.found.iter().map(|found| found.seeds).collect();
        seeds.sort_unstable();
        seeds
    }

    /// Seeds that half of the starts needed at most.
    pub(super) fn median(&self) -> u64 {
        let seeds = self.sorted();
        seeds.get(seeds.len().saturating_sub(1) / 2).copied().unwrap_or_default()
    }

    /// Seeds that every start needed at most.
    pub(super) fn maximum(&self) -> u64 {
        self.sorted().last().copied().unwrap_or_default()
    }

    /// The rules that broke, the most frequent first.
    pub(super) fn rules(&self) -> Vec<&str> {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for found in &self.found {
            *counts.entry(&found.rule).or_default() += 1;
        }
        let mut rules: Vec<_> = counts.into_iter().collect();
        rules.sort_by_key(|(rule, count)| (std::cmp::Reverse(*count), *rule));
        rules.into_iter().map(|(rule, _)| rule).collect()
    }

    /// In a line.
    pub(super) fn text(&self) -> String {
        let (median, maximum, rules) = (self.median(), self.maximum(), self.rules().join(", "));
        format!("{} world, median {median}, at most {maximum}: {rules}", self.world)
    }
}

/// Every defect's.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Results {
    /// By name.
    pub(super) defects: BTreeMap<String, Kept>,
}

impl Results {
    /// The results that are kept; none where nothing was measured yet.
    pub(super) fn read(root: &Path) -> Result<Self, DefectsError> {
        let path = root.join(FILE);
        match fs::read_to_string(&path) {
            Ok(text) => Ok(serde_saphyr::from_str(&text)?),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Self::default()),
            Err(source) => Err(DefectsError::Io { path, source }),
        }
    }

    /// Keeps them.
    pub(super) fn write(&self, root: &Path) -> Result<(), DefectsError> {
        let path = root.join(FILE);
        let text = format!("{HEAD}{}", serde_saphyr::to_string(self)?);
        fs::write(&path, text).map_err(io(&path))
    }
}
