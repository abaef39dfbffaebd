//! One set of servers: core, hub, a cell, and a server for each project of a scenario.

use api::ProjectName;
use api::cluster::ClusterRole;
use futures::future::join_all;
use kube_client::Config;
use serde_json::Value;
use tokio::runtime::Runtime;

use super::processes::Processes;
use super::proxy::Proxy;
use super::{assets, sweep};
use crate::http::embedded::definitions;

pub(super) struct Set {
    processes: Processes,
    proxy: Proxy,
    planes: Vec<(ClusterRole, Config)>,
    projects: Vec<Config>,
    /// Projects of the scenario, each at the place of its server.
    mounted: Vec<ProjectName>,
    runtime: Runtime,
}

impl Set {
    pub(super) fn start() -> Self {
        let folder =
            assets().unwrap_or_else(|| panic!("KUBEBUILDER_ASSETS names no folder with kube-apiserver"));
        let runtime = Runtime::new().unwrap_or_else(|error| panic!("{error}"));
        let roles = [ClusterRole::Core, ClusterRole::Hub, ClusterRole::Cell];
        let mut processes = runtime.block_on(Processes::start(&folder));
        let names: Vec<String> = roles.iter().map(ToString::to_string).chain([project_name(0)]).collect();
        let mut configs = runtime.block_on(processes.add(&names));
        let projects = configs.split_off(roles.len());
        let planes: Vec<_> = roles.into_iter().zip(configs).collect();
        let of_projects = projects.iter().map(|config| (ClusterRole::Project, config.clone()));
        let all: Vec<_> = planes.iter().cloned().chain(of_projects).collect();
        runtime.block_on(join_all(all.into_iter().map(|(role, config)| install(role, config))));
        let core = planes.first().map(|(_, config)| config.clone());
        let proxy = runtime.block_on(Proxy::start(core.unwrap_or_else(|| panic!("no server for core"))));
        Self { processes, proxy, planes, projects, mounted: Vec::new(), runtime }
    }

    /// Ends its processes.
    pub(super) fn stop(self) {
        self.runtime.block_on(self.processes.stop());
    }

    /// How to reach core, and projects below it.
    pub(super) fn core(&self) -> Config {
        self.proxy.config()
    }

    pub(super) fn hub(&self) -> Config {
        self.plane(ClusterRole::Hub)
    }

    pub(super) fn cell(&self) -> Config {
        self.plane(ClusterRole::Cell)
    }

    fn plane(&self, role: ClusterRole) -> Config {
        let found = self.planes.iter().find(|(of, _)| *of == role);
        found.map_or_else(|| panic!("no server for {role}"), |(_, config)| config.clone())
    }

    /// Gives a project a server of its own, unless it has one: a project that comes again finds what it left.
    pub(super) fn mount(&mut self, project: &ProjectName) {
        if self.mounted.contains(project) {
            return;
        }
        let place = self.mounted.len();
        if place == self.projects.len() {
            let added = self.runtime.block_on(self.processes.add(&[project_name(place)]));
            for config in added {
                self.runtime.block_on(install(ClusterRole::Project, config.clone()));
                self.projects.push(config);
            }
        }
        self.mounted.push(project.clone());
        let _guard = self.runtime.enter();
        self.proxy.mount(project, self.projects.get(place).cloned());
    }

    /// Takes away what the scenario before left.
    pub(super) fn sweep(&mut self) {
        let of_projects = self.projects.iter().take(self.mounted.len());
        let of_projects = of_projects.map(|config| (ClusterRole::Project, config.clone()));
        let used: Vec<_> = self.planes.iter().cloned().chain(of_projects).collect();
        self.runtime.block_on(join_all(used.into_iter().map(|(role, config)| sweep::sweep(role, config))));
        for project in std::mem::take(&mut self.mounted) {
            self.proxy.mount(&project, None);
        }
    }
}

/// Installs the kinds of a plane and waits until they are served.
async fn install(role: ClusterRole, config: Config) {
    let client = sweep::client(config);
    let path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    let definitions = definitions(role);
    for definition in &definitions {
        sweep::send(&client, "POST", path, &definition.to_string()).await;
    }
    for definition in &definitions {
        let name = definition.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default();
        loop {
            let (_, body) = sweep::send(&client, "GET", &format!("{path}/{name}"), "").await;
            let conditions =
                body.pointer("/status/conditions").and_then(Value::as_array).cloned().unwrap_or_default();
            if conditions.iter().any(|one| one["type"] == "Established" && one["status"] == "True") {
                break;
            }
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        }
    }
}

/// What a project's server is called: servers outlive the projects on them.
fn project_name(place: usize) -> String {
    format!("project-{place}")
}
