// Cox-Rower for a P of 384 bits.
// Written by sunzi-hardware-constants; not to be edited.
module cox_rower_384_w28_kbe_s1 (
    input  wire clk,
    input  wire reset,
    input  wire in_valid,
    output wire in_ready,
    output wire out_valid,
    input  wire out_ready,
    input  wire [783:0] x,
    input  wire [783:0] y,
    output wire [783:0] s
);
// Number of moduli in each base.
localparam integer N = 14;

// Width of a channel, in bits.
localparam integer W = 28;

// Moduli of each base that a rower serves.
localparam integer SHARE = 1;

// Moduli in a row; 1 for Kawamura's extension.
localparam integer COLUMNS = 1;

// t, the bits that the Cox keeps.
localparam integer KEPT = 5;

// Width of the largest k = 2^W - m.
localparam integer K_BITS = 8;

// Folds of a product.
localparam integer FOLDS = 2;

// Folds of a row sum.
localparam integer BUS_FOLDS = 2;

// k of every modulus, K_BITS each: rower by rower, base A then B.
localparam [223:0] K_TABLE =
    224'h9b998f817d7b7769635f59534d4b3f39352d2723211b110f09050301;

// Words of the memory of each rower.
localparam integer FACTORS = 31;

// Width of its address.
localparam integer FACTOR_BITS = 5;

// The memories, rower by rower.
localparam [12151:0] FACTOR_TABLE =
    12152'h60c1378b972ed4aff22c1be12b93b0908573cf9f3e0aed70969f0501128b7e2b1f39a00f743e7ef84a72e2362c10c5cfecec3681fc2d7f4ad3e932cec2d76d1c461346ce50cd856989191abc730e6ce540cda08cb672819fb0b5670a1906e5ec2033092e064e46e088e08eedb556a61d557c6ed54cc701eeb8266fa3d5ccbbae059554acb143332ba7040a43fe146ee0e332f055506f23e8f573da0e97332e2e91ebbd525330b06b0a21526562c796d98ddaeae0b15802fabdeaf01c5b074ab7d443f0cfc3f41041195345999581142540223b9b11be41f527758fdf388e633758fe28d5380e7c6340241ebb4c930742dc827b341ab4507d040edc01c52226a46c61067335e9d13d9a0ddfe6c20f129102981f9fccfc0b0eae600d01eeab5f5f39ed7128cd39061c4172b980345fa38f6043d66e6585d1bc7baa7a2ca422a2e6ea105d1345ac362fe0d8aaad9e877819b9cf4f2f91c35e9d6a929a31851e6cbae14ba48299d0d4002ea17a9b1c9f036ef91bda6901a689cdba8ee9c6e93b4712ab431af5eecd3b254a2629e86c41979ccefc30c2fceaa958781a7789a0e6d2479fd6b3de1d1581bab48d44ef814978581352dcb879813e69ddb970f8f27cd3baeecf65c60cb0b9759901e62261053266256a5cc991e855b1a5636ff171ea6f759ca73b6e3acd60f43dceb513bd1a258ade8962c3e31ebd400c7af505da74bfec5f94bf0bc1cf031ebd4748d174f62fc740d0496689dfd120218bf48096cf0ea23f3d18f7f699162397d447ecd9da1db5f9afa1a0650593b518172ce100dbaf6808a487009474f005cddead25ad4603338d8fef29d0e3942e7d28e54cf46a7438e4135ed9feca120889fbe89ac5e335abe76a2a883ab3cc93b4ec028b9bec54a2255f3b51c31cccb5287fd2e6bdd0c1e84fa00ac95498c41ddc01237096faa75d0da946cfdb91a3e77c3b2a9e85c8dac72963d526f3a27ebcd54f42e4fa404601669a5caa9a65de23f3adaa8c76b422fd8dc68f8a7ac5152477a1b984ac513fe3a2552630d7c71613236af74063e9965577aa58f0fa20ff5311faf0d2c4d7246cbc7834df805729f430967107ff0b4d98225adfb4c77aeb49e1b44376947387a58fb9bb4a1d6df5e59d8db0d2c721207e0fea15aab1b2a6190260800d31e00151fc557888f550eea31c5a4e16da7c318e2d251aaa1dad08cc93db5a69826044906c4102c24bcfe8664c4cb3a83dded2b8129cad65250bd87c4f249ab14082f74a926ac50e7719f5f3b8ce41f4f34afbe842e6a34ccd7473ae73c87041adf50429f9c4e0ea8d7c70a04855746cb95877cfd0e92f7628b6841a3df57282ae5008a415f12173c0af1572804ec44a0d35eb9774d4e49c55e535867130d0dc26b1910f2cb6abca6b0b84d6559474191035f4560f2cb83e1a68d7fca0b87d647e1dde1a671491592beb9ef85b2fc91008ea0ad96fb5248d5f0f0e278fb6bf776cf7eeedc57ccc97644cd1a8c199b1e60ccd8f53636bd3d230fc695e51969845a338278a9f757c3dcbf4f2db24d45bd59ba043a20163ae79b47ab374233bd65cd01a5c9f034b93e979f731a9917847f2d1a312a464dc4c6c4d35f8779065e5dd47f5f4cf8ba86471dd0e77b5c7f0d7e1de4afc3be91e967faa0787ece02828e46f53f75e16974f0034a6d2c47e3459fe713426e4de43fdfca2a6059c95fd62987aa059d3785ae067b7379c6614c0cf6f55669ea609b9403fcc23f07e611f8ee21d2b7d6ea0b3ce1c383b7f72df06526b4a4abce4086df51d4a07210de8a7f3870e0ec9932d437a29cae9d2d21d1a32355d3a56dbd1fd5eace24b15c48896592d725b35aaa2a1d8b43df84161495cf598041c649f372de4062a96f17c3e3dc16df9018ab3b04a01e9f6bfbae2ba76d6dde9a250a4b91c0ad644a4cde7311451a4141209c3588968499bcefb77a691256e6a96ef4d2b4cde78a8cb24a846592545657357776a7a84d1f66b707c321b67db53b2c0d87e6e833ac6f6f3b3738e456cfb6a729532656e71c8a63271e4c64e3c88c9c7913271e4648eaf55acb529953b319397e2740b2b01004bacf07e3d3ae052796c218a1e59fb194b93991336f76c446eed888f991336966ecc9469b02331dba473;

// Words of the memory of each rower.
localparam integer ADDENDS = 3;

// Width of its address.
localparam integer ADDEND_BITS = 2;

// The memories, rower by rower.
localparam [1175:0] ADDEND_TABLE =
    1176'hc1826f07a500360000000acce2fa35658790000000b1fc51a607e8ea000000029569560c6bdef0000000bb3da8d3850a9d0000000da1de3b74391ba00000001b528d8a75d51e0000000ce213e201a67b000000009356334a4bde2700000003cb2e0ceccb912000000013c57743d2cff400000001372806a2c5a3a0000000c128082cd36d45000000064e3c8c32266d50000000;

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
