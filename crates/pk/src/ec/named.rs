//! The parameters of named curves: FIPS 186-5 and SP 800-186 (P-...), SEC 2 (secp...), RFC 5639
//! (brainpool...), GB/T 32918.5 (SM2). All have the cofactor 1. Pairing-friendly curves are in
//! [`pairing`](super::pairing). Numbers are in hexadecimal.

/// A named curve `y^2 = x^3 + a x + b` modulo p with the base point (x, y).
pub(super) struct Named {
    pub(super) name: &'static str,
    pub(super) other_names: &'static [&'static str],
    /// The object identifier.
    pub(super) oid: Option<&'static str>,
    pub(super) p: &'static str,
    pub(super) a: &'static str,
    pub(super) b: &'static str,
    pub(super) x: &'static str,
    pub(super) y: &'static str,
    /// The prime order of the base point.
    pub(super) order: &'static str,
}

/// All named curves.
pub(super) const NAMED: &[Named] = &[
    Named {
        name: "P-192",
        other_names: &["secp192r1", "prime192v1"],
        oid: Some("1.2.840.10045.3.1.1"),
        p: "fffffffffffffffffffffffffffffffeffffffffffffffff",
        a: "fffffffffffffffffffffffffffffffefffffffffffffffc",
        b: "64210519e59c80e70fa7e9ab72243049feb8deecc146b9b1",
        x: "188da80eb03090f67cbf20eb43a18800f4ff0afd82ff1012",
        y: "07192b95ffc8da78631011ed6b24cdd573f977a11e794811",
        order: "ffffffffffffffffffffffff99def836146bc9b1b4d22831",
    },
    Named {
        name: "P-224",
        other_names: &["secp224r1"],
        oid: Some("1.3.132.0.33"),
        p: "ffffffffffffffffffffffffffffffff000000000000000000000001",
        a: "fffffffffffffffffffffffffffffffefffffffffffffffffffffffe",
        b: "b4050a850c04b3abf54132565044b0b7d7bfd8ba270b39432355ffb4",
        x: "b70e0cbd6bb4bf7f321390b94a03c1d356c21122343280d6115c1d21",
        y: "bd376388b5f723fb4c22dfe6cd4375a05a07476444d5819985007e34",
        order: "ffffffffffffffffffffffffffff16a2e0b8f03e13dd29455c5c2a3d",
    },
    Named {
        name: "P-256",
        other_names: &["secp256r1", "prime256v1"],
        oid: Some("1.2.840.10045.3.1.7"),
        p: "ffffffff00000001000000000000000000000000ffffffffffffffffffffffff",
        a: "ffffffff00000001000000000000000000000000fffffffffffffffffffffffc",
        b: "5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604b",
        x: "6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296",
        y: "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5",
        order: "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551",
    },
    Named {
        name: "P-384",
        other_names: &["secp384r1"],
        oid: Some("1.3.132.0.34"),
        p: "fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffeffffffff0000\
            000000000000ffffffff",
        a: "fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffeffffffff0000\
            000000000000fffffffc",
        b: "b3312fa7e23ee7e4988e056be3f82d19181d9c6efe8141120314088f5013875ac656398d8a2e\
            d19d2a85c8edd3ec2aef",
        x: "aa87ca22be8b05378eb1c71ef320ad746e1d3b628ba79b9859f741e082542a385502f25dbf55\
            296c3a545e3872760ab7",
        y: "3617de4a96262c6f5d9e98bf9292dc29f8f41dbd289a147ce9da3113b5f0b8c00a60b1ce1d7e\
            819d7a431d7c90ea0e5f",
        order: "ffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0\
            a77aecec196accc52973",
    },
    Named {
        name: "P-521",
        other_names: &["secp521r1"],
        oid: Some("1.3.132.0.35"),
        p: "01ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff\
            ffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
        a: "01ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff\
            fffffffffffffffffffffffffffffffffffffffffffffffffffffffc",
        b: "0051953eb9618e1c9a1f929a21a0b68540eea2da725b99b315f3b8b489918ef109e156193951\
            ec7e937b1652c0bd3bb1bf073573df883d2c34f1ef451fd46b503f00",
        x: "00c6858e06b70404e9cd9e3ecb662395b4429c648139053fb521f828af606b4d3dbaa14b5e77\
            efe75928fe1dc127a2ffa8de3348b3c1856a429bf97e7e31c2e5bd66",
        y: "011839296a789a3bc0045c8a5fb42c7d1bd998f54449579b446817afbd17273e662c97ee7299\
            5ef42640c550b9013fad0761353c7086a272c24088be94769fd16650",
        order: "01fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffa51868783\
            bf2f966b7fcc0148f709a5d03bb5c9b8899c47aebb6fb71e91386409",
    },
    Named {
        name: "secp160k1",
        other_names: &[],
        oid: Some("1.3.132.0.9"),
        p: "fffffffffffffffffffffffffffffffeffffac73",
        a: "0000000000000000000000000000000000000000",
        b: "0000000000000000000000000000000000000007",
        x: "3b4c382ce37aa192a4019e763036f4f5dd4d7ebb",
        y: "938cf935318fdced6bc28286531733c3f03c4fee",
        order: "0100000000000000000001b8fa16dfab9aca16b6b3",
    },
    Named {
        name: "secp160r1",
        other_names: &[],
        oid: Some("1.3.132.0.8"),
        p: "ffffffffffffffffffffffffffffffff7fffffff",
        a: "ffffffffffffffffffffffffffffffff7ffffffc",
        b: "1c97befc54bd7a8b65acf89f81d4d4adc565fa45",
        x: "4a96b5688ef573284664698968c38bb913cbfc82",
        y: "23a628553168947d59dcc912042351377ac5fb32",
        order: "0100000000000000000001f4c8f927aed3ca752257",
    },
    Named {
        name: "secp160r2",
        other_names: &[],
        oid: Some("1.3.132.0.30"),
        p: "fffffffffffffffffffffffffffffffeffffac73",
        a: "fffffffffffffffffffffffffffffffeffffac70",
        b: "b4e134d3fb59eb8bab57274904664d5af50388ba",
        x: "52dcb034293a117e1f4ff11b30f7199d3144ce6d",
        y: "feaffef2e331f296e071fa0df9982cfea7d43f2e",
        order: "0100000000000000000000351ee786a818f3a1a16b",
    },
    Named {
        name: "secp192k1",
        other_names: &[],
        oid: Some("1.3.132.0.31"),
        p: "fffffffffffffffffffffffffffffffffffffffeffffee37",
        a: "000000000000000000000000000000000000000000000000",
        b: "000000000000000000000000000000000000000000000003",
        x: "db4ff10ec057e9ae26b07d0280b7f4341da5d1b1eae06c7d",
        y: "9b2f2f6d9c5628a7844163d015be86344082aa88d95e2f9d",
        order: "fffffffffffffffffffffffe26f2fc170f69466a74defd8d",
    },
    Named {
        name: "secp224k1",
        other_names: &[],
        oid: Some("1.3.132.0.32"),
        p: "fffffffffffffffffffffffffffffffffffffffffffffffeffffe56d",
        a: "00000000000000000000000000000000000000000000000000000000",
        b: "00000000000000000000000000000000000000000000000000000005",
        x: "a1455b334df099df30fc28a169a467e9e47075a90f7e650eb6b7a45c",
        y: "7e089fed7fba344282cafbd6f7e319f7c0b0bd59e2ca4bdb556d61a5",
        order: "010000000000000000000000000001dce8d2ec6184caf0a971769fb1f7",
    },
    Named {
        name: "secp256k1",
        other_names: &[],
        oid: Some("1.3.132.0.10"),
        p: "fffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f",
        a: "0000000000000000000000000000000000000000000000000000000000000000",
        b: "0000000000000000000000000000000000000000000000000000000000000007",
        x: "79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798",
        y: "483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8",
        order: "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141",
    },
    Named {
        name: "brainpoolP224r1",
        other_names: &[],
        oid: Some("1.3.36.3.3.2.8.1.1.5"),
        p: "d7c134aa264366862a18302575d1d787b09f075797da89f57ec8c0ff",
        a: "68a5e62ca9ce6c1c299803a6c1530b514e182ad8b0042a59cad29f43",
        b: "2580f63ccfe44138870713b1a92369e33e2135d266dbb372386c400b",
        x: "0d9029ad2c7e5cf4340823b2a87dc68c9e4ce3174c1e6efdee12c07d",
        y: "58aa56f772c0726f24c6b89e4ecdac24354b9e99caa3f6d3761402cd",
        order: "d7c134aa264366862a18302575d0fb98d116bc4b6ddebca3a5a7939f",
    },
    Named {
        name: "brainpoolP224t1",
        other_names: &[],
        oid: Some("1.3.36.3.3.2.8.1.1.6"),
        p: "d7c134aa264366862a18302575d1d787b09f075797da89f57ec8c0ff",
        a: "d7c134aa264366862a18302575d1d787b09f075797da89f57ec8c0fc",
        b: "4b337d934104cd7bef271bf60ced1ed20da14c08b3bb64f18a60888d",
        x: "6ab1e344ce25ff3896424e7ffe14762ecb49f8928ac0c76029b4d580",
        y: "0374e9f5143e568cd23f3f4d7c0d4b1e41c8cc0d1c6abd5f1a46db4c",
        order: "d7c134aa264366862a18302575d0fb98d116bc4b6ddebca3a5a7939f",
    },
    Named {
        name: "brainpoolP256r1",
        other_names: &[],
        oid: Some("1.3.36.3.3.2.8.1.1.7"),
        p: "a9fb57dba1eea9bc3e660a909d838d726e3bf623d52620282013481d1f6e5377",
        a: "7d5a0975fc2c3057eef67530417affe7fb8055c126dc5c6ce94a4b44f330b5d9",
        b: "26dc5c6ce94a4b44f330b5d9bbd77cbf958416295cf7e1ce6bccdc18ff8c07b6",
        x: "8bd2aeb9cb7e57cb2c4b482ffc81b7afb9de27e1e3bd23c23a4453bd9ace3262",
        y: "547ef835c3dac4fd97f8461a14611dc9c27745132ded8e545c1d54c72f046997",
        order: "a9fb57dba1eea9bc3e660a909d838d718c397aa3b561a6f7901e0e82974856a7",
    },
    Named {
        name: "brainpoolP256t1",
        other_names: &[],
        oid: Some("1.3.36.3.3.2.8.1.1.8"),
        p: "a9fb57dba1eea9bc3e660a909d838d726e3bf623d52620282013481d1f6e5377",
        a: "a9fb57dba1eea9bc3e660a909d838d726e3bf623d52620282013481d1f6e5374",
        b: "662c61c430d84ea4fe66a7733d0b76b7bf93ebc4af2f49256ae58101fee92b04",
        x: "a3e8eb3cc1cfe7b7732213b23a656149afa142c47aafbc2b79a191562e1305f4",
        y: "2d996c823439c56d7f7b22e14644417e69bcb6de39d027001dabe8f35b25c9be",
        order: "a9fb57dba1eea9bc3e660a909d838d718c397aa3b561a6f7901e0e82974856a7",
    },
    Named {
        name: "brainpoolP320r1",
        other_names: &[],
        oid: Some("1.3.36.3.3.2.8.1.1.9"),
        p: "d35e472036bc4fb7e13c785ed201e065f98fcfa6f6f40def4f92b9ec7893ec28fcd412b1f1b32e27",
        a: "3ee30b568fbab0f883ccebd46d3f3bb8a2a73513f5eb79da66190eb085ffa9f492f375a97d860eb4",
        b: "520883949dfdbc42d3ad198640688a6fe13f41349554b49acc31dccd884539816f5eb4ac8fb1f1a6",
        x: "43bd7e9afb53d8b85289bcc48ee5bfe6f20137d10a087eb6e7871e2a10a599c710af8d0d39e20611",
        y: "14fdd05545ec1cc8ab4093247f77275e0743ffed117182eaa9c77877aaac6ac7d35245d1692e8ee1",
        order: "d35e472036bc4fb7e13c785ed201e065f98fcfa5b68f12a32d482ec7ee8658e98691555b44c59311",
    },
    Named {
        name: "brainpoolP320t1",
        other_names: &[],
        oid: Some("1.3.36.3.3.2.8.1.1.10"),
        p: "d35e472036bc4fb7e13c785ed201e065f98fcfa6f6f40def4f92b9ec7893ec28fcd412b1f1b32e27",
        a: "d35e472036bc4fb7e13c785ed201e065f98fcfa6f6f40def4f92b9ec7893ec28fcd412b1f1b32e24",
        b: "a7f561e038eb1ed560b3d147db782013064c19f27ed27c6780aaf77fb8a547ceb5b4fef422340353",
        x: "925be9fb01afc6fb4d3e7d4990010f813408ab106c4f09cb7ee07868cc136fff3357f624a21bed52",
        y: "63ba3a7a27483ebf6671dbef7abb30ebee084e58a0b077ad42a5a0989d1ee71b1b9bc0455fb0d2c3",
        order: "d35e472036bc4fb7e13c785ed201e065f98fcfa5b68f12a32d482ec7ee8658e98691555b44c59311",
    },
    Named {
        name: "brainpoolP384r1",
        other_names: &[],
        oid: Some("1.3.36.3.3.2.8.1.1.11"),
        p: "8cb91e82a3386d280f5d6f7e50e641df152f7109ed5456b412b1da197fb71123acd3a729901d\
            1a71874700133107ec53",
        a: "7bc382c63d8c150c3c72080ace05afa0c2bea28e4fb22787139165efba91f90f8aa5814a503a\
            d4eb04a8c7dd22ce2826",
        b: "04a8c7dd22ce28268b39b55416f0447c2fb77de107dcd2a62e880ea53eeb62d57cb4390295db\
            c9943ab78696fa504c11",
        x: "1d1c64f068cf45ffa2a63a81b7c13f6b8847a3e77ef14fe3db7fcafe0cbd10e8e826e03436d6\
            46aaef87b2e247d4af1e",
        y: "8abe1d7520f9c2a45cb1eb8e95cfd55262b70b29feec5864e19c054ff99129280e4646217791\
            811142820341263c5315",
        order: "8cb91e82a3386d280f5d6f7e50e641df152f7109ed5456b31f166e6cac0425a7cf3ab6af6b7f\
            c3103b883202e9046565",
    },
    Named {
        name: "brainpoolP384t1",
        other_names: &[],
        oid: Some("1.3.36.3.3.2.8.1.1.12"),
        p: "8cb91e82a3386d280f5d6f7e50e641df152f7109ed5456b412b1da197fb71123acd3a729901d\
            1a71874700133107ec53",
        a: "8cb91e82a3386d280f5d6f7e50e641df152f7109ed5456b412b1da197fb71123acd3a729901d\
            1a71874700133107ec50",
        b: "7f519eada7bda81bd826dba647910f8c4b9346ed8ccdc64e4b1abd11756dce1d2074aa263b88\
            805ced70355a33b471ee",
        x: "18de98b02db9a306f2afcd7235f72a819b80ab12ebd653172476fecd462aabffc4ff191b946a\
            5f54d8d0aa2f418808cc",
        y: "25ab056962d30651a114afd2755ad336747f93475b7a1fca3b88f2b6a208ccfe469408584dc2\
            b2912675bf5b9e582928",
        order: "8cb91e82a3386d280f5d6f7e50e641df152f7109ed5456b31f166e6cac0425a7cf3ab6af6b7f\
            c3103b883202e9046565",
    },
    Named {
        name: "brainpoolP512r1",
        other_names: &[],
        oid: Some("1.3.36.3.3.2.8.1.1.13"),
        p: "aadd9db8dbe9c48b3fd4e6ae33c9fc07cb308db3b3c9d20ed6639cca703308717d4d9b009bc6\
            6842aecda12ae6a380e62881ff2f2d82c68528aa6056583a48f3",
        a: "7830a3318b603b89e2327145ac234cc594cbdd8d3df91610a83441caea9863bc2ded5d5aa825\
            3aa10a2ef1c98b9ac8b57f1117a72bf2c7b9e7c1ac4d77fc94ca",
        b: "3df91610a83441caea9863bc2ded5d5aa8253aa10a2ef1c98b9ac8b57f1117a72bf2c7b9e7c1\
            ac4d77fc94cadc083e67984050b75ebae5dd2809bd638016f723",
        x: "81aee4bdd82ed9645a21322e9c4c6a9385ed9f70b5d916c1b43b62eef4d0098eff3b1f78e2d0\
            d48d50d1687b93b97d5f7c6d5047406a5e688b352209bcb9f822",
        y: "7dde385d566332ecc0eabfa9cf7822fdf209f70024a57b1aa000c55b881f8111b2dcde494a5f\
            485e5bca4bd88a2763aed1ca2b2fa8f0540678cd1e0f3ad80892",
        order: "aadd9db8dbe9c48b3fd4e6ae33c9fc07cb308db3b3c9d20ed6639cca70330870553e5c414ca9\
            2619418661197fac10471db1d381085ddaddb58796829ca90069",
    },
    Named {
        name: "brainpoolP512t1",
        other_names: &[],
        oid: Some("1.3.36.3.3.2.8.1.1.14"),
        p: "aadd9db8dbe9c48b3fd4e6ae33c9fc07cb308db3b3c9d20ed6639cca703308717d4d9b009bc6\
            6842aecda12ae6a380e62881ff2f2d82c68528aa6056583a48f3",
        a: "aadd9db8dbe9c48b3fd4e6ae33c9fc07cb308db3b3c9d20ed6639cca703308717d4d9b009bc6\
            6842aecda12ae6a380e62881ff2f2d82c68528aa6056583a48f0",
        b: "7cbbbcf9441cfab76e1890e46884eae321f70c0bcb4981527897504bec3e36a62bcdfa230497\
            6540f6450085f2dae145c22553b465763689180ea2571867423e",
        x: "640ece5c12788717b9c1ba06cbc2a6feba85842458c56dde9db1758d39c0313d82ba51735cdb\
            3ea499aa77a7d6943a64f7a3f25fe26f06b51baa2696fa9035da",
        y: "5b534bd595f5af0fa2c892376c84ace1bb4e3019b71634c01131159cae03cee9d9932184beef\
            216bd71df2dadf86a627306ecff96dbb8bace198b61e00f8b332",
        order: "aadd9db8dbe9c48b3fd4e6ae33c9fc07cb308db3b3c9d20ed6639cca70330870553e5c414ca9\
            2619418661197fac10471db1d381085ddaddb58796829ca90069",
    },
    Named {
        name: "SM2",
        other_names: &[],
        oid: Some("1.2.156.10197.1.301"),
        p: "fffffffeffffffffffffffffffffffffffffffff00000000ffffffffffffffff",
        a: "fffffffeffffffffffffffffffffffffffffffff00000000fffffffffffffffc",
        b: "28e9fa9e9d9f5e344d5a9e4bcf6509a7f39789f515ab8f92ddbcbd414d940e93",
        x: "32c4ae2c1f1981195f9904466a39c9948fe30bbff2660be1715a4589334c74c7",
        y: "bc3736a2f4f6779c59bdcee36b692153d0a9877cc62a474002df32e52139f0a0",
        order: "fffffffeffffffffffffffffffffffff7203df6b21c6052b53bbf40939d54123",
    },
];
