//! JSON without double members: two readers that take different ones disagree on what was signed, or asked. RFC 7515
//! (section 4) and RFC 7519 (section 4) let a reader refuse them.

use core::fmt;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use std::borrow::Cow;
use std::collections::HashSet;

/// A value. Texts are parts of what was read wherever they have no escapes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Json<'a> {
    Null,
    Flag(bool),
    /// A number, rounded to 53 bits.
    Number(f64),
    Text(Cow<'a, str>),
    Array(Vec<Json<'a>>),
    Object(Object<'a>),
}

impl<'a> Json<'a> {
    /// Reads a value of many lines, and nothing else.
    ///
    /// # Errors
    /// The reason, with its place and without a quotation.
    pub(crate) fn read(json: &'a [u8]) -> Result<Self, String> {
        serde_json::from_slice(json).map_err(|error| {
            let (line, column) = (error.line(), error.column());
            format!("{}, line {line}, byte {column}", defect(&error))
        })
    }
}

/// The members of an object, in order, each once.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Object<'a>(Vec<(Cow<'a, str>, Json<'a>)>);

impl<'a> Object<'a> {
    /// Reads an object and nothing else.
    ///
    /// # Errors
    /// The reason, with its place and without a quotation.
    pub(crate) fn read(json: &'a [u8]) -> Result<Self, String> {
        match serde_json::from_slice(json) {
            Ok(Json::Object(object)) => Ok(object),
            Ok(_) => Err("it is another value".into()),
            Err(error) => Err(format!("{}, byte {}", defect(&error), error.column())),
        }
    }

    /// The member with this name.
    pub(crate) fn get(&self, name: &str) -> Option<&Json<'a>> {
        let found = self.0.iter().find(|(member, _)| member == name);
        found.map(|(_, value)| value)
    }

    /// The text of a member; an error of this name if it is none.
    pub(crate) fn text<E>(&self, name: &str, wrong: impl Fn() -> E) -> Result<Option<&str>, E> {
        match self.get(name) {
            None => Ok(None),
            Some(Json::Text(text)) => Ok(Some(text)),
            Some(_) => Err(wrong()),
        }
    }

    /// The members, in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &Json<'a>)> {
        self.0.iter().map(|(name, value)| (&**name, value))
    }

    /// Takes the member with this name out.
    pub(crate) fn take(&mut self, name: &str) -> Option<Json<'a>> {
        let place = self.0.iter().position(|(member, _)| member == name)?;
        Some(self.0.remove(place).1)
    }

    /// Whether it has no members.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// What is wrong with JSON that is not read.
fn defect(error: &serde_json::Error) -> &'static str {
    match error.classify() {
        // The only error of this module.
        serde_json::error::Category::Data => DOUBLE,
        _ => "malformed",
    }
}

const DOUBLE: &str = "a member occurs twice";

/// Members up to which each is compared with those before it.
const FEW: usize = 16;

struct Reader;

impl<'de> Visitor<'de> for Reader {
    type Value = Json<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Json<'de>, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, flag: bool) -> Result<Json<'de>, E> {
        Ok(Json::Flag(flag))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Json<'de>, E> {
        Ok(Json::Number(number as f64))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Json<'de>, E> {
        Ok(Json::Number(number as f64))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Json<'de>, E> {
        Ok(Json::Number(number))
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Json<'de>, E> {
        Ok(Json::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Json<'de>, E> {
        Ok(Json::Text(Cow::Owned(text.into())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut entries: A) -> Result<Json<'de>, A::Error> {
        let mut array = Vec::new();
        while let Some(entry) = entries.next_element()? {
            array.push(entry);
        }
        Ok(Json::Array(array))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Json<'de>, A::Error> {
        let mut members: Vec<(Cow<'de, str>, Json<'de>)> = Vec::new();
        let mut names = HashSet::new();
        while let Some(Name(name)) = entries.next_key()? {
            let double = if members.len() < FEW {
                members.iter().any(|(member, _)| *member == name)
            } else {
                if names.is_empty() {
                    names.extend(members.iter().map(|(member, _)| member.clone()));
                }
                !names.insert(name.clone())
            };
            if double {
                return Err(Error::custom(DOUBLE));
            }
            members.push((name, entries.next_value()?));
        }
        Ok(Json::Object(Object(members)))
    }
}

impl<'de> Deserialize<'de> for Json<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Reader)
    }
}

/// The name of a member.
struct Name<'a>(Cow<'a, str>);

impl<'de> Deserialize<'de> for Name<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match deserializer.deserialize_str(Reader)? {
            Json::Text(name) => Ok(Self(name)),
            _ => Err(Error::custom("no name")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn double_members_are_refused_at_every_depth() {
        let many = |last: usize| {
            let members: Vec<_> = (0..40)
                .chain([last])
                .map(|k| format!("\"{k}\":{k}"))
                .collect();
            format!("{{{}}}", members.join(","))
        };
        for wrong in [
            r#"{"a":1,"a":1}"#,
            r#"{"a":1,"\u0061":2}"#,
            r#"{"b":[{"c":{"a":1,"b":2,"a":3}}]}"#,
            &many(39),
            &many(3),
        ] {
            let error = Object::read(wrong.as_bytes()).unwrap_err();
            assert!(error.starts_with(DOUBLE), "{error}");
        }
        assert!(Object::read(many(40).as_bytes()).is_ok());
        for wrong in [
            "[]",
            "1",
            "{} x",
            "{,}",
            "",
            "{\"a\":NaN}",
            "{\"a\":1e999}",
            "\u{feff}{}",
        ] {
            assert!(Object::read(wrong.as_bytes()).is_err(), "{wrong}");
        }
        assert!(Object::read(b"{\"a\":\"\xff\"}").is_err());
        assert!(Object::read(&[&b"{\"a\":"[..], &vec![b'['; 100_000]].concat()).is_err());
    }
}
