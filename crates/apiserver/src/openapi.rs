//! OpenAPI v3: what kubectl needs to explain, to validate and to apply.

use serde_json::{Map, Value, json};

use crate::resource::{Catalog, Resource};
use crate::status::api_version;

const META: &str = "io.k8s.apimachinery.pkg.apis.meta.v1";

/// The list of documents, each with a hash of what it holds so that clients can keep it.
pub(crate) fn index(catalog: &Catalog) -> Value {
    let mut paths = Map::new();
    for resource in catalog.iter() {
        let name = document_path(&resource.group, &resource.version);
        let stamps: u64 = catalog
            .iter()
            .filter(|one| one.group == resource.group && one.version == resource.version)
            .fold(0, |sum, one| sum.rotate_left(7) ^ one.stamp);
        let url = format!("/openapi/v3/{name}?hash={stamps:016X}");
        paths.insert(name, json!({"serverRelativeURL": url}));
    }
    json!({"paths": paths})
}

fn document_path(group: &str, version: &str) -> String {
    if group.is_empty() { format!("api/{version}") } else { format!("apis/{group}/{version}") }
}

/// The group and version a document's path names.
pub(crate) fn group_version(path: &str) -> Option<(String, String)> {
    let parts: Vec<&str> = path.split('/').collect();
    match parts.as_slice() {
        ["api", version] => Some((String::new(), (*version).to_owned())),
        ["apis", group, version] => Some(((*group).to_owned(), (*version).to_owned())),
        _ => None,
    }
}

/// The document of a group version.
pub(crate) fn document(catalog: &Catalog, group: &str, version: &str) -> Option<Value> {
    let resources: Vec<_> =
        catalog.iter().filter(|one| one.group == group && one.version == version).collect();
    if resources.is_empty() {
        return None;
    }
    let mut paths = Map::new();
    let mut schemas = shared_schemas();
    for resource in resources {
        schemas.insert(schema_name(resource), kind_schema(resource));
        schemas.insert(format!("{}List", schema_name(resource)), list_schema(resource));
        add_paths(&mut paths, resource);
    }
    Some(
        json!({"openapi": "3.0.0", "info": {"title": "network-services", "version": "v1.36.0"}, "paths": paths,
        "components": {"schemas": schemas}}),
    )
}

/// `com.example.v1.Kind`, the group's labels reversed.
fn schema_name(resource: &Resource) -> String {
    let group = if resource.group.is_empty() { "core.api.k8s.io" } else { &resource.group };
    let mut labels: Vec<&str> = group.split('.').collect();
    labels.reverse();
    format!("{}.{}.{}", labels.join("."), resource.version, resource.kind)
}

fn reference(name: &str) -> Value {
    json!({"$ref": format!("#/components/schemas/{name}")})
}

fn group_version_kind(resource: &Resource, kind: &str) -> Value {
    json!({"group": resource.group, "version": resource.version, "kind": kind})
}

fn kind_schema(resource: &Resource) -> Value {
    let mut schema = resource.schema.published().clone();
    let Some(fields) = schema.as_object_mut() else { return schema };
    fields.entry("type").or_insert_with(|| json!("object"));
    let properties = fields.entry("properties").or_insert_with(|| json!({}));
    if let Some(properties) = properties.as_object_mut() {
        properties.insert("apiVersion".to_owned(), text("Version of the schema this object is written in."));
        properties.insert("kind".to_owned(), text("Kind of the object."));
        let of = json!({"allOf": [reference(&format!("{META}.ObjectMeta"))], "description": "Name, labels and what the server keeps about the object."});
        properties.insert("metadata".to_owned(), of);
    }
    fields.insert(
        "x-kubernetes-group-version-kind".to_owned(),
        json!([group_version_kind(resource, &resource.kind)]),
    );
    schema
}

fn list_schema(resource: &Resource) -> Value {
    json!({
        "description": format!("A list of {}.", resource.plural), "type": "object", "required": ["items"],
        "properties": {
            "apiVersion": text("Version of the schema this list is written in."),
            "kind": text("Kind of the list."),
            "metadata": {"allOf": [reference(&format!("{META}.ListMeta"))]},
            "items": {"type": "array", "items": reference(&schema_name(resource))}
        },
        "x-kubernetes-group-version-kind": [group_version_kind(resource, &resource.list_kind)]
    })
}

fn text(description: &str) -> Value {
    json!({"type": "string", "description": description})
}

fn shared_schemas() -> Map<String, Value> {
    let texts = json!({"type": "object", "additionalProperties": {"type": "string"}});
    let time = json!({"type": "string", "format": "date-time"});
    let whole = json!({"type": "integer", "format": "int64"});
    let owner = json!({"type": "object", "required": ["apiVersion", "kind", "name", "uid"], "x-kubernetes-map-type": "atomic",
        "properties": {"apiVersion": text("API version of the owner."), "kind": text("Kind of the owner."),
            "name": text("Name of the owner."), "uid": text("Uid of the owner."),
            "controller": {"type": "boolean", "description": "Whether the owner manages the object."},
            "blockOwnerDeletion": {"type": "boolean", "description": "Whether a foreground deletion of the owner waits for the object."}}});
    let entry = json!({"type": "object", "properties": {"manager": text("Who."), "operation": text("Apply or Update."),
        "apiVersion": text("In which version the fields are named."), "subresource": text("Through which subresource."),
        "time": time, "fieldsType": text("FieldsV1."), "fieldsV1": {"type": "object", "description": "The owned fields."}}});
    let object_meta = json!({"type": "object", "properties": {
        "name": text("Unique within the namespace; cannot be changed."), "generateName": text("Prefix for a generated name."),
        "namespace": text("Where the object lives."), "uid": text("One life of the object."),
        "resourceVersion": text("The object's revision."), "generation": whole, "selfLink": text("Unused."),
        "creationTimestamp": time, "deletionTimestamp": time, "deletionGracePeriodSeconds": whole,
        "labels": texts, "annotations": texts,
        "finalizers": {"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set",
            "x-kubernetes-patch-strategy": "merge", "description": "What has to be done before the object may go."},
        "ownerReferences": {"type": "array", "items": reference(&format!("{META}.OwnerReference")),
            "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["uid"],
            "x-kubernetes-patch-merge-key": "uid", "x-kubernetes-patch-strategy": "merge"},
        "managedFields": {"type": "array", "items": reference(&format!("{META}.ManagedFieldsEntry")), "x-kubernetes-list-type": "atomic"}}});
    let list_meta = json!({"type": "object", "properties": {"continue": text("Token for the next page."),
        "remainingItemCount": whole, "resourceVersion": text("The list's revision."), "selfLink": text("Unused.")}});
    let patch = json!({"type": "object", "description": "A patch in the format its content type names."});
    let delete = json!({"type": "object", "properties": {"apiVersion": text("v1"), "kind": text("DeleteOptions"),
        "dryRun": {"type": "array", "items": {"type": "string"}}, "gracePeriodSeconds": whole,
        "propagationPolicy": text("Orphan, Background or Foreground."), "preconditions": {"type": "object"}}});
    [
        ("ObjectMeta", object_meta),
        ("ListMeta", list_meta),
        ("OwnerReference", owner),
        ("ManagedFieldsEntry", entry),
        ("Patch", patch),
        ("DeleteOptions", delete),
        ("Status", json!({"type": "object"})),
    ]
    .into_iter()
    .map(|(name, schema)| (format!("{META}.{name}"), schema))
    .collect()
}

fn add_paths(paths: &mut Map<String, Value>, resource: &Resource) {
    let root = format!("/{}", document_path(&resource.group, &resource.version));
    let base = if resource.namespaced {
        format!("{root}/namespaces/{{namespace}}/{}", resource.plural)
    } else {
        format!("{root}/{}", resource.plural)
    };
    let post = operation(resource, "post", "create", true);
    if resource.is_review() {
        paths.insert(base, json!({"post": post}));
        return;
    }
    let list = operation(resource, "list", "list", false);
    let remove_all = operation(resource, "deletecollection", "delete collection of", false);
    paths.insert(base.clone(), json!({"get": list, "post": post, "delete": remove_all}));
    if resource.namespaced {
        paths.insert(format!("{root}/{}", resource.plural), json!({"get": list}));
    }
    let one = json!({
        "get": operation(resource, "get", "read", false),
        "put": operation(resource, "put", "replace", true),
        "patch": operation(resource, "patch", "partially update", true),
        "delete": operation(resource, "delete", "delete", false)
    });
    if resource.has_status {
        let mut status = one.clone();
        if let Some(fields) = status.as_object_mut() {
            fields.remove("delete");
        }
        paths.insert(format!("{base}/{{name}}/status"), status);
    }
    paths.insert(format!("{base}/{{name}}"), one);
}

/// One operation; the parameters are those kubectl looks for.
fn operation(resource: &Resource, action: &str, verb: &str, writes: bool) -> Value {
    let parameter =
        |name: &str| json!({"name": name, "in": "query", "schema": {"type": "string", "uniqueItems": true}});
    let names: &[&str] = match (writes, action) {
        (true, "patch") => &["dryRun", "fieldManager", "fieldValidation", "force"],
        (true, _) => &["dryRun", "fieldManager", "fieldValidation"],
        (false, "list") => {
            &["limit", "continue", "labelSelector", "fieldSelector", "resourceVersion", "watch"]
        }
        _ => &[],
    };
    let parameters: Vec<Value> = names.iter().map(|name| parameter(name)).collect();
    let returned =
        if action == "list" { format!("{}List", schema_name(resource)) } else { schema_name(resource) };
    let content = |schema: Value| json!({"application/json": {"schema": schema}});
    let mut operation = json!({
        "description": format!("{verb} {}", api_version(&resource.group, &resource.kind)),
        "operationId": format!("{action}{}{}", resource.version, resource.kind),
        "parameters": parameters,
        "responses": {"200": {"description": "OK", "content": content(reference(&returned))}},
        "x-kubernetes-action": action,
        "x-kubernetes-group-version-kind": group_version_kind(resource, &resource.kind)
    });
    if writes && let Some(fields) = operation.as_object_mut() {
        let body =
            if action == "patch" { patch_body(resource) } else { content(reference(&schema_name(resource))) };
        fields.insert("requestBody".to_owned(), json!({"content": body, "required": true}));
    }
    operation
}

fn patch_body(resource: &Resource) -> Value {
    let mut types =
        vec!["application/apply-patch+yaml", "application/json-patch+json", "application/merge-patch+json"];
    if !resource.custom {
        types.push("application/strategic-merge-patch+json");
    }
    let schema = reference(&format!("{META}.Patch"));
    let content: Map<String, Value> =
        types.into_iter().map(|name| (name.to_owned(), json!({"schema": schema}))).collect();
    Value::Object(content)
}
