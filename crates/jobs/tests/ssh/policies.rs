//! Requests that are malformed, or outside a policy.

use crate::tools::ALGORITHMS;
use serde_json::{Value, json};
use std::sync::LazyLock;
use sunzi_jobs::ssh::{CertificateKind, Policy, Request};
use sunzi_pk::keys::PrivateKey;
use sunzi_pk::system_rng;

const NOW: u64 = 1_800_000_000;

static KEYS: LazyLock<[String; 2]> = LazyLock::new(|| {
    ["Ed25519", "RSA-2048"].map(|name| {
        let key = PrivateKey::generate(&ALGORITHMS, name, &mut system_rng()).unwrap();
        key.public_key().to_openssh().unwrap()
    })
});

fn policy() -> Policy {
    let policy = json!({
        "types": ["user", "host"],
        "principals": ["alice", "dev-*", "*.example.org"],
        "max_validity": 3600,
        "min_rsa_bits": 3072,
        "critical_options": ["force-command", "source-address"],
        "extensions": ["permit-pty"],
    });
    Policy::from_json(policy.to_string().as_bytes()).unwrap()
}

fn good() -> Value {
    json!({"key": KEYS[0], "key_id": "an id", "principals": ["alice"], "type": "user", "lifetime": 3600})
}

/// A good request with some members in place of its own.
fn with(members: Value) -> Value {
    let mut request = good();
    let Value::Object(members) = members else {
        panic!("members are an object")
    };
    for (name, value) in members {
        request[name] = value;
    }
    request
}

fn verdict(policy: &Policy, request: &Value) -> Result<(), String> {
    let kind = policy.only_kind();
    let request = Request::from_json(request.to_string().as_bytes(), kind, NOW)?;
    policy.check(&request, NOW)
}

#[test]
fn within_the_policy() {
    for request in [
        good(),
        with(json!({"principals": ["dev-1", "dev-", "a.example.org"]})),
        with(json!({"principals": ["b.example.org"], "type": "host"})),
        with(
            json!({"critical_options": {"source-address": "10.0.0.0/8,2001:db8::1/128,192.0.2.1"}}),
        ),
        with(
            json!({"critical_options": {"force-command": "date -u"}, "extensions": {"permit-pty": ""}}),
        ),
        with(json!({"extensions": ["permit-pty"], "serial": u64::MAX})),
        with(json!({"valid_after": NOW - 3599})),
        with(json!({"valid_after": "20270115080000Z", "lifetime": 1})),
    ] {
        assert_eq!(verdict(&policy(), &request), Ok(()), "{request}");
    }
    let mut request = good();
    let object = request.as_object_mut().unwrap();
    object.remove("lifetime");
    object.remove("type");
    request["valid_before"] = (NOW + 1).into();
    let users = r#"{"types":["user"],"principals":["*"],"max_validity":1}"#;
    let users = Policy::from_json(users.as_bytes()).unwrap();
    assert_eq!(users.only_kind(), Some(CertificateKind::User));
    assert_eq!(verdict(&users, &request), Ok(()));
    assert!(
        verdict(&policy(), &request)
            .unwrap_err()
            .contains("no type")
    );
}

#[test]
fn outside_the_policy() {
    let many: Vec<_> = (0..257).map(|number| format!("dev-{number}")).collect();
    for (members, words) in [
        (
            json!({"key": KEYS[1]}),
            "2048 bits: the policy asks for 3072",
        ),
        (json!({"principals": []}), "for everybody"),
        (
            json!({"principals": ["alice", "root"]}),
            "the principal \"root\"",
        ),
        (json!({"principals": ["dev"]}), "the principal \"dev\""),
        (json!({"principals": ["Alice"]}), "the principal"),
        // Patterns that a pattern of the policy would match.
        (json!({"principals": ["*.example.org"]}), "the principal"),
        (json!({"principals": ["dev-*"]}), "the principal"),
        (json!({"principals": ["dev-?"]}), "the principal"),
        (json!({"principals": ["dev-1,root"]}), "the principal"),
        (
            json!({"principals": ["!dev-1.example.org"]}),
            "the principal",
        ),
        (json!({"principals": ["dev-1 root"]}), "blanks"),
        (json!({"principals": ["dev-\n"]}), "blanks"),
        (json!({"principals": [""]}), "empty"),
        (json!({"principals": many}), "257 principals"),
        (json!({"key_id": ""}), "empty"),
        (json!({"key_id": "a\u{1b}[2J"}), "control characters"),
        (json!({"key_id": "a".repeat(1025)}), "1024"),
        (json!({"lifetime": 3601}), "the policy permits 3600"),
        (json!({"lifetime": 0}), "ends before it begins"),
        (json!({"lifetime": u64::MAX}), "the policy permits 3600"),
        (json!({"valid_after": NOW - 3600}), "has ended"),
        (
            json!({"critical_options": ["verify-required"]}),
            "the critical option",
        ),
        (
            json!({"critical_options": {"force-command": ""}}),
            "malformed",
        ),
        (
            json!({"critical_options": {"source-address": ""}}),
            "malformed",
        ),
        (
            json!({"critical_options": {"source-address": "10.0.0.0/33"}}),
            "malformed",
        ),
        (
            json!({"critical_options": {"source-address": "example.org"}}),
            "malformed",
        ),
        (
            json!({"extensions": ["permit-agent-forwarding"]}),
            "the extension",
        ),
        (
            json!({"type": "host", "extensions": ["permit-pty"]}),
            "hosts have no options",
        ),
    ] {
        let answer = verdict(&policy(), &with(members.clone()));
        let error = answer.unwrap_err();
        assert!(error.contains(words), "{members}: {error}");
    }
    let hosts = r#"{"types":["host"],"principals":["*"],"max_validity":3600}"#;
    let error = verdict(&Policy::from_json(hosts.as_bytes()).unwrap(), &good()).unwrap_err();
    assert_eq!(error, "the policy permits no user certificates");
    let forced = r#"{"types":["user"],"principals":["*"],"max_validity":3600,"critical_options":["force-command"],
                     "required_options":["force-command"]}"#;
    let forced = Policy::from_json(forced.as_bytes()).unwrap();
    let error = verdict(&forced, &good()).unwrap_err();
    assert_eq!(
        error,
        "the policy asks for the critical option \"force-command\""
    );
    let request = with(json!({"critical_options": {"force-command": "date"}}));
    assert_eq!(verdict(&forced, &request), Ok(()));
}

#[test]
fn malformed_requests_and_policies() {
    let key = &KEYS[0];
    for members in [
        json!({"key": "ssh-ed25519"}),
        json!({"key": "ssh-ed25519 AAAA"}),
        json!({"key": key.replacen("ssh-ed25519", "ssh-rsa", 1)}),
        json!({"key": format!("{}\n{key}", key.trim())}),
        json!({"key": format!("{} a\u{1b}[2J", key.trim())}),
        json!({"key": format!("command=\"date\" {key}")}),
        json!({"key": 7}),
        json!({"key_id": null}),
        json!({"serial": -1}),
        json!({"serial": 1.5}),
        json!({"principals": "alice"}),
        json!({"type": "User"}),
        json!({"valid_before": NOW + 1}),
        json!({"valid_after": "20270115"}),
        json!({"valid_after": "tomorrow"}),
        json!({"valid_after": -1}),
        json!({"extensions": ["permit-pty", "permit-pty"]}),
        json!({"extensions": "permit-pty"}),
        json!({"critical_options": {"force-command": 7}}),
        json!({"unknown": 7}),
    ] {
        assert!(
            verdict(&policy(), &with(members.clone())).is_err(),
            "{members}"
        );
    }
    let text = good().to_string();
    for wrong in [
        text.replacen('{', "{\"key_id\":\"other\",", 1),
        text.replacen(
            '{',
            r#"{"extensions":{"permit-pty":"","permit-pty":""},"#,
            1,
        ),
        text.replacen("\"lifetime\"", "\"x\"", 1),
        format!("{text}{text}"),
        format!("[{text}]"),
        String::from("null"),
    ] {
        assert!(
            Request::from_json(wrong.as_bytes(), None, NOW).is_err(),
            "{wrong}"
        );
    }
    for wrong in [
        "",
        "{}",
        "[]",
        r#"{"types":["user"],"principals":["*"]}"#,
        r#"{"types":["user"],"max_validity":1}"#,
        r#"{"principals":["*"],"max_validity":1}"#,
        r#"{"types":["root"],"principals":["*"],"max_validity":1}"#,
        r#"{"types":["user"],"principals":["*"],"max_validity":"1d"}"#,
        r#"{"types":["user"],"principals":["*"],"max_validity":1,"max_validity":2}"#,
        r#"{"types":["user"],"principals":["*"],"max_validity":1,"extension":["permit-pty"]}"#,
    ] {
        assert!(Policy::from_json(wrong.as_bytes()).is_err(), "{wrong}");
    }
}
