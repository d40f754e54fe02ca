// Cox-Rower for a P of 11 bits.
// Written by sunzi-hardware-constants; not to be edited.
module cox_rower_11_w7_hbe2_s2 (
    input  wire clk,
    input  wire reset,
    input  wire in_valid,
    output wire in_ready,
    output wire out_valid,
    input  wire out_ready,
    input  wire [27:0] x,
    input  wire [27:0] y,
    output wire [27:0] s
);
// Number of moduli in each base.
localparam integer N = 2;

// Width of a channel, in bits.
localparam integer W = 7;

// Moduli of each base that a rower serves.
localparam integer SHARE = 2;

// Moduli in a row; 1 for Kawamura's extension.
localparam integer COLUMNS = 2;

// t, the bits that the Cox keeps.
localparam integer KEPT = 2;

// Width of the largest k = 2^W - m.
localparam integer K_BITS = 3;

// Folds of a product.
localparam integer FOLDS = 2;

// Folds of a row sum.
localparam integer BUS_FOLDS = 2;

// k of every modulus, K_BITS each: rower by rower, base A then B.
localparam [11:0] K_TABLE =
    12'hee9;

// Words of the memory of each rower.
localparam integer FACTORS = 14;

// Width of its address.
localparam integer FACTOR_BITS = 4;

// The memories, rower by rower.
localparam [97:0] FACTOR_TABLE =
    98'h3ef9ffec081b67e4a6de7ee47;

// Words of the memory of each rower.
localparam integer ADDENDS = 9;

// Width of its address.
localparam integer ADDEND_BITS = 4;

// The memories, rower by rower.
localparam [62:0] ADDEND_TABLE =
    63'h08ce139bf6d70d80;

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
