//! From a request to the function that answers it: plane, user, target, permission, verb.

use std::cell::RefCell;
use std::sync::Arc;

use serde_json::json;

use super::{Output, Response, Server};
use crate::identity::{User, impersonated};
use crate::limits::BODY_BYTES_MAX;
use crate::media::{Accepted, Form, negotiate};
use crate::rbac::{Attributes, Subject};
use crate::request::{Place, Query, Request, Target};
use crate::resource::{Catalog, Resource};
use crate::status::Failure;

/// One request on a resource, with everything looked up.
pub(crate) struct Call<'a> {
    pub(crate) plane: Arc<str>,
    pub(crate) resource: Arc<Resource>,
    pub(crate) place: Place,
    pub(crate) query: Query,
    pub(crate) user: User,
    pub(crate) accepted: Accepted,
    pub(crate) request: &'a Request,
    /// What the writer is told beside the answer, refusals included.
    pub(crate) warnings: RefCell<Vec<String>>,
}

impl Call<'_> {
    /// The object's name in the path, empty for a collection.
    pub(crate) fn name(&self) -> &str {
        self.place.name.as_deref().unwrap_or_default()
    }

    /// Adds something the client is told beside the answer.
    pub(crate) fn warn(&self, texts: impl IntoIterator<Item = String>) {
        self.warnings.borrow_mut().extend(texts);
    }

    pub(crate) fn subresource(&self) -> &str {
        self.place.subresource.as_deref().unwrap_or_default()
    }
}

/// What a request on a resource comes to.
pub(crate) enum Reply {
    /// A whole answer.
    Whole(Response),
    /// A watch was opened; its frames follow.
    Watching,
}

impl Server {
    /// Answers a request, at once or, where it `may_wait` for a revision, later.
    pub(super) fn serve(&mut self, mut request: Box<Request>, may_wait: bool) {
        self.may_wait = may_wait;
        let is_write = request.method != "GET";
        let response = match self.answer(&request) {
            Ok(Reply::Watching) => return,
            Ok(Reply::Whole(response)) => response,
            Err(failure) => {
                if may_wait {
                    match self.wait_for_revision(request, &failure) {
                        Some(back) => request = back,
                        None => return,
                    }
                }
                Response::from(failure)
            }
        };
        self.respond(request.id, response, is_write);
    }

    fn answer(&mut self, request: &Request) -> Result<Reply, Failure> {
        let Some((mounted, path)) = self.planes.route(&request.path) else {
            return Err(Failure::no_such_path());
        };
        let target = Target::parse(path);
        let holder = mounted.name.clone();
        let catalog = mounted.catalog.clone();
        if let Target::Plain(path) = &target
            && matches!(path.as_str(), "/healthz" | "/livez" | "/readyz")
        {
            return Ok(Reply::Whole(Response::text(200, "ok")));
        }
        let user = self.tokens.authenticate(request.identity.as_ref(), &request.headers)?;
        let user = self.acting_user(&holder, user, request)?;
        if request.body.len() > BODY_BYTES_MAX {
            return Err(Failure::too_large(BODY_BYTES_MAX));
        }
        match target {
            Target::Resource(place) => self.resource(request, (holder, catalog), user, place),
            other => self.document(request, &holder, &user, &other).map(Reply::Whole),
        }
    }

    /// The user, or whom the user is allowed to impersonate.
    fn acting_user(&self, plane: &str, user: User, request: &Request) -> Result<User, Failure> {
        let Some(other) = impersonated(&request.headers) else { return Ok(user) };
        let mut wanted = vec![("users", other.name.clone())];
        wanted.extend(request.headers.impersonate_groups.iter().map(|group| ("groups", group.clone())));
        for (plural, name) in wanted {
            let attributes = Attributes::impersonate(plural, &name);
            self.authorize(plane, &user, &attributes)?;
        }
        Ok(other)
    }

    /// Discovery, OpenAPI and version: what is no resource.
    fn document(
        &self,
        request: &Request,
        plane: &str,
        user: &User,
        target: &Target,
    ) -> Result<Response, Failure> {
        let (plane, path) = self
            .planes
            .get(plane)
            .map(|plane| (plane, request.path.get(plane.prefix.len()..).unwrap_or_default()))
            .ok_or_else(Failure::no_such_path)?;
        let verb = request.method.to_ascii_lowercase();
        self.authorize(&plane.name, user, &Attributes::non_resource(&verb, path))?;
        if request.method != "GET" {
            return Err(Failure::method_not_allowed());
        }
        let accepted = negotiate(&request.headers.accept, &[Form::Discovery])?;
        let query = Query::parse(&request.query);
        crate::discovery::document(&plane.catalog, target, accepted, &query).ok_or_else(|| match target {
            Target::Group(_) | Target::GroupVersion(..) => Failure::no_such_resource(),
            _ => Failure::no_such_path(),
        })
    }

    fn resource(
        &mut self,
        request: &Request,
        (holder, catalog): (Arc<str>, Arc<Catalog>),
        user: User,
        place: Place,
    ) -> Result<Reply, Failure> {
        let query = Query::parse(&request.query);
        let verb = verb(request, &place, &query).ok_or_else(Failure::method_not_allowed)?;
        self.authorize(&holder, &user, &Attributes::of(verb, &place))?;
        let Some(resource) = catalog.find(&place.group, &place.version, &place.plural).cloned() else {
            let known = catalog.serves(&place.group, None);
            return Err(if known { unknown_in(&catalog, &place) } else { Failure::no_such_path() });
        };
        check_place(&resource, &place)?;
        let accepted = negotiate(&request.headers.accept, &[Form::Table, Form::Metadata])?;
        let call = Call {
            plane: holder,
            resource,
            place,
            query,
            user,
            accepted,
            request,
            warnings: RefCell::default(),
        };
        call.warn(call.resource.deprecation.clone());
        let reply = self.run(verb, &call);
        let warnings = call.warnings.into_inner();
        match reply {
            Ok(Reply::Whole(response)) => Ok(Reply::Whole(response.with_warnings(&warnings))),
            Ok(Reply::Watching) => Ok(Reply::Watching),
            Err(failure) if failure.is_revision_too_large() => Err(failure),
            Err(failure) => Ok(Reply::Whole(Response::from(failure).with_warnings(&warnings))),
        }
    }

    fn run(&mut self, verb: &str, call: &Call<'_>) -> Result<Reply, Failure> {
        let whole = match (verb, call.subresource()) {
            ("watch", _) => return self.watch(call).map(|()| Reply::Watching),
            ("get", _) => self.get(call),
            ("list", _) => self.list(call),
            ("create", _) if call.resource.is_review() => self.review(call),
            ("create", "") => self.create(call),
            ("update", "finalize") => self.finalize(call),
            ("update", "" | "status") => self.update(call),
            ("patch", "" | "status") => self.patch(call),
            (_, "scale") => self.scale(call, verb),
            ("delete", "") => self.delete(call),
            ("deletecollection", "") => self.delete_collection(call),
            _ => Err(Failure::method_not_allowed()),
        };
        whole.map(Reply::Whole)
    }

    /// Whether the user may do this here.
    ///
    /// # Errors
    /// 403 naming user, verb and resource.
    pub(crate) fn authorize(&self, plane: &str, user: &User, attributes: &Attributes) -> Result<(), Failure> {
        let allowed = self.planes.get(plane).is_some_and(|plane| {
            plane.rules.allows(&Subject { user }, attributes)
                || (plane.mounts_projects && attributes.reads_own_project(user))
        });
        if allowed { Ok(()) } else { Err(denied(user, attributes)) }
    }

    /// Announces a stream.
    pub(crate) fn open(&mut self, call: &Call<'_>) {
        let id = call.request.id;
        self.emit(Output::Open { id, content_type: "application/json" });
    }
}

fn denied(user: &User, attributes: &Attributes) -> Failure {
    let (message, name, group, kind) = attributes.denial(&user.name);
    let mut details = serde_json::Map::new();
    for (key, text) in [("name", name), ("group", group), ("kind", kind)] {
        if !text.is_empty() {
            details.insert(key.to_owned(), json!(text));
        }
    }
    Failure::new(403, "Forbidden", message).with_details(serde_json::Value::Object(details))
}

/// kube-apiserver answers with a Status inside the groups of its own and with plain text for those of CRDs.
fn unknown_in(catalog: &Catalog, place: &Place) -> Failure {
    let custom = catalog.iter().any(|resource| resource.group == place.group && resource.custom);
    if custom { Failure::no_such_path() } else { Failure::no_such_resource() }
}

fn check_place(resource: &Resource, place: &Place) -> Result<(), Failure> {
    if !resource.namespaced && place.namespace.is_some() {
        return Err(not_here(resource));
    }
    if resource.namespaced && place.namespace.is_none() && place.name.is_some() {
        return Err(not_here(resource));
    }
    match place.subresource.as_deref() {
        None => Ok(()),
        Some("status") if resource.has_status => Ok(()),
        Some("scale") if resource.scale.is_some() => Ok(()),
        Some("finalize") if resource.built_in == crate::resource::BuiltIn::Namespace => Ok(()),
        Some(_) => Err(not_here(resource)),
    }
}

fn not_here(resource: &Resource) -> Failure {
    if resource.custom { Failure::no_such_path() } else { Failure::no_such_resource() }
}

fn verb(request: &Request, place: &Place, query: &Query) -> Option<&'static str> {
    let named = place.name.is_some();
    Some(match (request.method.as_str(), named) {
        ("GET" | "HEAD", true) => "get",
        ("GET" | "HEAD", false) if query.flag("watch") => "watch",
        ("GET" | "HEAD", false) => "list",
        ("POST", _) => "create",
        ("PUT", true) => "update",
        ("PATCH", true) => "patch",
        ("DELETE", true) => "delete",
        ("DELETE", false) => "deletecollection",
        _ => return None,
    })
}
