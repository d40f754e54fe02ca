// Cox-Rower for a P of 384 bits.
// Written by sunzi-hardware-constants; not to be edited.
module cox_rower_384_w20_kbe_s1 (
    input  wire clk,
    input  wire reset,
    input  wire in_valid,
    output wire in_ready,
    output wire out_valid,
    input  wire out_ready,
    input  wire [799:0] x,
    input  wire [799:0] y,
    output wire [799:0] s
);
// Number of moduli in each base.
localparam integer N = 20;

// Width of a channel, in bits.
localparam integer W = 20;

// Moduli of each base that a rower serves.
localparam integer SHARE = 1;

// Moduli in a row; 1 for Kawamura's extension.
localparam integer COLUMNS = 1;

// t, the bits that the Cox keeps.
localparam integer KEPT = 6;

// Width of the largest k = 2^W - m.
localparam integer K_BITS = 9;

// Folds of a product.
localparam integer FOLDS = 2;

// Folds of a row sum.
localparam integer BUS_FOLDS = 2;

// k of every modulus, K_BITS each: rower by rower, base A then B.
localparam [359:0] K_TABLE =
    360'h80bd5dee970b6daed162b0d7ab956a7d329549a3d02773a9a4c65d26914823b1c8bc4e210e86c220f048140601;

// Words of the memory of each rower.
localparam integer FACTORS = 43;

// Width of its address.
localparam integer FACTOR_BITS = 6;

// The memories, rower by rower.
localparam [17199:0] FACTOR_TABLE =
    17200'h8d60de51fcab1d0c76399c9c5aaccfbdb870ef16aab9efa23f9ab4eae331e38f74be367f1d49947be9ddf7f43bf8c06212db4ed8b707bc383de30fdd1c1efd3a8fbd5f480af27e3f8baf49364ac4c3b7a44a34df89a1ee4915d7184ea20934ca4a3a3cb3d538c6525cce03b702d3c0c35af5b5150f60a87b089d9d31295e519bcecdaafe114eb53ff32c74f31489c4223c8b2926b3f281ba00f675b178507a5fed02212eef1f4636a29d99d1fc92b647cdd78b3a112e0da7f41f687e12a53fe6a3c59d08970146e39d7b3750d5cbed29b5534a54972c36b04950236bb2028f4e0e5b0f2a927c4cef31e5a69bcc0e3042d75d32a49fed9c4c3d3db6ff471821431f1191f4182a4893f745590af89ab6e620c147a47ee359aea82d246e6c65fc164c3dc1d998d5fb2373631af58508e428ce385d917a242c38b7ba607970c8872bd2ce5d5847bc0ef80a77ac71ea9ba065d608de45db30d41e0419758856ba128400f6e06375dffe0adec32b5f2a0a9ba0a2f0da9f472adb6950daf86b95ffbf143ae1f2a96a1c99d2d15eee941446f0f34059796543538b35808588972b925fe1871e35a53a1536d9f3e7999583f9e4f67d9ebec82c7ac48cbb20a16f114c0fe9589362d99195aada570b166b7ef94830108689b6d2b891c42e9b8008ff2d8ad42d337e61b6dd7df81c20989276c602676142e1e119d85c19ba99b9950412334e469ac83580c26fc1653492265f41e1d467304f756eaec003c961a21ccd7aa623a7d84a19cca8d66b16329fc5288b37fd953a1208e45b37f9937289e4d314a2de07d7dc2d870f8c6ba3905c317b405077694f2eeb859e14e499cb1993db146ea8f4d19dfebbf94b74fdea65b38515c7ad9007ebf665f8fa42099909e776d0e26fec4d3cdbf21b3e3a7c0930354efa56464216a0ecbeb35ed987f6c7495e756b12fcaeeb628b25b68db3992e57260ee76fb9481dfb161bd8bd51839365de3abc8d5e726ca2fa065750b908d0545244375009095d26fc194be75e7747a34bab320e748f5466d8ed30c0bc6b018e9fe5c8b3fe0841da39f8271bcc80f39397ab0e07272eaec3ea265aa9d162a253771eb2f2bfbab2a7df2a1ee041c4d919bae3cd37fb2cf81b217c9151c11d31896ba5d24dd7ec627c20fa4ce7f11f67f093cb7bdbf2fe51d90a803575a72a597edce603d5798c3601a4f87575b7f49b574f119ade21de4cb3d336a6ec3cf14e2c7ee857ca4dc08e9c0107ba5f8e59a5ee6029371431cc1e7eb0e586f4b47f926642a2389ac97e867d7ba6b38c196eca0d52d8a0f8366e1484d75b90ec3724827dc652cff7024b28d192fa0d1cabfa19dcbfcd469ec4133146e2fcbefcefa714732d381b998c3e45ca230e849e29debf257a44f565834df58545dc58b1b6160d8641e14be3a0eb60660d26466f3e7859c9abc532bea7386f71f7e6d8939518eda94e57df98464350404fec500f2dd52b54d2524289d6d3b14046a8f31c00ca9f32c4f072503815153eaaa156afc6d510779772aa5653517d055711e8ca6a2e23d0c480976f1cd053bab6d28edaff384682a4336a69c76a3aca0942e98024c725d7c1bfad3ad81e97d7a9f49b1a720931cbc86f931c09221249109a484ab4493fbc4ba72528aeffe3fdefd583da20f9a9b8452ed9f20a659a2f43ec3672a3606bcfd932ca2ee62aaaa6a37fa233f763fdd8c20cbd374f1805805590048318ebefd126fb66887b385ce48012e7988938d215816b8895a45d1277d16296d359137677b8ae2474bbdb0a3644939be7a1dc0870991a9a60ff1496cd8563b7170acd2df899032758382e70511b85c0c4ab845433620fb0704189569eb89312acb86058f36c8510dced0fdb1baf74f0e7665e9a277cdb4928ed9dd4eca3c4462c5d4ff57235a57fceab5078c58a4a44e6f67582f60fa0a652afd319cb2d764b75b22885554aacc977160bc1fd601c7380db240e45ebd578e341c1ccf83c5cf3b96e7c041bea615f7907da2d18f858ae943f43864b9e8dd11e79567eb0941b01cb3acb4ecd89d91e08fed6280e947e67634465e173b27da229506b1162a0db1777da545c3c26ebe8c44b3fce0e77de2813937a257f4dd09b8942d7553a386079bc54d2cb60acd9c34266e64af71b1104bc9d1b86057346b4e3630d051aaa2eeab4102fab71c9a1ee265d94f81e69784f1f7c8e57aadc16f75585d78b442687ea048df16bb5174601e0fc28150783f0d1812d615dc3dcf9cb0c4b5a3f7eda7882c5febbcedb9f1a7d49e24ef4428be38ff2444ddf74f756b2084bb670de8a5d9c2fb8102141a49ba317a2f7e8bfd22dd3c8b5c85ce837d8dcad747bf2e249be6057d6602aaa3d66fc401084fb4ec9ff5c198c63d835cebd034213c631daf7ca1b59865acc3ad64e01ee001ba048a08087cc9ca56c6ed37fa9383ba65b7722a415ad2117f781ac3dd431c7e5a7c1f13603ca499319b0faaba7445ec04ed0b183b0da2c43674665173bceb5eb2d3c2e8b3480f19829cb6988c5cfe7f6225d166bf133b2e72517341744fd171b2e85fa2f251747322e968ba2b5be6ed57e190ea4dc8f295ee5c3d3b994e21ee26dab7d8b1d1b45872f23aad276f6d442d62b0f519eda975fe9bc8fe37ef8080576402bbd266250876c6c75b8acb7fa0a55e4248b7eb3c728b1860ba0386d47d0a49f19629c2b022e09fd9fffb8cdf8e1f2391005ed8047229d47558e6cdc5e0c5ef2ad4b33ba44213bbbe80e4a8d52b1d0174d2f9a68efd3dcc0cd0349fd0bee7ab507f6f409ddd13bba3b32e8999fac64beb8c2ef05f877e10177e56e95a4938574a54b3d687ebfd41f5d863fd2bb75a3a105df88e76a619178217486465b695bdb4a9754f691fa2b9722e7bd766395a6d05996616975525df8a41e9ff07472e45b3be232cc3483d3e5c8a98e55907a631cab9722b2e457b915cb8d9d671d41a2114d99bd01fd774ce729a4305eb2226161c89d71e2b3639ed70dcf6b67475837214c852dba67974cf5bcdc443239a99cbcdbf1;

// Words of the memory of each rower.
localparam integer ADDENDS = 3;

// Width of its address.
localparam integer ADDEND_BITS = 2;

// The memories, rower by rower.
localparam [1199:0] ADDEND_TABLE =
    1200'ha0e5ab9d2a0000084ce28e577000002c45cb7775000000adf85819a00000764d7273370000059cef9ae5d000006e31c17f3800000bb222c5dd800000370af2909a000009639fd7c69000003641d263f500000f3319542d800000c31812f868000001787e695d700000a5e66a305d0000074893be61900000bd808ba17c00000fdf00b8dcf00000eccb825a7900000722b979b8b00000;

    cox_rower #(
        .N(N),
        .W(W),
        .SHARE(SHARE),
        .COLUMNS(COLUMNS),
        .KEPT(KEPT),
        .K_BITS(K_BITS),
        .FOLDS(FOLDS),
        .BUS_FOLDS(BUS_FOLDS),
        .K_TABLE(K_TABLE),
        .FACTORS(FACTORS),
        .FACTOR_BITS(FACTOR_BITS),
        .FACTOR_TABLE(FACTOR_TABLE),
        .ADDENDS(ADDENDS),
        .ADDEND_BITS(ADDEND_BITS),
        .ADDEND_TABLE(ADDEND_TABLE)
    ) core (
        .clk(clk),
        .reset(reset),
        .in_valid(in_valid),
        .in_ready(in_ready),
        .out_valid(out_valid),
        .out_ready(out_ready),
        .x(x),
        .y(y),
        .s(s)
    );
endmodule
