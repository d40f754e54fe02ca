//! Records as zone files have them, each on a line.

use super::rrsig::{Head, Signature, write_time};
use super::zone::Parsed;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use core::fmt::Write as _;
use domain::base::iana::Rtype;
use domain::base::rdata::ParseRecordData;
use domain::base::zonefile_fmt::{DisplayKind, ZonefileFmt};
use domain::dep::octseq::Parser;

/// Appends a line with a record.
pub(super) fn write_record(owner: &str, rtype: Rtype, ttl: u32, data: &[u8], text: &mut String) {
    if rtype == Rtype::RRSIG
        && let Some(signature) = Signature::read(data)
        && let Some(signer) = name_text(signature.signer)
    {
        let [expiration, inception] =
            [signature.head.expiration, signature.head.inception].map(write_time);
        let times = [&expiration[..], &inception];
        write_rrsig(
            owner,
            ttl,
            &signature.head,
            times,
            &signer,
            signature.bytes,
            text,
        );
        return;
    }
    write_start(owner, ttl, rtype, text);
    let start = text.len();
    let mut parser = Parser::from_ref(data);
    if let Ok(Some(parsed)) = Parsed::parse_rdata(rtype, &mut parser) {
        let _ = write!(text, "{}", parsed.display_zonefile(DisplayKind::Simple));
    }
    if text.len() == start || !reads_alike(&text[start..]) {
        text.truncate(start);
        let _ = write!(text, "\\# {} ", data.len());
        text.push_str(&base16ct::lower::encode_string(data));
    }
    text.push('\n');
}

fn write_start(owner: &str, ttl: u32, rtype: Rtype, text: &mut String) {
    // Writing to a text does not fail.
    let _ = write!(text, "{owner} {ttl} IN {rtype} ");
}

/// Appends a line with a signature. The times are those of the head, expiration first.
pub(super) fn write_rrsig(
    owner: &str,
    ttl: u32,
    head: &Head,
    times: [&str; 2],
    signer: &str,
    signature: &[u8],
    text: &mut String,
) {
    let &Head {
        covered,
        algorithm,
        labels,
        ttl: original,
        tag,
        ..
    } = head;
    let [expiration, inception] = times;
    write_start(owner, ttl, Rtype::RRSIG, text);
    let _ = write!(
        text,
        "{covered} {algorithm} {labels} {original} {expiration} {inception} {tag} {signer} "
    );
    STANDARD.encode_string(signature, text);
    text.push('\n');
}

/// A name as files have it.
fn name_text(wire: &[u8]) -> Option<String> {
    let name = domain::base::Name::from_octets(wire).ok()?;
    Some(super::name::Apex::new(&name).text(b""))
}

/// Whether data as `domain` writes them are read as they were meant: it leaves special characters of names as they are.
fn reads_alike(text: &str) -> bool {
    let (mut quoted, mut before) = (false, b' ');
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' => {
                bytes.next();
            }
            b'"' if quoted => quoted = false,
            b'"' if matches!(before, b' ' | b'=' | b',') => quoted = true,
            b'"' | b'(' | b')' | b';' | b'\n' if !quoted => return false,
            _ => {}
        }
        before = byte;
    }
    !quoted && !text.starts_with('@')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(rtype: Rtype, data: &[u8]) -> String {
        let mut text = String::new();
        write_record("a.", rtype, 5, data, &mut text);
        text
    }

    #[test]
    fn lines() {
        assert_eq!(line(Rtype::A, &[192, 0, 2, 1]), "a. 5 IN A 192.0.2.1\n");
        assert_eq!(line(Rtype::MX, b"\0\x28\x01b\0"), "a. 5 IN MX 40 b.\n");
        assert_eq!(line(Rtype::NS, b"\x02(;\0"), "a. 5 IN NS \\# 4 02283b00\n");
        assert_eq!(line(Rtype::TXT, b"\x02(\""), "a. 5 IN TXT \"(\\\"\"\n");
        let unknown = Rtype::from_int(65280);
        assert_eq!(line(unknown, &[1, 2]), "a. 5 IN TYPE65280 \\# 2 01 02\n");
        // Cut off.
        assert_eq!(line(Rtype::A, &[1]), "a. 5 IN A \\# 1 01\n");
        let rrsig = b"\0\x01\x0d\x01\0\0\0\x05\0\0\0\x02\0\0\0\x01\0\x07\x01z\0\xff\xff";
        assert_eq!(
            line(Rtype::RRSIG, rrsig),
            "a. 5 IN RRSIG A 13 1 5 19700101000002 19700101000001 7 z. //8=\n"
        );
    }
}
