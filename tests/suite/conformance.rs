//! The scenarios of `tests/conformance`, told to both guests and compared with what each of them expects.
//!
//! With `UPDATE_CONFORMANCE=1` what is expected is written anew instead; look at the difference before you commit it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use wit_parser::{Resolve, WorldItem};

use crate::architecture::root;
use crate::world::story::{Done, Step, Story, Told};
use crate::world::tell;

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

    fn expect(&mut self, told: Told) {
        self.begins = told.begins;
        self.ends = told.ends;
        for (scene, Done { does, answers }) in self.steps.iter_mut().zip(told.steps) {
            (scene.does, scene.answers) = (does, answers);
        }
    }
}

fn files() -> Vec<PathBuf> {
    let folder = root().join("tests/conformance");
    let files = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    let mut files: Vec<_> =
        files.filter(|file| file.to_str().is_some_and(|name| name.ends_with(".scenario.json"))).collect();
    files.sort();
    assert!(!files.is_empty());
    files
}

#[test]
fn both_guests_do_what_each_scenario_says() {
    for file in files() {
        let mut scenario = Scenario::read(&file);
        let story = scenario.story();
        let told = std::cell::RefCell::new(Vec::new());
        tell(|guest| told.borrow_mut().push(story.tell(guest)));
        let [native, component] = told.into_inner().try_into().expect("two guests");
        assert_eq!(native, component, "{}", file.display());
        if std::env::var_os("UPDATE_CONFORMANCE").is_some() {
            scenario.expect(native);
            fs::write(&file, serde_json::to_string_pretty(&scenario).unwrap() + "\n").unwrap();
        } else {
            assert_same(&scenario.expected(), &native, &file);
        }
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
    let mut resolve = Resolve::default();
    let (package, _) = resolve.push_dir(root().join("wit")).unwrap();
    let world = resolve.select_world(&[package], Some("extension")).unwrap();
    let world = &resolve.worlds[world];
    let mut functions = BTreeSet::new();
    for item in world.imports.values().chain(world.exports.values()) {
        let WorldItem::Interface { id, .. } = item else { panic!("the world has only interfaces") };
        let interface = &resolve.interfaces[*id];
        let name = interface.name.as_deref().unwrap();
        functions.extend(interface.functions.keys().map(|function| format!("{name}.{function}")));
    }
    let covered: BTreeSet<String> = files().iter().flat_map(|file| Scenario::read(file).covers).collect();
    assert_eq!(functions, covered);
}

#[test]
fn every_scenario_says_what_it_is_about() {
    for file in files() {
        let Scenario { about, .. } = Scenario::read(&file);
        assert!(about.ends_with('.') && about.len() > 40, "{}: {about}", file.display());
    }
}
