//! One page of a list and the token for the next.

use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::selector::Selector;
use crate::server::Call;
use crate::shape::shaped;
use crate::status::Failure;
use crate::store::{Key, Stored};

/// Where a paged list goes on.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Continue {
    #[serde(rename = "rv")]
    pub(super) revision: u64,
    /// `namespace/name` of the last object that was shown.
    #[serde(rename = "start")]
    pub(super) after: String,
}

impl Continue {
    fn encode(&self) -> String {
        URL_SAFE_NO_PAD.encode(json!({"rv": self.revision, "start": self.after}).to_string())
    }

    pub(super) fn decode(token: &str) -> Result<Self, Failure> {
        let refuse = |why: String| {
            Failure::bad_request(format!("invalid continue token: continue key is not valid: {why}"))
        };
        let bytes = URL_SAFE_NO_PAD.decode(token).map_err(|error| refuse(error.to_string()))?;
        serde_json::from_slice(&bytes).map_err(|error| refuse(error.to_string()))
    }
}

/// One page.
pub(super) struct Page {
    pub(super) items: Vec<Arc<Stored>>,
    pub(super) next: Option<String>,
    remaining: Option<usize>,
    revision: u64,
    custom: bool,
}

impl Page {
    /// The first `limit` (0: all) selected objects of a state.
    pub(super) fn cut<'a>(
        state: impl Iterator<Item = (&'a Key, &'a Arc<Stored>)>,
        call: &Call<'_>,
        selector: &Selector,
        (revision, limit): (u64, usize),
    ) -> Self {
        let mut page =
            Self { items: Vec::new(), next: None, remaining: None, revision, custom: call.resource.custom };
        let mut last: Option<&Key> = None;
        let mut state = state.peekable();
        while let Some((key, stored)) = state.next() {
            let stored = shaped(&call.resource, stored);
            if !selector.is_empty() && !selector.matches(&stored.value()) {
                continue;
            }
            if limit > 0 && page.items.len() == limit {
                let after = last.map(|key| key.local().to_owned()).unwrap_or_default();
                page.next = Some(Continue { revision, after }.encode());
                page.remaining = selector.is_empty().then(|| 1 + state.count());
                return page;
            }
            last = Some(key);
            page.items.push(stored);
        }
        page
    }

    /// The list's metadata. Lists of whole custom resources always carry `continue`, all others only when it says
    /// something.
    pub(super) fn metadata(&self, whole: bool) -> Value {
        let mut metadata = Map::new();
        metadata.insert("resourceVersion".to_owned(), json!(self.revision.to_string()));
        match &self.next {
            Some(next) => drop(metadata.insert("continue".to_owned(), json!(next))),
            None if self.custom && whole => drop(metadata.insert("continue".to_owned(), json!(""))),
            None => {}
        }
        if let Some(remaining) = self.remaining {
            metadata.insert("remainingItemCount".to_owned(), json!(remaining));
        }
        Value::Object(metadata)
    }
}
