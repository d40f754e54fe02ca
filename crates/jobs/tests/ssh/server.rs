//! A server and a client of OpenSSH that know each other by certificates alone.

use crate::certificates::{issue, request};
use crate::tools::Place;
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A server, which ends with the test.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The server's program, which wants to be started by its whole path.
fn sshd() -> Option<&'static str> {
    let mut paths = ["/usr/sbin/sshd", "/usr/local/sbin/sshd", "/usr/bin/sshd"].into_iter();
    paths.find(|path| Path::new(path).exists())
}

/// Starts a server on a free port, which knows users by the authority, and is known itself in the file `known`.
fn start(place: &Place, sshd: &str) -> (Server, u16) {
    let port = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let folder = place.path().display();
    place.write(
        "sshd_config",
        format!(
            "Port {port}\nListenAddress 127.0.0.1\nHostKey {folder}/host\nHostCertificate {folder}/host-cert.pub\n\
             TrustedUserCAKeys {folder}/authority.pub\nAuthorizedKeysFile none\nPasswordAuthentication no\n\
             KbdInteractiveAuthentication no\nUsePAM no\nStrictModes no\nPidFile none\nLogLevel VERBOSE\n\
             PermitRootLogin yes\n"
        ),
    );
    place.write(
        "known",
        format!(
            "@cert-authority *.example.org {}",
            place.text("authority.pub")
        ),
    );
    let log = std::fs::File::create(place.at("log")).unwrap();
    let child = Command::new(sshd)
        .args(["-D", "-e", "-f"])
        .arg(place.at("sshd_config"))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(log)
        .spawn();
    let mut server = Server(child.unwrap());
    let mut tries = 0;
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        let ended = server.0.try_wait().unwrap();
        assert!(ended.is_none() && tries < 100, "{}", place.text("log"));
        tries += 1;
        std::thread::sleep(Duration::from_millis(100));
    }

    (server, port)
}

/// Runs a command on the server with a certificate of the key.
fn connect(place: &Place, port: u16, user: &str, certificate: &str) -> Output {
    place.write("key-cert.pub", certificate);
    Command::new("ssh")
        .current_dir(place.path())
        .args(["-F", "none", "-p", &port.to_string(), "-l", user])
        .args([
            "-i",
            "key",
            "-o",
            "CertificateFile=key-cert.pub",
            "-o",
            "IdentitiesOnly=yes",
        ])
        .args([
            "-o",
            "UserKnownHostsFile=known",
            "-o",
            "GlobalKnownHostsFile=none",
        ])
        .args([
            "-o",
            "HostKeyAlias=server.example.org",
            "-o",
            "StrictHostKeyChecking=yes",
        ])
        .args([
            "-o",
            "BatchMode=yes",
            "-o",
            "ConnectTimeout=10",
            "127.0.0.1",
            "echo asked for",
        ])
        .stdin(Stdio::null())
        .env_remove("SSH_AUTH_SOCK")
        .output()
        .unwrap()
}

#[test]
fn a_server_accepts_them() {
    let (Some(place), Some(sshd)) = (Place::with_keygen(), sshd()) else {
        println!("SKIPPED: there is no sshd");
        return;
    };
    if Command::new("ssh").arg("-V").output().is_err() {
        println!("SKIPPED: there is no ssh");
        return;
    }
    let user = Command::new("id").arg("-un").output().unwrap();
    let user = String::from_utf8(user.stdout).unwrap().trim().to_owned();
    if user == "root" && std::fs::create_dir_all("/run/sshd").is_err() {
        println!("SKIPPED: sshd has no folder /run/sshd");
        return;
    }
    let authority = place.make("authority", "-t ecdsa -b 384");
    place.make("host", "-t ed25519");
    place.make("key", "-t ecdsa -b 256");
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap()
        .as_secs();
    let make = |key: &str, kind: &str, principal: &str, command: Option<&str>| {
        let mut json = serde_json::json!({
            "key": place.text(key), "key_id": "test", "principals": [principal], "type": kind,
            "valid_after": now - 60, "lifetime": 3600,
        });
        if let Some(command) = command {
            json["critical_options"] = serde_json::json!({"force-command": command});
        }
        issue(&authority, &[request(&json)]).remove(0) + "\n"
    };
    place.write(
        "host-cert.pub",
        make("host.pub", "host", "server.example.org", None),
    );

    let (_server, port) = start(&place, sshd);
    let connect = |certificate: &str| connect(&place, port, &user, certificate);
    let output = connect(&make("key.pub", "user", &user, Some("echo forced")));
    let log = place.text("log");
    assert_eq!(output.stdout, b"forced\n", "{output:?}\n{log}");
    assert!(log.contains("Accepted certificate ID \"test\""), "{log}");
    // A certificate for somebody else, and one of a host.
    for certificate in [
        make("key.pub", "user", "somebody-else", None),
        make("key.pub", "host", &user, None),
    ] {
        let output = connect(&certificate);
        assert!(
            !output.status.success() && output.stdout.is_empty(),
            "{output:?}"
        );
    }
    // A host's certificate for another name.
    place.write(
        "known",
        format!(
            "@cert-authority *.example.com {}",
            place.text("authority.pub")
        ),
    );
    let output = connect(&make("key.pub", "user", &user, Some("echo forced")));
    assert!(
        !output.status.success() && output.stdout.is_empty(),
        "{output:?}"
    );
}
