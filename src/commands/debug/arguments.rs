//! The arguments of a request.

use serde_json::Value;

/// A reason why a request is refused, which the editor shows.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Refusal(pub(super) String);

impl Refusal {
    /// Makes a refusal.
    pub(super) fn new(text: impl ToString) -> Refusal {
        Refusal(text.to_string())
    }
}

impl From<anyhow::Error> for Refusal {
    fn from(error: anyhow::Error) -> Refusal {
        Refusal(format!("{error:#}"))
    }
}

/// The arguments of a request.
#[derive(Clone, Copy)]
pub(super) struct Arguments<'a>(pub(super) &'a Value);

impl<'a> Arguments<'a> {
    /// Returns an argument; none if it is missing or null.
    pub(super) fn get(self, name: &str) -> Option<&'a Value> {
        self.0.get(name).filter(|value| !value.is_null())
    }

    fn typed<T>(
        self,
        name: &str,
        wanted: &str,
        read: impl Fn(&'a Value) -> Option<T>,
    ) -> Result<Option<T>, Refusal> {
        let Some(value) = self.get(name) else {
            return Ok(None);
        };
        let wrong = || Refusal(format!("`{name}` should be {wanted}, is {value}"));
        read(value).ok_or_else(wrong).map(Some)
    }

    /// Returns text.
    pub(super) fn text(self, name: &str) -> Result<Option<&'a str>, Refusal> {
        self.typed(name, "text", Value::as_str)
    }

    /// Returns a whole number.
    pub(super) fn whole(self, name: &str) -> Result<Option<i64>, Refusal> {
        self.typed(name, "a whole number", Value::as_i64)
    }

    /// Returns a whole number from 0 up.
    pub(super) fn count(self, name: &str) -> Result<Option<usize>, Refusal> {
        let read = |value: &Value| usize::try_from(value.as_u64()?).ok();
        self.typed(name, "a whole number from 0 up", read)
    }

    /// Returns true or false; false if it is missing.
    pub(super) fn flag(self, name: &str) -> Result<bool, Refusal> {
        let read = self.typed(name, "true or false", Value::as_bool)?;
        Ok(read.unwrap_or(false))
    }

    /// Returns a list; an empty one if it is missing.
    pub(super) fn list(self, name: &str) -> Result<&'a [Value], Refusal> {
        let read = self.typed(name, "a list", |value| value.as_array().map(Vec::as_slice))?;
        Ok(read.unwrap_or_default())
    }

    /// Returns an argument that must be there.
    pub(super) fn needed<T>(name: &str, value: Option<T>) -> Result<T, Refusal> {
        value.ok_or_else(|| Refusal(format!("the request needs `{name}`")))
    }
}
