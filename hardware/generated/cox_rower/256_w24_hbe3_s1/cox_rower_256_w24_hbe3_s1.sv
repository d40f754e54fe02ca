// Cox-Rower for a P of 256 bits.
// Written by sunzi-hardware-constants; not to be edited.
module cox_rower_256_w24_hbe3_s1 (
    input  wire clk,
    input  wire reset,
    input  wire in_valid,
    output wire in_ready,
    output wire out_valid,
    input  wire out_ready,
    input  wire [575:0] x,
    input  wire [575:0] y,
    output wire [575:0] s
);
// Number of moduli in each base.
localparam integer N = 12;

// Width of a channel, in bits.
localparam integer W = 24;

// Moduli of each base that a rower serves.
localparam integer SHARE = 1;

// Moduli in a row; 1 for Kawamura's extension.
localparam integer COLUMNS = 3;

// t, the bits that the Cox keeps.
localparam integer KEPT = 4;

// Width of the largest k = 2^W - m.
localparam integer K_BITS = 8;

// Folds of a product.
localparam integer FOLDS = 2;

// Folds of a row sum.
localparam integer BUS_FOLDS = 3;

// k of every modulus, K_BITS each: rower by rower, base A then B.
localparam [191:0] K_TABLE =
    192'h817d7b77756b5f59574d4b413f3b2f2d2721171109050301;

// Words of the memory of each rower.
localparam integer FACTORS = 15;

// Width of its address.
localparam integer FACTOR_BITS = 4;

// The memories, rower by rower.
localparam [4319:0] FACTOR_TABLE =
    4320'hffff10003837ffff1e0031bd91056dd1bcd66874b9d693437b6daa437dda49fbebe301877099703ad3d3a8bf81ffff0a003af5ffff1800343fe76f641d275da667ca5e604135b3cf8201cb21ee199a128738281573aed0d77849ffff04003dfbffff0c003a1b141c8ccc1d3c13af1887b7040ce6e3ead952729416494bd2565979b1b5236b3406ffff5e00197dffff7200138d4f28c66c323367a45506b6346899ec87e5baeaefddab27c20e8f9d99ff88d6605fffff56001bd5ffff660016999b39cd2d946cd0e828d9f000b08b809bf356377df05ed11c69d3a06e26ab6d451dffff4a002049ffff5a001ac5677681987ccce0747a58fe227103891e74aa3b1959ef0abfdc072bb4f26b0a9c29ffffaa000729ffffb20005cdc3bee5353f344b59c0681ebfd1657b5e54b7f097935a8696ec6e49c4b4f6688ceeffff9a000999ffffa400079b7f3d3ffe66bd7cbfa2966b88f43e6c6258efd9bc7a693ca2e2733ebc50590aa68cffff92000b91ffff98000a5fd12ae7cc38b650622bd710b8af9b93eda57fa6f824955b72d855eafc06d65f6ee9fffff400001bfffffa00000526a305ef0190223866f7bd7be5c436bce08cfe5b337a8a1c6788ca96db62dafb23ffffe6000045ffffee000011d520b2d3a19d53a1b8c47a6a631cd87b03a14c3d8b639781662094c81ac39ed723ffffe00000cfffffea00005507b695bd267479149d9939a9f9acaf05a7291da2a3346f4eec290fe68f9f17497f;

// Words of the memory of each rower.
localparam integer ADDENDS = 7;

// Width of its address.
localparam integer ADDEND_BITS = 3;

// The memories, rower by rower.
localparam [2015:0] ADDEND_TABLE =
    2016'hc4467c82d9a8416cd4fcc8a7fddaeffeed37000000072d615a1e19ad0ed1030e310209760104bb0000009ae97f11f12388f85ca7bcb36fd32237e991000000031e7502144e010a27afc2611fd70b8feb56000000b59e53ce6973e7349321beb2c129926094c9000000fff471aaa2f655517b149b22b8673a5c339d000000b2733521a23790d0fe8f17145f64b82fb25c0000003ab6647c7989be3cae5f09e23f5bec1fadf6000000d437bd8d7a7e46bd3fcbae05dd1ea1ee8f3d000000f4aa1ea31c14518e0a36448b242db21216d90000007166a4f6446a7b223561c6c2412f2c2097960000000ddb985e9265af4932050c57ae083857041c000000;

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
