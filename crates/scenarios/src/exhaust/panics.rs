//! A scenario fails by a panic; where many runs are expected to, the panic is a text and not an interruption.

use std::any::Any;
use std::cell::RefCell;

thread_local! {
    static PLACE: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// From now on panics of this process print nothing; where they happen is remembered for `text`.
pub fn silence() {
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(|place| format!("{}:{}", place.file(), place.line()));
        PLACE.with_borrow_mut(|last| *last = place);
    }));
}

/// What a panic of this thread said, and where if panics are silenced.
pub(super) fn text(payload: &(dyn Any + Send)) -> String {
    let said = payload.downcast_ref::<String>().map(String::as_str);
    let said = said.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("a panic without words");
    match PLACE.with_borrow_mut(Option::take) {
        Some(place) => format!("{said} ({place})"),
        None => said.to_owned(),
    }
}
