//! Vector sets, as the server of ACVP sends them, and sets of answers: the same members around groups and cases.

use super::error::{AcvpError, Defect, MAX_SET_BYTES, Place};
use crate::json::{Json, Object};
use std::collections::HashSet;

/// A vector set, or a set of answers. Texts are parts of the file.
#[derive(Debug)]
pub struct VectorSet<'a> {
    /// The version in the element before the set, if the file is an array of the two.
    pub(super) version: Option<String>,
    pub(super) head: Members<'a>,
    pub(super) groups: Vec<Group<'a>>,
}

/// A test group.
#[derive(Debug)]
pub(super) struct Group<'a> {
    pub(super) id: u64,
    pub(super) members: Members<'a>,
    pub(super) cases: Vec<Case<'a>>,
}

/// A test case.
#[derive(Debug)]
pub(super) struct Case<'a> {
    pub(super) id: u64,
    pub(super) members: Members<'a>,
}

/// The members of a set, group or case, with its place for errors.
#[derive(Debug)]
pub(super) struct Members<'a> {
    place: Place,
    object: Object<'a>,
}

impl<'a> VectorSet<'a> {
    /// Reads a vector set: an object with `testGroups`, or an array of an object with `acvVersion` and the set.
    ///
    /// # Errors
    /// [`AcvpError::TooLong`], [`AcvpError::NotJson`], also for members that occur twice, and [`AcvpError::Member`].
    pub fn from_json(file: &'a [u8]) -> Result<Self, AcvpError> {
        if file.len() > MAX_SET_BYTES {
            return Err(AcvpError::TooLong(file.len()));
        }
        let (version, mut object) = match Json::read(file).map_err(AcvpError::NotJson)? {
            Json::Object(object) => (None, object),
            Json::Array(parts) => {
                let Ok([Json::Object(first), Json::Object(object)]) =
                    <[Json<'_>; 2]>::try_from(parts)
                else {
                    return Err(AcvpError::NotJson(
                        "its array is not one of two objects".into(),
                    ));
                };
                let version = Members::new(Place::default(), first);
                (Some(version.text("acvVersion")?.to_owned()), object)
            }
            _ => {
                return Err(AcvpError::NotJson(
                    "it is neither an object nor an array".into(),
                ));
            }
        };
        let groups = objects(&mut object, "testGroups", "tgId", Place::default())?;
        let groups = groups.into_iter().map(Group::new);
        Ok(Self {
            version,
            groups: groups.collect::<Result<_, _>>()?,
            head: Members::new(Place::default(), object),
        })
    }

    /// Number of test cases.
    pub fn len(&self) -> usize {
        self.groups.iter().map(|group| group.cases.len()).sum()
    }

    /// Whether there is no test case.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All cases in order, each with its group.
    pub(super) fn cases(&self) -> impl Iterator<Item = (&Group<'a>, &Case<'a>)> {
        let groups = self.groups.iter();
        groups.flat_map(|group| group.cases.iter().map(move |case| (group, case)))
    }
}

impl<'a> Group<'a> {
    fn new((id, place, mut object): (u64, Place, Object<'a>)) -> Result<Self, AcvpError> {
        let cases = objects(&mut object, "tests", "tcId", place)?.into_iter();
        let cases = cases.map(|(id, place, object)| Case {
            id,
            members: Members::new(place, object),
        });
        Ok(Self {
            id,
            cases: cases.collect(),
            members: Members::new(place, object),
        })
    }
}

/// The objects in the list that this member of an object is, each with its identifier and place.
fn objects<'a>(
    object: &mut Object<'a>,
    list: &'static str,
    identifier: &'static str,
    place: Place,
) -> Result<Vec<(u64, Place, Object<'a>)>, AcvpError> {
    let refused = |place, member, defect| AcvpError::Member {
        place,
        member,
        defect,
    };
    let entries = match object.take(list) {
        Some(Json::Array(entries)) => entries,
        Some(_) => return Err(refused(place, list, Defect::Not("a list"))),
        None => return Err(refused(place, list, Defect::Missing)),
    };
    let mut seen = HashSet::new();
    let read = |entry| {
        let Json::Object(object) = entry else {
            return Err(refused(place, list, Defect::Not("a list of objects")));
        };
        let id = Members::new(place, object);
        let number = id.number(identifier)?;
        let place = match place.group {
            None => Place {
                group: Some(number),
                case: None,
            },
            Some(_) => Place {
                case: Some(number),
                ..place
            },
        };
        if !seen.insert(number) {
            return Err(refused(place, identifier, Defect::Twice));
        }
        Ok((number, place, id.object))
    };
    entries.into_iter().map(read).collect()
}

impl<'a> Members<'a> {
    fn new(place: Place, object: Object<'a>) -> Self {
        Self { place, object }
    }

    /// All members, in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &Json<'a>)> {
        self.object.iter()
    }

    /// The value of a member.
    pub(super) fn get(&self, member: &str) -> Option<&Json<'a>> {
        self.object.get(member)
    }

    /// Whether a member is there, and is not empty: samples have empty texts for keys that they do not have.
    pub(super) fn has(&self, member: &str) -> bool {
        match self.object.get(member) {
            None | Some(Json::Null) => false,
            Some(Json::Text(text)) => !text.is_empty(),
            Some(_) => true,
        }
    }

    /// The error that a member has this defect.
    pub(super) fn wrong(&self, member: &'static str, defect: Defect) -> AcvpError {
        AcvpError::Member {
            place: self.place,
            member,
            defect,
        }
    }

    /// The error that a member's value is refused for this reason.
    pub(super) fn refused(
        &self,
        member: &'static str,
        reason: &(impl ToString + ?Sized),
    ) -> AcvpError {
        self.wrong(member, Defect::Refused(reason.to_string()))
    }

    /// The error that a member has a value other than these.
    pub(super) fn unsupported(
        &self,
        member: &'static str,
        value: &(impl ToString + ?Sized),
        known: &(impl ToString + ?Sized),
    ) -> AcvpError {
        let (value, known) = (value.to_string(), known.to_string());
        self.wrong(member, Defect::Unsupported { value, known })
    }

    /// The error that no answer was computed here.
    pub(super) fn failed(&self, reason: &(impl ToString + ?Sized)) -> AcvpError {
        AcvpError::Failed {
            place: self.place,
            reason: reason.to_string(),
        }
    }

    /// A text.
    pub(super) fn text(&self, member: &'static str) -> Result<&str, AcvpError> {
        match self.get(member) {
            Some(Json::Text(text)) => Ok(text),
            Some(_) => Err(self.wrong(member, Defect::Not("a text"))),
            None => Err(self.wrong(member, Defect::Missing)),
        }
    }

    /// One of the texts that are known, with its meaning.
    pub(super) fn one_of<T: Copy>(
        &self,
        member: &'static str,
        known: &[(&str, T)],
    ) -> Result<T, AcvpError> {
        let text = self.text(member)?;
        let found = known.iter().find(|(name, _)| *name == text);
        found.map(|(_, meaning)| *meaning).ok_or_else(|| {
            let names: Vec<_> = known.iter().map(|(name, _)| *name).collect();
            self.unsupported(member, text, &names.join(", "))
        })
    }

    /// Refuses a member that is there, and is not this text.
    pub(super) fn only(&self, member: &'static str, text: &str) -> Result<(), AcvpError> {
        if self.has(member) {
            self.one_of(member, &[(text, ())])?;
        }
        Ok(())
    }

    /// Refuses a member that is there and not empty.
    pub(super) fn without(&self, member: &'static str) -> Result<(), AcvpError> {
        match self.get(member) {
            Some(Json::Text(text)) if !text.is_empty() => {
                Err(self.unsupported(member, text, "tests without it"))
            }
            _ => Ok(()),
        }
    }

    /// Bytes in hexadecimal.
    pub(super) fn hex(&self, member: &'static str) -> Result<Vec<u8>, AcvpError> {
        let bytes = base16ct::mixed::decode_vec(self.text(member)?);
        bytes.map_err(|_| self.wrong(member, Defect::Not("hexadecimal digits, two a byte")))
    }

    /// A natural number.
    pub(super) fn number(&self, member: &'static str) -> Result<u64, AcvpError> {
        /// All natural numbers up to here are exact.
        const MOST: f64 = (1u64 << 53) as f64;
        match self.get(member) {
            Some(Json::Number(number))
                if number.fract() == 0.0 && (0.0..=MOST).contains(number) =>
            {
                Ok(*number as u64)
            }
            Some(_) => Err(self.wrong(member, Defect::Not("a natural number"))),
            None => Err(self.wrong(member, Defect::Missing)),
        }
    }

    /// A flag; no, if it is not there.
    pub(super) fn flag(&self, member: &'static str) -> Result<bool, AcvpError> {
        match self.get(member) {
            Some(Json::Flag(flag)) => Ok(*flag),
            Some(_) => Err(self.wrong(member, Defect::Not("true or false"))),
            None => Ok(false),
        }
    }
}
