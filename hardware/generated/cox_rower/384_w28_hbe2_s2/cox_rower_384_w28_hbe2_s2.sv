// Cox-Rower for a P of 384 bits.
// Written by sunzi-hardware-constants; not to be edited.
module cox_rower_384_w28_hbe2_s2 (
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
localparam integer SHARE = 2;

// Moduli in a row; 1 for Kawamura's extension.
localparam integer COLUMNS = 2;

// t, the bits that the Cox keeps.
localparam integer KEPT = 4;

// Width of the largest k = 2^W - m.
localparam integer K_BITS = 8;

// Folds of a product.
localparam integer FOLDS = 2;

// Folds of a row sum.
localparam integer BUS_FOLDS = 2;

// k of every modulus, K_BITS each: rower by rower, base A then B.
localparam [223:0] K_TABLE =
    224'h9b8f99817d777b6963595f534d3f4b3935272d2321111b0f09030501;

// Words of the memory of each rower.
localparam integer FACTORS = 38;

// Width of its address.
localparam integer FACTOR_BITS = 6;

// The memories, rower by rower.
localparam [7447:0] FACTOR_TABLE =
    7448'hfffff71fffff65fffff7ffffff67a3467fd5553d19fda5344bbae059bec23b1864184b8b7fc60814ad0886e641b75de921c1fef1bdb8e24fa3a42d790c01aaec3681f32e2e9169f499647b2164e0e2282511bd03534a47cd8f5890c02e220e838772d570b802d1ac2854142ee7987e3f5564fcd55d05d8e46e0883b9b11be08eedbe41f527fffff89fffff83fffff97fffff8553b8cbc3e3a051d63f847dd1c02fbf2782fef91bda22411c4df4fcb9acd02d2353f262c7e5bbadcd7851ba8f5c6166d593dfe6c209cdba8e43b5b810238e7f573006804cb1194ff9637baf2d12c7cd576dd5e270facb9d6e6965c537e49fd137340326c5a141c732982e6ea10ef814975d1345a8581352fffffa7fffff9dfffffadfffffa1d0bc233bc18fc542f09e9f4d9b2427cd3ba106505413acc7b73840220a0af75390bff47921e897d37fda040554ab2c61f16e3acd638d8fefee6ca615ef45ea3a468ba91ab2d4031ebd4833a76ebf2ea1d8c4fdc597c2ecee6bd27b9fdd17e4108e8ee0c92b2659839e0218bf4c31cccb8096cf05287fd2fffffc1fffffb3fffffc7fffffb56604bb01d323c1bfc13a982fcb4c5b58e407c6b0420123709d7e1d834d8a8e912786d199d74907afc39b8cec6ac5cf51e3fa40460d8db0d2c47df43e996c1bca34956cb2c84c74f8042dfff5393bd0dcc38e96b8d71d0ecf7dea397114dac52f644ef17767614c97df7aa58f06044906fa20ff5c4102c2fffffd9fffffcbfffffddfffffd33deb971ff48bf83f74c866c7cb8de4c953ebd50d4b6fbe83270465ffc311c9a7f282d92d46994fe505b242f33defeb23cf7473ae7491592bc5f0bd6cd06c265f645fb781b7ada1cca42ce3dd4fde20bd7ae4078307beae59f3324acb3be93c811104c072603c590153ec44a0d695e51935eb97769845a3fffffeffffffdfffffff1fffffe5f0114ee0174c03599bf1ae0444e4c2bf8cab816eb249602c4320ed7bbb037707aed10d66bac15d4cb09e8710b986a6584f12a464dee21d2b85f34237805de17c5b214d98175175e7c926b7afcbfadc235f277bed281e1fb80b1623255c06d21bd14eba37a8831d1a2ff0034a6dbd1fd5d2c47e3eace24bffffffdffffff7fffffffffffffb3959796d262ef05d84052009f7a21dbd0b68331b9917dc9e6454d88b885a2bc567dcfdbada8bfb9cd8e1582500f39b1c37e2ba76d48eaf556137be86e6015f48a8dc253d821fffc440d08a7703298d277f4fdc03db679906027359c2d731c6b61a4e1196495cc899b3565735769b0233776a7a81dba473;

// Words of the memory of each rower.
localparam integer ADDENDS = 9;

// Width of its address.
localparam integer ADDEND_BITS = 4;

// The memories, rower by rower.
localparam [1763:0] ADDEND_TABLE =
    1764'h8304e79599c675c1826f0acce2faf4a006c6acb0f27a500363565879000000063f8aaf52ad2acb1fc51a2956956c0fd1d418d7bde607e8ea0c6bdef0000000767b579b43bcc9bb3da8dda1de3b70a153ae8723743850a9d74391ba000000036a51b09c427fd1b528d8ce213e24ebaa89034cf60a75d51e01a67b0000000026ac6957965c1893563343cb2e0c497bc83d99724ba4bde27eccb9120000000278aee826e500c13c577413728067a59fe8458b4853d2cff4a2c5a3a00000008250109c9c7918c12808264e3c8c9a6da93644cdaacd36d4532266d50000000;

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
