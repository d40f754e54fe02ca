#!/usr/bin/env python3
"""Writes a zone with all that signers must tell apart, for tests and measurements: the same at every run.

Hosts, delegations with glue, with DS records and without, wildcards, aliases, names below empty non-terminals, a set of
many records, a DNAME record, and names with special characters.
"""

import argparse
import hashlib
import sys

HEAD = """$TTL 3600
{zone} 3600 IN SOA ns.{zone} hostmaster.{zone} ( 2026010100
    7200 3600 1209600 ; refresh, retry, expire
    1800 )
{zone} IN NS ns.{zone}
{zone} IN NS Ns.Elsewhere.Test.
{zone} IN MX 10 mail.{zone}
{zone} IN TXT "v=spf1 -all" "two (strings); here"
{zone} IN CAA 0 issue "ca.test"
ns.{zone} IN A 192.0.2.53
mail.{zone} IN A 192.0.2.25
mail.{zone} IN SSHFP 4 2 123456789abcdef67890123456789abcdef67890123456789abcdef123456789
_443._tcp.mail.{zone} IN TLSA 3 1 1 d2abde240d7cd3ee6b4b28c54df034b97983a1d16e8a410e4561cb106618e971
_sip._udp.{zone} IN SRV 5 10 5060 Mail.{zone}
phone.{zone} IN NAPTR 100 50 "s" "SIP+D2U" "" _sip._udp.{zone}
web.{zone} IN HTTPS 1 . alpn=h2
a\\.b.{zone} IN TXT "a label with a dot"
\\000\\001x.{zone} IN TXT "a label with a zero"
x\\(y.{zone} IN CNAME d\\;\\@\\$.{zone}
d\\;\\@\\$.{zone} IN TXT "\\"quoted\\" \\\\ and \\200"
new.{zone} IN TYPE65280 \\# 3 abcdef
moved.{zone} IN DNAME elsewhere.test.
"""

# Shapes of the names, taken in turns.
HOST = """h{k}.{zone} IN A 198.51.{high}.{low}
h{k}.{zone} IN AAAA 2001:db8::{high:x}:{low:x}
"""
INSECURE = """d{k}.{zone} IN NS ns1.d{k}.{zone}
d{k}.{zone} IN NS ns.other.test.
ns1.d{k}.{zone} IN A 203.0.113.{low}
"""
SECURE = """s{k}.{zone} IN NS ns.other.test.
s{k}.{zone} IN DS {tag} 13 2 {digest}
"""
WILDCARD = """*.w{k}.{zone} IN TXT "any of {k}"
*.w{k}.{zone} IN MX 20 mail.{zone}
"""
DEEP = """a.b.c{k}.{zone} IN A 198.51.{high}.{low}
"""
ALIAS = """c{k}.{zone} IN CNAME h{k}.{zone}
"""
SHAPES = [HOST, INSECURE, HOST, SECURE, ALIAS, HOST, INSECURE, DEEP, WILDCARD, HOST]


def write(zone: str, names: int, large: int, output) -> None:
    output.write(HEAD.format(zone=zone))
    for k in range(large):
        output.write(f"large.{zone} IN A 198.18.{k // 256}.{k % 256}\n")
    for k in range(names):
        digest = hashlib.sha256(str(k).encode()).hexdigest()
        # In no order.
        number = int(digest[:7], 16) * 16 + k % 16
        shape = SHAPES[k % len(SHAPES)]
        low, high = k % 256, k // 256 % 256
        output.write(shape.format(k=number, zone=zone, low=low, high=high, tag=k % 65_536, digest=digest))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("names", type=int, help="number of names besides some twenty of all kinds")
    parser.add_argument("--zone", default="example.")
    parser.add_argument("--large", type=int, default=300, help="records in the large set")
    arguments = parser.parse_args()
    write(arguments.zone, arguments.names, arguments.large, sys.stdout)


if __name__ == "__main__":
    main()
