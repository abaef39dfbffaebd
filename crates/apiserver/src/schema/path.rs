//! Where validation stands in an object: a chain on the stack, written out only when there is something to say.

use std::fmt::Write as _;

/// One step from a value to a value inside it.
#[derive(Clone, Copy, Debug)]
enum Segment<'a> {
    /// The object itself.
    Root,
    /// A declared field.
    Field(&'a str),
    /// An entry of a map with arbitrary keys.
    Key(&'a str),
    /// An item of a list.
    Index(usize),
}

/// The position of a value inside the object under validation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Path<'a> {
    parent: Option<&'a Path<'a>>,
    segment: Segment<'a>,
}

impl<'a> Path<'a> {
    /// The object itself.
    pub(crate) const ROOT: Path<'static> = Path { parent: None, segment: Segment::Root };

    /// A declared field of the value at this position.
    pub(crate) fn field(&'a self, name: &'a str) -> Path<'a> {
        Path { parent: Some(self), segment: Segment::Field(name) }
    }

    /// The entry `name` of the map at this position.
    pub(crate) fn key(&'a self, name: &'a str) -> Path<'a> {
        Path { parent: Some(self), segment: Segment::Key(name) }
    }

    /// The item `position` of the list at this position.
    pub(crate) fn index(&'a self, position: usize) -> Path<'a> {
        Path { parent: Some(self), segment: Segment::Index(position) }
    }

    /// `spec.labels.a`, as schema validation names it: map entries look like fields. Empty for the root.
    pub(crate) fn dotted(&self) -> String {
        let mut text = String::new();
        self.write(&mut text, false);
        text
    }

    /// `spec.labels[a]`, as rules and list checks name it. `<nil>` for the root.
    pub(crate) fn bracketed(&self) -> String {
        let mut text = String::new();
        self.write(&mut text, true);
        if text.is_empty() { "<nil>".to_owned() } else { text }
    }

    fn write(&self, text: &mut String, bracket_keys: bool) {
        if let Some(parent) = self.parent {
            parent.write(text, bracket_keys);
        }
        match self.segment {
            Segment::Root => {}
            Segment::Key(name) if bracket_keys => {
                text.push('[');
                text.push_str(name);
                text.push(']');
            }
            Segment::Field(name) | Segment::Key(name) => {
                if !text.is_empty() {
                    text.push('.');
                }
                text.push_str(name);
            }
            Segment::Index(position) => {
                // Writing to a String cannot fail.
                let _ = write!(text, "[{position}]");
            }
        }
    }
}
