//! Answers beside expected ones, which another implementation gave: what differs, and where.

use super::answer::{GroupAnswer, Value};
use super::error::Place;
use super::set::{Case, Group, Members, VectorSet};
use crate::json::Json;
use core::fmt;
use std::collections::HashMap;

/// A difference between the answers and the expected ones.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Difference {
    /// The group or case.
    pub place: Place,
    /// The member that differs.
    pub member: String,
    /// How it differs, to be read after the member.
    pub reason: String,
}

impl Difference {
    pub(super) fn new(place: Place, member: &str, reason: impl Into<String>) -> Self {
        Self {
            place,
            member: member.into(),
            reason: reason.into(),
        }
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} {}", self.place, self.member, self.reason)
    }
}

/// An expected answer with its case: to be verified where answers are random.
#[derive(Clone, Copy, Debug)]
pub(super) struct Claim<'s, 'a> {
    pub(super) group: &'s Group<'a>,
    pub(super) case: &'s Case<'a>,
    /// The expected group.
    pub(super) shared: &'s Members<'a>,
    /// The expected answer.
    pub(super) answer: &'s Members<'a>,
}

impl Claim<'_, '_> {
    /// The case's place.
    pub(super) fn place(&self) -> Place {
        place(self.group, self.case)
    }
}

/// The reason for which a wrong signature is refused.
pub(super) const NO_SIGNATURE: &str = "is no signature by the group's key";

/// A difference for each claim with the verdict no.
pub(super) fn refuted(
    claims: &[Claim<'_, '_>],
    verdicts: Vec<bool>,
    member: &str,
    reason: &str,
) -> Vec<Difference> {
    let claims = claims.iter().zip(verdicts);
    let wrong = claims.filter(|(_, right)| !right);
    let wrong = wrong.map(|(claim, _)| Difference::new(claim.place(), member, reason));
    wrong.collect()
}

/// The names of the members before the groups that both sets must agree on.
const HEAD: [&str; 4] = ["vsId", "algorithm", "mode", "revision"];

/// A difference for each member before the groups that the expected answers have for another set.
pub(super) fn heads(set: &VectorSet<'_>, expected: &VectorSet<'_>) -> Vec<Difference> {
    let other = HEAD.iter().filter(|name| {
        let theirs = expected.head.get(name);
        theirs.is_some() && theirs != set.head.get(name)
    });
    let other = other.map(|name| {
        let reason =
            "is another one in the expected answers, which are those of another vector set";
        Difference::new(Place::default(), name, reason)
    });
    other.collect()
}

fn place(group: &Group<'_>, case: &Case<'_>) -> Place {
    Place {
        group: Some(group.id),
        case: Some(case.id),
    }
}

/// The expected answers, each with its case, in the order of the cases. Groups and cases that only one of both sets has
/// are differences.
pub(super) fn claims<'s, 'a>(
    set: &'s VectorSet<'a>,
    expected: &'s VectorSet<'a>,
    differences: &mut Vec<Difference>,
) -> Vec<Claim<'s, 'a>> {
    const LACKING: &str = "has no expected answer";
    const SURPLUS: &str = "is expected, and is not in the vector set";
    let mut groups: HashMap<_, _> = expected.groups.iter().map(|g| (g.id, g)).collect();
    let mut claims = Vec::with_capacity(set.len());
    for group in &set.groups {
        let of_group = Place {
            group: Some(group.id),
            case: None,
        };
        let Some(shared) = groups.remove(&group.id) else {
            differences.push(Difference::new(of_group, "tgId", LACKING));
            continue;
        };
        let mut cases: HashMap<_, _> = shared.cases.iter().map(|c| (c.id, c)).collect();
        for case in &group.cases {
            match cases.remove(&case.id) {
                Some(answer) => claims.push(Claim {
                    group,
                    case,
                    shared: &shared.members,
                    answer: &answer.members,
                }),
                None => differences.push(Difference::new(place(group, case), "tcId", LACKING)),
            }
        }
        let mut surplus: Vec<_> = cases.into_keys().collect();
        surplus.sort_unstable();
        differences.extend(surplus.into_iter().map(|id| {
            let case = Some(id);
            Difference::new(Place { case, ..of_group }, "tcId", SURPLUS)
        }));
    }
    let mut surplus: Vec<_> = groups.into_keys().collect();
    surplus.sort_unstable();
    differences.extend(surplus.into_iter().map(|id| {
        let place = Place {
            group: Some(id),
            case: None,
        };
        Difference::new(place, "tgId", SURPLUS)
    }));
    claims
}

/// Compares answers with expected ones, member by member.
pub(super) fn compare(
    set: &VectorSet<'_>,
    answers: &[GroupAnswer],
    claims: &[Claim<'_, '_>],
    differences: &mut Vec<Difference>,
) {
    let claims = claims.iter();
    let claims = claims.map(|claim| ((claim.group.id, claim.case.id), claim));
    let claims: HashMap<_, _> = claims.collect();
    for (group, answers) in set.groups.iter().zip(answers) {
        let of_group = Place {
            group: Some(group.id),
            case: None,
        };
        let mut shared = None;
        for (case, answer) in group.cases.iter().zip(&answers.cases) {
            let Some(claim) = claims.get(&(group.id, case.id)) else {
                continue;
            };
            shared = Some(claim.shared);
            compare_members(
                claim.place(),
                answer,
                &case.members,
                claim.answer,
                differences,
            );
        }
        if let Some(shared) = shared {
            compare_members(
                of_group,
                &answers.members,
                &group.members,
                shared,
                differences,
            );
        }
    }
}

/// Compares members of an answer with expected ones. Expected ones that only repeat what was asked are left out.
fn compare_members(
    place: Place,
    answer: &[(&'static str, Value)],
    asked: &Members<'_>,
    expected: &Members<'_>,
    differences: &mut Vec<Difference>,
) {
    for (name, value) in answer {
        let reason = match (value, expected.get(name)) {
            (_, None) => "is answered, and not expected".to_owned(),
            (Value::Flag(flag), Some(Json::Flag(other))) if flag == other => continue,
            (Value::Flag(flag), Some(Json::Flag(other))) => {
                format!("is {flag}, and {other} is expected")
            }
            (Value::Bytes(bytes), Some(Json::Text(text)))
                if base16ct::mixed::decode_vec(&**text).is_ok_and(|other| other == *bytes) =>
            {
                continue;
            }
            _ => "differs from the expected one".to_owned(),
        };
        differences.push(Difference::new(place, name, reason));
    }
    for (name, value) in expected.iter() {
        let is_identifier = matches!(name, "tgId" | "tcId");
        let is_answered = answer.iter().any(|(answered, _)| *answered == name);
        if !is_identifier && !is_answered && asked.get(name) != Some(value) {
            differences.push(Difference::new(
                place,
                name,
                "is expected, and not answered",
            ));
        }
    }
}
