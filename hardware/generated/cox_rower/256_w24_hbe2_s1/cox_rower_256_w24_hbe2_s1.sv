// Cox-Rower for a P of 256 bits.
// Written by sunzi-hardware-constants; not to be edited.
module cox_rower_256_w24_hbe2_s1 (
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
localparam [191:0] K_TABLE =
    192'h817d7b77756b5f59574d4b413f3b2f2d2721171109050301;

// Words of the memory of each rower.
localparam integer FACTORS = 17;

// Width of its address.
localparam integer FACTOR_BITS = 5;

// The memories, rower by rower.
localparam [4895:0] FACTOR_TABLE =
    4896'hffff85ffff89882d5c950f43942ccc17473db2d44f7ed6337b6daaccd341437dda8f624320bd750de79e4339b13ad3d3a8bf81ffff7fffff83cedf3f2c64f0bbb1a600874c4d13b16428a535b3cf20208859e13c81a13e2a9d6827b00a40a3bf73aed0d77849ffffa1ffffa736e21df89b449162933a8477fced42881fb40ce6e32c8151187c618837e40cebe0d625e6bb0259b1b5236b3406ffff8bffff9557873793cd7476d1c33e1f8e9b89cbbaf9c16899eca138afb3c69181a10973b033e3e9a76fc35299ff88d6605fffffb5ffffbfbef07316ca36cb8f34027f43ae2bcff8ad89b08b80d0f8dd9d95ab9103c90022b405bb25efe7446e26ab6d451dffffa9ffffb3fbe836537923215b86cbd9fa09889799b52271038931699404efe1c49bf637cec300e870d9ae19b4f26b0a9c29ffffd1ffffd3a6b5bf4a3aaf831ad8e30427f0dd5ca45616d1657bc96c5df287e49094eb9bc80ac5582b7bdb74c4b4f6688ceeffffc1ffffc536bff41bf7014fe64cec7e2611f3e4ed3fccf43e6cf32394585e3e470d60c151c71235d289860abc50590aa68cffffe9ffffef5de34f7601f88a3d7a1db2bc301cbb66a838af9b93e0008476f8356383f1802521a30a749764dafc06d65f6ee9ffffd9ffffdfe850fcb1f1332d81470f270941524d318eb8e5c436064c7e2c5f326c76ec369a752f3c196d34ea96db62dafb23fffffdffffffc1b04a61e47c992d57e485541f2bdd2f6446631cd8e89aaedb3a772cc3b8a9cb8e77d487cefb3cc81ac39ed723fffff7fffffb8144780411ac8be12206f0a0f560fbd50b6cf9acafb4174fdac7eb0b5d20daf4c796f46715c107e68f9f17497f;

// Words of the memory of each rower.
localparam integer ADDENDS = 5;

// Width of its address.
localparam integer ADDEND_BITS = 3;

// The memories, rower by rower.
localparam [1439:0] ADDEND_TABLE =
    1440'h82d9a8416cd4fddaeffeed370000005a1e19ad0ed10209760104bb00000011f12388f85c6fd32237e99100000002144e010a271fd70b8feb56000000ce6973e73493c129926094c9000000aaa2f655517bb8673a5c339d00000021a23790d0fe5f64b82fb25c0000007c7989be3cae3f5bec1fadf60000008d7a7e46bd3fdd1ea1ee8f3d000000a31c14518e0a242db21216d9000000f6446a7b2235412f2c2097960000005e9265af4932ae083857041c000000;

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
