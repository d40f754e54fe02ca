// Cox-Rower for a P of 256 bits.
// Written by sunzi-hardware-constants; not to be edited.
module cox_rower_256_w20_hbe2_s2 (
    input  wire clk,
    input  wire reset,
    input  wire in_valid,
    output wire in_ready,
    output wire out_valid,
    input  wire out_ready,
    input  wire [559:0] x,
    input  wire [559:0] y,
    output wire [559:0] s
);
// Number of moduli in each base.
localparam integer N = 14;

// Width of a channel, in bits.
localparam integer W = 20;

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
    224'had999f9593818f777563695d4d41453b39272f211d111b0f09030501;

// Words of the memory of each rower.
localparam integer FACTORS = 38;

// Width of its address.
localparam integer FACTOR_BITS = 6;

// The memories, rower by rower.
localparam [5319:0] FACTOR_TABLE =
    5320'hfff67fff53fff6bfff6170ffa9d3edf6a8b130a3da110fa0a6245bf7441fc3762d9980f421f35b27a14f3623719c1ad47c4818d3376d71d97fc00a53793b3dab606b706d024b388a32307fe6fa0232a66875228612ddb576c6475fd6de060bfff7ffff6dfff89fff71b6b941c082bf3fe0f9940160c6d30c8e8254772e7146f092343a21a38ccfed0e7106407deda80c7dea1ad192f98d94c265426c1d0fc20c9811fba6ecf74bd156dfd2f18489f481e85f6fc8c785d3f8f8159fa4e0f9fff9dfff8bfffa3fff97018dfa0fddc80fc8d8850edb5f6d60e7401bd0b7cb4748d8852a66858248ab2af663787dc375e32a39e8534672b172b9b6020e43746030f89ed8301dae21e0d960b926017f64d9d432eda87b15124d61e69986218bfffbffffb3fffc5fffbbfe4e5da492fcda359811f5ced83b95c9e7b0dc85d7483d8671f8f05604302ad7a5e83db19b5606fbb30bb0af83c9d32a7273c0de340892ad65fe6cd60e431b65f12225f38e77848dca825a47c90b0f756f7c5e088bfffd9fffc7fffdffffd1b3e587762c76b0ac93b6abbc01c35b72b36bf12c79bafbe1a372b366bbd88707d8c6ad35e00c743e72fb28963bdb73752981a236a819ac9ffd5ceabfc330768813ab445c3e87af06083a451abacf086b53665ccb01fffeffffe3ffff1fffe5b12c0ecf6470aed575a563121f81277239b13b7ef74f4bca3c9c4f2871f6ce17650fde18975c3666d686d67c3b56a7c9250d86ca3a62f1e4eab2bcb43cb76c743352fca519f518ca67229907f1de3781bd9818d9ebffffdffff7fffffffffbcd83c05dc44984b0d75762a49f8f090541b9f7fd19961da48c4ed950cd9de96d067d2d11c2a4465b9fdb47bdd7135601b8e9b5a0d6d8af5f01088993bf4034b46cf9af403af3cab0ef6ba2a473c4c52da1eaf227ab;

// Words of the memory of each rower.
localparam integer ADDENDS = 9;

// Width of its address.
localparam integer ADDEND_BITS = 4;

// The memories, rower by rower.
localparam [1259:0] ADDEND_TABLE =
    1260'h2aa060c99215503064c9d2d8649256696c32492b00000aed7ddfbfbd7677efdc21964ced4d90cb26f6a2c000005b91848f022dc8c24781e752bb14d9f3a5bd8a3b000007ac3a5ed043d61d2f682e9a2c4730b74d16a39650000015b5420d0a0adaa106850016230d11000b198675000006c8587106e3642c38837d89a9c0f14ec4c66078a0000096d4605a534b6a382d2953ab5b5d25a9d56dae9100000;

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
