// Cox-Rower for a P of 384 bits.
// Written by sunzi-hardware-constants; not to be edited.
module cox_rower_384_w20_hbe2_s1 (
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
localparam integer COLUMNS = 2;

// t, the bits that the Cox keeps.
localparam integer KEPT = 5;

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
localparam integer FACTORS = 25;

// Width of its address.
localparam integer FACTOR_BITS = 5;

// The memories, rower by rower.
localparam [9999:0] FACTOR_TABLE =
    10000'hfff11fff1742384b054abe2e715893d0df29b533cc983d3d4708e23a3e624ed8b2f57d9ba641bd29ccfe53ad91f89961132a1aedab1cf6b39896525cce03bffefffff0bc2970c29704039a9f675aba0028444a432aa6927d369a8f9e207a5fd2211c543be19cd7b14ccce581a82bb383a116f9d8a764c2244a54972c36fff29fff2fd0bd82c80a36398f57a7515bed0af518cf967653437c9c271145590aa04470bb25aebcb00da7c181737881142713026be3e4008d58872bd2ce5fff1ffff2556bb115374087c86283c74002e9e4d8e4d13ab7a0e474dd35972adbcf70543a86a119ac05a34c31a4e26a991ea57f10ffcbaf3101e7999583f9fff43fff478096f82c3e748166f814f5d0e2ceeeaa4c90fa102354532b442d3379605f4a81133b0a9b99336fc32d12338685fb81f7d5a37db94eaec003c96fff3bfff3d843bcc0f53d8c1dbb110ac518ee79ec13e3cbb2fbf30fb3b2a17b404f9c780ffa666fd407fdfe8df3bdff6767c0b893f2aeab64e1ec4d3cdbf2fff67fff6ba2d5becd145b82b4a719f71f86c6f6eb39c528d16c41f1f5dfbd5181ce8808a427c0290605ef7ba28f6841e38fe7b21425a1e837ce9fe5c8b3ffff53fff61393af5efac51c1f635ea54e8bfbaff09b4021b8e403498aeae81b21080aabf1668d8be083e980e7bdba1f9559fa5a2c7684f399c375b7f49b57fff7ffff89172c55ce645af79c8529058dc9d3ec22f18f65085ac9e04916389ac57860d4f34e0c9cbe436bb093357a22b9fddc42ae835144136146e2fcbeffff6dfff71fc1cf05cbcd8243055b0f734fc29f3969ac7f7da6775a3b2fc859c90aa79b5ac140b2184514ed65eea178809a7cebe741bc1e78e07250381515fff9dfffa3f40b9dfea581ab60d64de2359a0bcd186802511fdba500476f42e98e7adbfce29d3217aa6dc21b8e1b6b77e68b61768b88eb08cdd9a9b8452edfff8bfff97ca4a112fadecbfe29eb4e5e982016053732e5e9887accf1f61b385ca47cfd72b201b9eb2d059bd121ec7b3f12176b703b3d6248f163b7170acdfffbffffc588c183e83da1e4bd0b2541525144ec6e170513b0d2f82aa4877cdb4e9b5cc064a89de977a872d6ab690772a5561294b768fda2c9560bc1fd601fffb3fffbba98ceb4ae02ce39009e78bdfc7367792bca25cf472f8ccd542b3acb2419a770a9696c3d10f586785cec014f0d6675dc46ad5dc4ad4dd09b8942fffd9fffdf82df637a76988d455f802e9eabd6a08195555452819552e2351e69780b1356c46e14c289fcb354ed547e6c3dcf939451c1c49fd8f5febbcedb9fffc7fffd1fb17409f01b627547de7d35fe656cbdf5d6c0f66322d78cfd4cad7407474e5d3205d8f89276199b63e5d3c97d1a94b2e3c66000d048a08087ccfffefffff12851119315e6254357b505d73d22365e36bc69460979a5026e674660ae5026d3e1196ccb45d2c183c1025529db0ba328ba2ba5d055be6ed57e1fffe3fffe5df599fb6828f4d003faf32110df7592d2bfeb6d61b807e0068d266260cf985b3e9aea39daa7258853d40fbf5380025ffc707805e59d47558e6cffffdfffffc85b424f710c575db2bcf36c857521aee0b38a043f2d71d997ac64bea60027009783b84e012677daab230220903a10494fbc76d28754f691fa2ffff7ffffb28184f98a785fe1867cd1601ff8f0fb2df02b2264ce3568dd4b8d9d7114f2625c9a11c016c185c70fb2963c4bc75a0f05ccb5e6e2a99cbcdbf1;

// Words of the memory of each rower.
localparam integer ADDENDS = 5;

// Width of its address.
localparam integer ADDEND_BITS = 3;

// The memories, rower by rower.
localparam [1999:0] ADDEND_TABLE =
    2000'h41da9a0e5a73b55b9d2a0000009aad84ce21cbdd8e57700000588b82c45c6efcbb77750000015bf00adf8b03345819a00000ec9ae764d74e66e2733700000b39de59cef35d779ae5d00000dc6386e31c2fe7017f3800000764d9bb2228bc49c5dd8000006e15e370af521342909a000002c7b59639faf953d7c69000006c83a3641d4c7ea263f500000e668ff3319a85b0542d80000086347c31815f0d02f868000002f0fc1787ed2bae695d7000004bcfba5e66460f3a305d00000e9126748937cc59be619000007b02bbd80874315ba17c00000fbe0ffdf0071bafb8dcf00000d9975eccb84b4f225a7900000e4572722b9f371679b8b00000;

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
