//! Validation findings with the field they are about, in the vocabulary of kube-apiserver's `Status` causes.

use std::fmt;

/// Why a field was refused; the text form is the `reason` of a Status cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FieldErrorKind {
    /// The value is malformed or breaks a rule.
    Invalid,
    /// The value is missing.
    Required,
    /// The value is not one of the supported ones.
    NotSupported,
    /// The value may not be set here.
    Forbidden,
    /// The value occurs twice where it must be unique.
    Duplicate,
    /// The text is too long.
    TooLong,
    /// The list or map has too many entries.
    TooMany,
    /// The value has the wrong type.
    TypeInvalid,
    /// What the field names does not exist.
    NotFound,
    /// The server could not judge the value.
    Internal,
}

impl FieldErrorKind {
    /// The `reason` of the cause, such as `FieldValueInvalid`.
    #[must_use]
    pub fn reason(self) -> &'static str {
        match self {
            Self::Invalid => "FieldValueInvalid",
            Self::Required => "FieldValueRequired",
            Self::NotSupported => "FieldValueNotSupported",
            Self::Forbidden => "FieldValueForbidden",
            Self::Duplicate => "FieldValueDuplicate",
            Self::TooLong => "FieldValueTooLong",
            Self::TooMany => "FieldValueTooMany",
            Self::TypeInvalid => "FieldValueTypeInvalid",
            Self::NotFound => "FieldValueNotFound",
            Self::Internal => "InternalError",
        }
    }
}

/// One finding: the field's path (`spec.rules[0].key`), and the text after the path in the cause's message
/// (such as `Invalid value: 12: should be less than or equal to 9`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldError {
    /// Why.
    pub kind: FieldErrorKind,
    /// Where, in the path notation of kube-apiserver.
    pub field: String,
    /// The cause's message, without the path.
    pub message: String,
}

impl fmt::Display for FieldError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.field, self.message)
    }
}
