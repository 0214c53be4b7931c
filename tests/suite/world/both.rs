//! One scenario, told to both guests.

use std::cell::RefCell;
use std::fmt::Debug;
use std::rc::Rc;

use pi_capsule::tools::Output;

use super::{Component, End, Event, Guest, Native, Reply, Shared, World};

/// Tells a scenario to the native guest and to the component, and compares what they did and said.
pub(crate) fn tell(scenario: impl Fn(&mut dyn Guest)) {
    let mut native = Native::new(World::new());
    let mut component = Component::new(World::new());
    let guests: [&mut dyn Guest; 2] = [&mut native, &mut component];
    let [(native, sent), (component, sent_by_component)] = guests.map(|guest| {
        let record = Rc::new(RefCell::new(Vec::new()));
        let mut recorder = Recorder { guest, record: record.clone() };
        scenario(&mut recorder);
        let sent = recorder.guest.world().borrow().sent.clone();
        (record.take(), sent)
    });
    for (native, component) in native.iter().zip(&component) {
        assert_eq!(native, component, "the component does not do what the native guest does");
    }
    assert_eq!(native.len(), component.len(), "one of them does more than the other");
    assert_eq!(sent, sent_by_component, "the component does not say what the native guest says");
}

/// Keeps all effects and answers of a scenario, also those that the scenario has looked at.
struct Recorder<'a> {
    guest: &'a mut dyn Guest,
    record: Rc<RefCell<Vec<String>>>,
}

impl Recorder<'_> {
    fn recorded<T: Debug>(&mut self, call: impl FnOnce(&mut dyn Guest) -> T) -> T {
        let before = self.guest.world().borrow().effects.len();
        let result = call(self.guest);
        self.guest.world().borrow_mut().deliver();
        let mut record = self.record.borrow_mut();
        record.extend_from_slice(&self.guest.world().borrow().effects[before..]);
        record.push(format!("{result:?}"));
        drop(record);
        result
    }
}

impl Guest for Recorder<'_> {
    fn world(&self) -> &Shared {
        self.guest.world()
    }

    fn start(&mut self) {
        self.recorded(|guest| guest.start());
    }

    fn start_fork(&mut self) {
        self.recorded(|guest| guest.start_fork());
    }

    fn shut_down(&mut self) {
        self.recorded(|guest| guest.shut_down());
    }

    fn finish(&mut self, id: u32, end: End) {
        self.recorded(|guest| guest.finish(id, end));
    }

    fn fire(&mut self, id: u32) {
        self.recorded(|guest| guest.fire(id));
    }

    fn tell(&mut self, event: Event<'_>) -> Reply {
        self.recorded(|guest| guest.tell(event))
    }

    fn call_tool(&mut self, tool: &str, arguments: &str) -> Result<Output, String> {
        self.recorded(|guest| guest.call_tool(tool, arguments))
    }

    fn tools(&mut self) -> Vec<String> {
        self.recorded(|guest| guest.tools())
    }

    fn commands(&mut self) -> Vec<String> {
        self.recorded(|guest| guest.commands())
    }

    fn complete(&mut self, command: &str, typed: &str) -> Vec<String> {
        self.recorded(|guest| guest.complete(command, typed))
    }
}
