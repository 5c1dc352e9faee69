//! JSON that keeps the order of keys, refuses a key given twice, and knows the way to each value.

use std::fmt;

use anyhow::{anyhow, bail};
use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::Number;

use crate::commands::did_you_mean;

/// A JSON value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Json {
    Null,
    Bool(bool),
    Number(Number),
    String(String),
    Array(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Json {
    fn kind(&self) -> &'static str {
        match self {
            Json::Null => "null",
            Json::Bool(_) => "a boolean",
            Json::Number(_) => "a number",
            Json::String(_) => "a string",
            Json::Array(_) => "an array",
            Json::Object(_) => "an object",
        }
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Json, D::Error> {
        deserializer.deserialize_any(JsonVisitor)
    }
}

struct JsonVisitor;

impl<'de> Visitor<'de> for JsonVisitor {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Json, E> {
        Ok(Json::Bool(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Json, E> {
        Ok(Json::Number(value.into()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Json, E> {
        Ok(Json::Number(value.into()))
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Json, E> {
        Number::from_f64(value)
            .map(Json::Number)
            .ok_or_else(|| E::custom("a number that is not finite"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Json, E> {
        Ok(Json::String(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Json, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element()? {
            items.push(item);
        }
        Ok(Json::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Json, A::Error> {
        let mut entries: Vec<(String, Json)> = Vec::new();
        while let Some((key, value)) = map.next_entry::<String, Json>()? {
            if entries.iter().any(|(earlier, _)| *earlier == key) {
                return Err(A::Error::custom(format!(
                    "key `{}` given twice",
                    key.escape_debug()
                )));
            }
            entries.push((key, value));
        }
        Ok(Json::Object(entries))
    }
}

/// A value and the way to it, for messages.
#[derive(Debug, Clone)]
pub(super) struct Node<'a> {
    pub(super) json: &'a Json,
    path: String,
}

impl<'a> Node<'a> {
    pub(super) fn root(json: &'a Json) -> Node<'a> {
        Node {
            json,
            path: String::new(),
        }
    }

    /// An error at this place.
    pub(super) fn error(&self, problem: impl fmt::Display) -> anyhow::Error {
        let place = if self.path.is_empty() {
            "the launch file"
        } else {
            &self.path
        };
        anyhow!("{place}: {problem}")
    }

    pub(super) fn wrong(&self, wanted: &str) -> anyhow::Error {
        self.error(format_args!("should be {wanted}, is {}", self.json.kind()))
    }

    /// The entries of an object, any key.
    pub(super) fn entries(&self) -> anyhow::Result<Vec<(&'a str, Node<'a>)>> {
        let Json::Object(entries) = self.json else {
            return Err(self.wrong("an object"));
        };
        let separator = if self.path.is_empty() { "" } else { "." };
        let node = |key: &str, json| Node {
            json,
            path: format!("{}{separator}{}", self.path, key.escape_debug()),
        };
        Ok(entries
            .iter()
            .map(|(key, json)| (key.as_str(), node(key, json)))
            .collect())
    }

    /// The entries of an object that has no other keys than these.
    pub(super) fn object(&self, keys: &[&str]) -> anyhow::Result<Object<'a>> {
        let entries = self.entries()?;
        for (key, _) in &entries {
            if !keys.contains(key) {
                let (nearest, key) = (did_you_mean(key, keys.iter().copied()), key.escape_debug());
                return Err(self.error(format_args!(
                    "unknown key `{key}`{nearest}; there is: {}",
                    keys.join(", ")
                )));
            }
        }
        Ok(Object {
            node: self.clone(),
            entries,
        })
    }

    pub(super) fn array(&self) -> anyhow::Result<Vec<Node<'a>>> {
        let Json::Array(items) = self.json else {
            return Err(self.wrong("an array"));
        };
        Ok(items
            .iter()
            .enumerate()
            .map(|(index, json)| Node {
                json,
                path: format!("{}[{index}]", self.path),
            })
            .collect())
    }

    pub(super) fn string(&self) -> anyhow::Result<&'a str> {
        match self.json {
            Json::String(text) => Ok(text),
            _ => Err(self.wrong("a string")),
        }
    }

    pub(super) fn u64(&self) -> anyhow::Result<u64> {
        let Json::Number(number) = self.json else {
            return Err(self.wrong("a whole number"));
        };
        number.as_u64().ok_or_else(|| {
            self.error(format_args!(
                "should be a whole number, not negative, is {number}"
            ))
        })
    }

    pub(super) fn u32(&self) -> anyhow::Result<u32> {
        let value = self.u64()?;
        u32::try_from(value)
            .map_err(|_| self.error(format_args!("{value} is more than {}", u32::MAX)))
    }

    pub(super) fn bool(&self) -> anyhow::Result<bool> {
        match self.json {
            Json::Bool(value) => Ok(*value),
            _ => Err(self.wrong("true or false")),
        }
    }

    pub(super) fn f64(&self) -> anyhow::Result<f64> {
        match self.json {
            Json::Number(number) => number.as_f64().ok_or_else(|| self.wrong("a number")),
            _ => Err(self.wrong("a number")),
        }
    }
}

/// An object whose keys were checked.
pub(super) struct Object<'a> {
    node: Node<'a>,
    entries: Vec<(&'a str, Node<'a>)>,
}

impl<'a> Object<'a> {
    pub(super) fn get(&self, key: &str) -> Option<&Node<'a>> {
        self.entries
            .iter()
            .find(|(name, _)| *name == key)
            .map(|(_, node)| node)
    }

    pub(super) fn require(&self, key: &str) -> anyhow::Result<&Node<'a>> {
        match self.get(key) {
            Some(node) => Ok(node),
            None => bail!(self.node.error(format_args!("has no `{key}`"))),
        }
    }
}
