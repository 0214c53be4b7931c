//! The scenarios of `tests/conformance`: those about guests are told to both of ours, those about hosts to the probe behind
//! this project's host, and what comes of each is compared with what it expects.
//!
//! With `UPDATE_CONFORMANCE=1` what is expected is written anew instead; look at the difference before you commit it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use wit_parser::WorldItem;

use crate::architecture::root;
use crate::contract::declared;
use crate::world::story::{Done, Step, Story, Told};
use crate::world::{Component, World, tell};

/// A story, with what it is for and what has to come of it.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Scenario {
    #[serde(rename = "$schema")]
    schema: String,
    /// The rule that it is about.
    about: String,
    /// The functions of the world that it shows at work.
    covers: BTreeSet<String>,
    /// What the story begins with, except for its steps.
    #[serde(default)]
    world: Story,
    #[serde(default)]
    begins: Vec<String>,
    steps: Vec<Scene>,
    #[serde(default)]
    ends: Vec<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Scene {
    step: Step,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    does: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    answers: Option<Value>,
}

impl Scenario {
    fn read(file: &Path) -> Self {
        let text = fs::read_to_string(file).unwrap();
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
    }

    fn story(&self) -> Story {
        Story { steps: self.steps.iter().map(|scene| scene.step.clone()).collect(), ..self.world.clone() }
    }

    fn expected(&self) -> Told {
        let done = |scene: &Scene| Done { does: scene.does.clone(), answers: scene.answers.clone() };
        Told { begins: self.begins.clone(), steps: self.steps.iter().map(done).collect(), ends: self.ends.clone() }
    }

    /// Compares what is expected with what has come of it, or takes that for what is expected from now on.
    fn check(&mut self, told: Told, file: &Path) {
        if std::env::var_os("UPDATE_CONFORMANCE").is_some() {
            self.expect(told);
            fs::write(file, serde_json::to_string_pretty(self).unwrap() + "\n").unwrap();
        } else {
            assert_same(&self.expected(), &told, file);
        }
    }

    fn expect(&mut self, told: Told) {
        self.begins = told.begins;
        self.ends = told.ends;
        for (scene, Done { does, answers }) in self.steps.iter_mut().zip(told.steps) {
            (scene.does, scene.answers) = (does, answers);
        }
    }
}

/// The scenarios that are about guests, or those about hosts.
fn files(about: &str) -> Vec<PathBuf> {
    let folder = root().join("tests/conformance").join(about);
    let files = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    let mut files: Vec<_> =
        files.filter(|file| file.to_str().is_some_and(|name| name.ends_with(".scenario.json"))).collect();
    files.sort();
    assert!(!files.is_empty());
    files
}

#[test]
fn both_guests_do_what_each_scenario_says() {
    for file in files("guest") {
        let mut scenario = Scenario::read(&file);
        let story = scenario.story();
        let told = std::cell::RefCell::new(Vec::new());
        tell(|guest| told.borrow_mut().push(story.tell(guest)));
        let [native, component] = told.into_inner().try_into().expect("two guests");
        assert_eq!(native, component, "{}", file.display());
        scenario.check(native, &file);
    }
}

#[test]
fn the_host_does_what_each_scenario_says() {
    for file in files("host") {
        let mut scenario = Scenario::read(&file);
        let told = scenario.story().tell_to_any(&mut Component::probe(World::new()), |_| {});
        scenario.check(told, &file);
    }
}

fn assert_same(expected: &Told, told: &Told, file: &Path) {
    let name = file.display();
    assert_eq!(expected.begins, told.begins, "{name}: at the beginning");
    for (index, (expected, told)) in expected.steps.iter().zip(&told.steps).enumerate() {
        assert_eq!(expected, told, "{name}: in step {index}");
    }
    assert_eq!(expected.ends, told.ends, "{name}: at the end");
}

#[test]
fn every_function_of_the_world_is_in_a_scenario() {
    let (resolve, world) = declared();
    let world = &resolve.worlds[world];
    let mut functions = BTreeSet::new();
    for item in world.imports.values().chain(world.exports.values()) {
        let WorldItem::Interface { id, .. } = item else { panic!("the world has only interfaces") };
        let interface = &resolve.interfaces[*id];
        let name = interface.name.as_deref().unwrap();
        functions.extend(interface.functions.keys().map(|function| format!("{name}.{function}")));
    }
    for about in ["guest", "host"] {
        let covered: BTreeSet<String> = files(about).iter().flat_map(|file| Scenario::read(file).covers).collect();
        assert_eq!(functions, covered, "of those about a {about}");
    }
}

#[test]
fn every_scenario_says_what_it_is_about() {
    for file in ["guest", "host"].into_iter().flat_map(files) {
        let Scenario { about, .. } = Scenario::read(&file);
        assert!(about.ends_with('.') && about.len() > 40, "{}: {about}", file.display());
    }
}
