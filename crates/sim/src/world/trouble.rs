//! What befalls access and objects: credentials and writes that are refused, lists that take long, objects that do not decode.

use api::ClusterName;

use super::World;
use super::chaos::KINDS;
use crate::fault::Fault;
use crate::network::Mending;
use crate::plane::path_of;

/// Kinds of which an object may be told in a form that does not decode.
const MALFORMED: &[&str] =
    &["networks", "networkbindings", "networkcontexts", "networkinterfaces", "locations"];

impl World {
    pub(super) fn befall_access(&mut self, planes: &[ClusterName]) {
        if let Some((cluster, mut dice)) = self.strikes_one_of(Fault::CredentialRefused, planes)
            && let Some(plane) = self.planes.get_mut(&cluster)
        {
            plane.refuses_credentials = true;
            self.note(format!("{cluster} refuses every credential"));
            self.mend_later(Mending::Credential(cluster), &mut dice);
        }
        if let Some((cluster, mut dice)) = self.strikes_one_of(Fault::KindSlow, planes)
            && let Some(kind) = dice.pick(KINDS).map(|kind| (*kind).to_owned())
            && let Some(plane) = self.planes.get_mut(&cluster)
        {
            plane.slow.insert(kind.clone());
            self.note(format!("lists of {kind} on {cluster} take long"));
            self.mend_later(Mending::Slow(cluster, kind), &mut dice);
        }
    }

    pub(super) fn befall_objects(&mut self) {
        let mut victims = Vec::new();
        for plane in self.planes.values() {
            for (object, value) in &plane.objects {
                if MALFORMED.contains(&object.plural()) {
                    let uid = crate::truth::text(value, "/metadata/uid").to_owned();
                    victims.push((plane.cluster.clone(), path_of(object, value), uid));
                }
            }
        }
        if let Some(((cluster, path, uid), mut dice)) = self.strikes_one_of(Fault::ObjectMalformed, &victims)
        {
            self.malform(&cluster, &path, &uid);
            self.mend_later(Mending::Malformed(cluster, path, uid), &mut dice);
        }
    }

    /// From now on managers are told this object in a form that does not decode.
    pub fn malform(&mut self, cluster: &ClusterName, path: &str, uid: &str) {
        if let Some(plane) = self.planes.get_mut(cluster) {
            plane.malformed.insert(uid.to_owned());
            self.note(format!("{path} on {cluster} does not decode"));
            self.edit_at_once(cluster, path);
        }
    }

    /// From now on a webhook denies every write of managers to an object, or does not any more.
    pub fn deny(&mut self, cluster: &ClusterName, plural: &str, name: &str, is_denied: bool) {
        let Some(plane) = self.planes.get_mut(cluster) else { return };
        let object = (plural.to_owned(), name.to_owned());
        if is_denied {
            plane.denied.insert(object);
        } else {
            plane.denied.remove(&object);
        }
        self.note(format!(
            "writes of {plural}/{name} on {cluster} are {}",
            if is_denied { "denied" } else { "let in" }
        ));
    }

    /// An object is told as it is again.
    pub fn put_right(&mut self, cluster: &ClusterName, path: &str, uid: &str) {
        if let Some(plane) = self.planes.get_mut(cluster) {
            plane.malformed.remove(uid);
            self.edit_at_once(cluster, path);
        }
    }
}
