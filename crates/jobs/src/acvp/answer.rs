//! Answers, and the set of them that is sent back.

use super::error::AcvpError;
use super::set::VectorSet;
use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};

/// The value of a member of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Value {
    Flag(bool),
    /// Bytes, which are written in hexadecimal.
    Bytes(Vec<u8>),
}

/// The members of an answer, without the identifier.
pub(super) type Answer = Vec<(&'static str, Value)>;

/// The answers of a test group.
#[derive(Clone, Debug, Default)]
pub(super) struct GroupAnswer {
    /// The members of the group itself: public keys that all its cases share.
    pub(super) members: Answer,
    /// The answer to each case, in order.
    pub(super) cases: Vec<Answer>,
}

/// The answer that a test is passed, or is not.
pub(super) fn passed(passed: bool) -> Answer {
    vec![("testPassed", Value::Flag(passed))]
}

/// The answers of all groups whose own members are these, from one answer for each case of the set, in order.
pub(super) fn grouped(
    set: &VectorSet<'_>,
    members: impl IntoIterator<Item = Answer>,
    answers: impl IntoIterator<Item = Answer>,
) -> Vec<GroupAnswer> {
    let mut members = members.into_iter();
    let mut answers = answers.into_iter();
    let groups = set.groups.iter().map(|group| GroupAnswer {
        members: members.next().unwrap_or_default(),
        cases: answers.by_ref().take(group.cases.len()).collect(),
    });
    groups.collect()
}

/// The answers to a whole vector set.
#[derive(Clone, Debug)]
pub struct Response {
    version: Option<String>,
    head: Vec<(&'static str, Head)>,
    groups: Vec<Numbered<Vec<Numbered<()>>>>,
}

/// A member before the groups.
#[derive(Clone, Debug)]
enum Head {
    Number(u64),
    Flag(bool),
    Text(String),
}

/// Members with the identifier that stands before them, and what follows them.
#[derive(Clone, Debug)]
struct Numbered<T> {
    id: u64,
    members: Answer,
    rest: T,
}

impl Response {
    /// The answers to this set.
    pub(super) fn new(set: &VectorSet<'_>, answers: Vec<GroupAnswer>) -> Result<Self, AcvpError> {
        let mut head = vec![("vsId", Head::Number(set.head.number("vsId")?))];
        for name in ["algorithm", "mode", "revision"] {
            if set.head.has(name) {
                head.push((name, Head::Text(set.head.text(name)?.to_owned())));
            }
        }
        if set.head.has("isSample") {
            head.push(("isSample", Head::Flag(set.head.flag("isSample")?)));
        }
        let groups = set.groups.iter().zip(answers).map(|(group, answer)| {
            let cases = group.cases.iter().zip(answer.cases);
            let cases = cases.map(|(case, members)| Numbered {
                id: case.id,
                members,
                rest: (),
            });
            Numbered {
                id: group.id,
                members: answer.members,
                rest: cases.collect(),
            }
        });
        Ok(Self {
            version: set.version.clone(),
            head,
            groups: groups.collect(),
        })
    }

    /// The set of answers as JSON, in the form that the vector set has.
    ///
    /// # Panics
    /// Never: names of members are texts.
    pub fn to_json(&self) -> String {
        let json = serde_json::to_string_pretty(self);
        json.expect("names of members are texts")
    }
}

impl Serialize for Response {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Some(version) = &self.version else {
            return Body(self).serialize(serializer);
        };
        let mut array = serializer.serialize_seq(Some(2))?;
        array.serialize_element(&Version(version))?;
        array.serialize_element(&Body(self))?;
        array.end()
    }
}

/// The element before the set.
struct Version<'a>(&'a str);

impl Serialize for Version<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(1))?;
        map.serialize_entry("acvVersion", self.0)?;
        map.end()
    }
}

/// The set itself.
struct Body<'a>(&'a Response);

impl Serialize for Body<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Response { head, groups, .. } = self.0;
        let mut map = serializer.serialize_map(Some(head.len() + 1))?;
        for (name, value) in head {
            match value {
                Head::Number(number) => map.serialize_entry(name, number)?,
                Head::Flag(flag) => map.serialize_entry(name, flag)?,
                Head::Text(text) => map.serialize_entry(name, text)?,
            }
        }
        map.serialize_entry("testGroups", groups)?;
        map.end()
    }
}

impl<T> Numbered<T> {
    /// The identifier and the members.
    fn write<S: SerializeMap>(&self, identifier: &str, map: &mut S) -> Result<(), S::Error> {
        map.serialize_entry(identifier, &self.id)?;
        for (name, value) in &self.members {
            map.serialize_entry(name, value)?;
        }
        Ok(())
    }
}

impl Serialize for Numbered<Vec<Numbered<()>>> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.members.len() + 2))?;
        self.write("tgId", &mut map)?;
        map.serialize_entry("tests", &self.rest)?;
        map.end()
    }
}

impl Serialize for Numbered<()> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.members.len() + 1))?;
        self.write("tcId", &mut map)?;
        map.end()
    }
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Flag(flag) => serializer.serialize_bool(*flag),
            Self::Bytes(bytes) => serializer.serialize_str(&base16ct::upper::encode_string(bytes)),
        }
    }
}
