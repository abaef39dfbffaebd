//! Get and list.

mod page;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use serde_json::{Value, json};

use crate::media::{Accepted, Encoding, Form};
use crate::request::RevisionMatch;
use crate::resource::Resource;
use crate::selector::Selector;
use crate::server::{Call, Response, Server};
use crate::shape::shaped;
use crate::status::Failure;
use crate::store::{Key, Stored};
use crate::table::{Include, partial, table};
use page::{Continue, Page};

impl Server {
    pub(crate) fn get(&mut self, call: &Call<'_>) -> Result<Response, Failure> {
        let wanted = call.query.revision()?;
        self.check_reached(wanted)?;
        let key = call.key(call.name());
        let stored = self.store.get(&key).ok_or_else(|| Failure::not_found(&call.resource, call.name()))?;
        let stored = shaped(&call.resource, stored);
        if call.subresource() == "scale" {
            return crate::write::scale::show(call, &stored.value());
        }
        Ok(self.present(call, 200, &stored))
    }

    pub(crate) fn list(&mut self, call: &Call<'_>) -> Result<Response, Failure> {
        let selector = call.selector()?;
        let limit = usize::try_from(call.query.number("limit")?.unwrap_or_default()).unwrap_or_default();
        let page = self.page(call, &selector, limit)?;
        Ok(self.present_list(call, &page))
    }

    fn page(&mut self, call: &Call<'_>, selector: &Selector, limit: usize) -> Result<Page, Failure> {
        let prefix = call.prefix();
        let present = self.store.published_revision();
        let token = call.query.get("continue");
        if !token.is_empty() {
            return self.next_page(call, selector, limit);
        }
        match call.query.revision_match()? {
            RevisionMatch::Exact(revision) => {
                self.check_reached(revision)?;
                let state = self
                    .store
                    .under_at(&prefix, revision)
                    .map_err(|_| Failure::expired("The resourceVersion for the provided list is too old."))?;
                Ok(Page::cut(
                    state.iter().map(|(key, stored)| (key, stored)),
                    call,
                    selector,
                    (revision, limit),
                ))
            }
            RevisionMatch::NotOlderThan(revision) => {
                self.check_reached(revision)?;
                Ok(self.present_page(call, selector, (present, limit)))
            }
            RevisionMatch::Any | RevisionMatch::MostRecent => {
                Ok(self.present_page(call, selector, (present, limit)))
            }
        }
    }

    fn present_page(&mut self, call: &Call<'_>, selector: &Selector, bounds: (u64, usize)) -> Page {
        let prefix = call.prefix();
        let page = match (selector.pinned_name(), &call.place.namespace) {
            (Some(name), namespace) if namespace.is_some() || !call.resource.namespaced => {
                let key = call.key(name);
                let found = self.store.get(&key).map(|stored| (&key, stored));
                Page::cut(found.into_iter(), call, selector, bounds)
            }
            _ => Page::cut(self.store.under(&prefix), call, selector, bounds),
        };
        if page.next.is_some() {
            self.store.keep_snapshot(self.now);
        }
        page
    }

    fn next_page(&mut self, call: &Call<'_>, selector: &Selector, limit: usize) -> Result<Page, Failure> {
        if !matches!(call.query.get("resourceVersion"), "" | "0") {
            return Err(Failure::bad_request(
                "specifying resource version is not allowed when using continue".to_owned(),
            ));
        }
        let token = Continue::decode(call.query.get("continue"))?;
        let prefix = call.prefix();
        let state = self.store.under_at(&prefix, token.revision).map_err(|_| {
            Failure::expired(
                "The provided continue parameter is too old to display a consistent list result. You can start a new \
                 list without the continue parameter, or use the continue token in this response to retrieve the \
                 remainder of the results. Continuing with the provided token results in an inconsistent list - \
                 objects that were created, modified, or deleted between the time the first chunk was returned and \
                 now may show up in the list.",
            )
        })?;
        let rest = state.iter().filter(|(key, _)| key.local() > token.after.as_str());
        Ok(Page::cut(rest.map(|(key, stored)| (key, stored)), call, selector, (token.revision, limit)))
    }

    /// Whether a revision has happened (and is published).
    pub(crate) fn check_reached(&self, revision: u64) -> Result<(), Failure> {
        let current = self.store.published_revision();
        if revision > current { Err(Failure::too_large_revision(revision, current)) } else { Ok(()) }
    }

    /// An object in the form the client accepts.
    pub(crate) fn present(&self, call: &Call<'_>, status: u16, stored: &Stored) -> Response {
        if call.accepted.form == Form::Object && call.accepted.encoding == Encoding::Json {
            return Response::json(status, stored.bytes.clone());
        }
        let value = &*stored.value();
        match call.accepted.form {
            Form::Table => {
                let include = Include::parse(call.query.get("includeObject"));
                let metadata = json!({"resourceVersion": crate::metadata::text(value, "resourceVersion")});
                encoded(call.accepted, status, &table(&call.resource, &[value], &metadata, include, self.now))
            }
            Form::Metadata => encoded(call.accepted, status, &partial(value)),
            _ => encoded(call.accepted, status, value),
        }
    }

    fn present_list(&self, call: &Call<'_>, page: &Page) -> Response {
        let metadata = page.metadata(call.accepted.form == Form::Object);
        let resource = &call.resource;
        if (call.accepted.form, call.accepted.encoding) == (Form::Object, Encoding::Json) {
            return Response::json(200, joined(resource, &metadata, &page.items));
        }
        let parsed: Vec<Arc<Value>> = page.items.iter().map(|stored| stored.value()).collect();
        let values: Vec<&Value> = parsed.iter().map(AsRef::as_ref).collect();
        match call.accepted.form {
            Form::Table => {
                let include = Include::parse(call.query.get("includeObject"));
                encoded(call.accepted, 200, &table(resource, &values, &metadata, include, self.now))
            }
            Form::Metadata => {
                let items: Vec<Value> = values.into_iter().map(partial).collect();
                let list = json!({"kind": "PartialObjectMetadataList", "apiVersion": "meta.k8s.io/v1",
                    "metadata": metadata, "items": items});
                encoded(call.accepted, 200, &list)
            }
            _ => {
                let list = json!({"kind": resource.list_kind, "apiVersion": resource.api_version(),
                    "metadata": metadata, "items": values});
                encoded(call.accepted, 200, &list)
            }
        }
    }
}

/// A list whose items are copied as they were encoded at commit.
fn joined(resource: &Resource, metadata: &Value, items: &[Arc<Stored>]) -> Vec<u8> {
    let head = format!(
        "{{\"kind\":{},\"apiVersion\":{},\"metadata\":{metadata},\"items\":[",
        json!(resource.list_kind),
        json!(resource.api_version())
    );
    let size: usize = items.iter().map(|item| item.bytes.len() + 1).sum();
    let mut body = Vec::with_capacity(head.len() + size + 2);
    body.extend_from_slice(head.as_bytes());
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            body.push(b',');
        }
        body.extend_from_slice(&item.bytes);
    }
    body.extend_from_slice(b"]}");
    body
}

/// A value in the accepted encoding.
pub(crate) fn encoded(accepted: Accepted, status: u16, value: &Value) -> Response {
    if accepted.encoding == Encoding::Json {
        return Response::value(status, value);
    }
    match serde_saphyr::to_string(value) {
        Ok(text) => Response { content_type: "application/yaml", ..Response::json(status, text) },
        Err(error) => Response::from(Failure::internal(error)),
    }
}

impl Call<'_> {
    /// The key of an object of this resource in the request's namespace.
    pub(crate) fn key(&self, name: &str) -> Key {
        Key::new(&self.plane, &self.resource.storage, self.place.namespace.as_deref(), name)
    }

    /// What the keys of the request's collection begin with.
    pub(crate) fn prefix(&self) -> String {
        Key::prefix(&self.plane, &self.resource.storage, self.place.namespace.as_deref())
    }

    /// The request's selectors.
    pub(crate) fn selector(&self) -> Result<Selector, Failure> {
        let (labels, fields) = (self.query.get("labelSelector"), self.query.get("fieldSelector"));
        Selector::parse(labels, fields, &self.resource)
    }
}
