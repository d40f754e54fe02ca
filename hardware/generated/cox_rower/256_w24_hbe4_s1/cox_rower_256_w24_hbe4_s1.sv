// Cox-Rower for a P of 256 bits.
// Written by sunzi-hardware-constants; not to be edited.
module cox_rower_256_w24_hbe4_s1 (
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
localparam integer COLUMNS = 4;

// t, the bits that the Cox keeps.
localparam integer KEPT = 3;

// Width of the largest k = 2^W - m.
localparam integer K_BITS = 8;

// Folds of a product.
localparam integer FOLDS = 2;

// Folds of a row sum.
localparam integer BUS_FOLDS = 5;

// k of every modulus, K_BITS each: rower by rower, base A then B.
localparam [191:0] K_TABLE =
    192'h817d7b77756b5f59574d4b413f3b2f2d2721171109050301;

// Words of the memory of each rower.
localparam integer FACTORS = 15;

// Width of its address.
localparam integer FACTOR_BITS = 4;

// The memories, rower by rower.
localparam [4319:0] FACTOR_TABLE =
    4320'hfffeb1009146eb2397fffec500804eeeb54b0d5e080b76fd7696547b6daa41afd2b064a22bd6d93ad3d3a8bf81fffeab00963eea1f15fffebf0084e6edd619344f3bec5cc2b12daf35b3cf74c39b815bbd3c5b5b73aed0d77849fffea5009b7ee8ffdbfffeb3008eeeebcc9dac576fdbb0a6110df60ce6e3d1876746e5e5df80abb1b5236b3406fffe8f00b126e3ac49fffea100a016e7b6b79d78f95da5936688a06899ecc150b581a2bfca8e6999ff88d6605fffff47002bcafc9c85ffff570024c6fd5de1220af673131ab4e46db08b80b205fed61bcd6a41696e26ab6d451dffff3b0030f2fc11b9ffff4b0029a6fce16dd1e23d80ed15a0f5ed710389d9408f8a024d853cfab4f26b0a9c29ffff2f00373afb520dffff45002c82fc903701ac7827ef674534aed1657ba3c18185902a439d38c4b4f6688ceeffff1f00415af9ba3dffff37003446fb7e819c2cbf3b1bb11911ecf43e6c03c0edfd09ed34bf10bc50590aa68cffffdd00012efffd93ffffe900006affffab3a8fcbc2284786d276af9b93b8afc7ba6dca79639afc06d65f6ee9ffffcd0001eefffbe3ffffd90000caffff5b2a2bd927eac08c02fce5c436ce97ad2acdb628d8b496db62dafb23ffffbf00043afff57dffffcd000262fffdcf862a4ba6d756dc1a80631cd8e1a9867414017bbea0c81ac39ed723ffffb90005aeffe077ffffc900032afff50b95b486f0124cbf560ff9acaf3289f69aff7d9a42e4e68f9f17497f;

// Words of the memory of each rower.
localparam integer ADDENDS = 9;

// Width of its address.
localparam integer ADDEND_BITS = 4;

// The memories, rower by rower.
localparam [2591:0] ADDEND_TABLE =
    2592'h05b3cdc4467c82d9a8416cd4fbb65ffcc8a7fddaeffeed37000000b43c32072d615a1e19ad0ed10412ec030e310209760104bb00000023e2469ae97f11f12388f85cdfa644a7bcb36fd32237e99100000004289c031e7502144e010a273fae16afc2611fd70b8feb560000009cd333b59e53ce6973e7349382537b21beb2c129926094c900000055462dfff471aaa2f655517b70cebf149b22b8673a5c339d00000043446eb2733521a23790d0febec9708f17145f64b82fb25c000000f8f3123ab6647c7989be3cae7eb7d85f09e23f5bec1fadf60000001af51dd437bd8d7a7e46bd3fba3d69cbae05dd1ea1ee8f3d000000463839f4aa1ea31c14518e0a485b6436448b242db21216d9000000ec88d97166a4f6446a7b2235825e5861c6c2412f2c209796000000bd24ca0ddb985e9265af49325c1073050c57ae083857041c000000;

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
