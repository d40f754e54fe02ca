// Cox-Rower with inversion, for a P of 64 bits.
// Written by sunzi-hardware-constants; not to be edited.
module inverter_composite_bmi (
    input  wire clk,
    input  wire reset,
    input  wire in_valid,
    output wire in_ready,
    output wire out_valid,
    input  wire out_ready,
    input  wire invert,
    input  wire [167:0] x,
    input  wire [167:0] y,
    output wire [167:0] s,
    output wire failed,
    output wire [15:0] outer_steps,
    output wire [15:0] inner_steps
);
// Number of moduli in each base.
localparam integer N = 3;

// Width of a channel, in bits.
localparam integer W = 28;

// Moduli of each base that a rower serves.
localparam integer SHARE = 1;

// Moduli in a row; 1 for Kawamura's extension.
localparam integer COLUMNS = 1;

// t, the bits that the Cox keeps.
localparam integer KEPT = 3;

// Width of the largest k = 2^W - m.
localparam integer K_BITS = 5;

// Folds of a product.
localparam integer FOLDS = 2;

// Folds of a row sum.
localparam integer BUS_FOLDS = 2;

// k of every modulus, K_BITS each: rower by rower, base A then B.
localparam [29:0] K_TABLE =
    30'h3717a4a3;

// Words of the memory of each rower.
localparam integer FACTORS = 13;

// Width of its address.
localparam integer FACTOR_BITS = 4;

// The memories, rower by rower.
localparam [1091:0] FACTOR_TABLE =
    1092'h3fffffc7fffff8000007002492490000018fffff77fffffdb507c1e88002d829c735b1b55683e326dfbeea04b0a3fffffe7fffffcfffffc72555554fffffdffffffaf000006c02222227ffb9abd556cb86aab65c01c71c72cd07d0bfffffe7ffffff0000054d86185f000001800000300000120ad61bea15554083fffc1880007cb22aaaaa6975da3;

// Words of the memory of each rower.
localparam integer ADDENDS = 22;

// Width of its address.
localparam integer ADDEND_BITS = 5;

// The memories, rower by rower.
localparam [1847:0] ADDEND_TABLE =
    1848'hcc012e5a80141db4013b5c00134dec00936c800a6ed400a06e00099e5c00e163800f4e4400ee65000e7ec800a6ee00099e0092bdfff83d4690014edc24a596c00134d00000f0ffe384a0000000eea9e3fe2a9d7591548663fff3574eaa49842aa3cef154eb69fff9a71eaa17012aa0a6c154b8e6fff67f42aa3ce9fff9a700291dfffdd34e855479c65548ab3fff357ffffe47fff73560000000055561ef555628faaab7900000cd85555b675555c37aaab14800006545555ea35555f73aaab48400009975555c3800006500048dffffc254eaaab86d86192c00000cd0000240ffff0600000000;

// Whether it is BTMI.
localparam integer TERNARY = 0;

// t of the inversion.
localparam integer INVERSION_KEPT = 3;

// Bound on u + v, in half bits.
localparam integer INVERSION_BOUND = 256;

// First factor of the inversion.
localparam integer INVERSION_FACTORS = 9;

// First addend of the inversion.
localparam integer INVERSION_ADDENDS = 3;

// P modulo 4.
localparam integer P_4 = 3;

// P modulo 3.
localparam integer P_3 = 2;

// A modulo 4.
localparam integer RANGE_4 = 1;

// A modulo 3.
localparam integer RANGE_3 = 2;

// Whether A/a = -1 modulo 4.
localparam [2:0] NEGATIVE_4 =
    3'h6;

// Whether A/a = -1 modulo 3.
localparam [2:0] NEGATIVE_3 =
    3'h3;

// 1 in affine form.
localparam [83:0] ONE =
    84'hc24a59665548abd86192c;

// -1 in affine form.
localparam [83:0] MINUS_ONE =
    84'hbdb81041aa9e03279e86b;

    inverter #(
        .N(N),
        .W(W),
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
        .ADDEND_TABLE(ADDEND_TABLE),
        .TERNARY(TERNARY),
        .INVERSION_KEPT(INVERSION_KEPT),
        .INVERSION_BOUND(INVERSION_BOUND),
        .INVERSION_FACTORS(INVERSION_FACTORS),
        .INVERSION_ADDENDS(INVERSION_ADDENDS),
        .P_4(P_4),
        .P_3(P_3),
        .RANGE_4(RANGE_4),
        .RANGE_3(RANGE_3),
        .NEGATIVE_4(NEGATIVE_4),
        .NEGATIVE_3(NEGATIVE_3),
        .ONE(ONE),
        .MINUS_ONE(MINUS_ONE)
    ) core (
        .clk(clk),
        .reset(reset),
        .in_valid(in_valid),
        .in_ready(in_ready),
        .out_valid(out_valid),
        .out_ready(out_ready),
        .invert(invert),
        .x(x),
        .y(y),
        .s(s),
        .failed(failed),
        .outer_steps(outer_steps),
        .inner_steps(inner_steps)
    );
endmodule
