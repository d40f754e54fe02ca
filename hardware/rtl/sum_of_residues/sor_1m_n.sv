// Z = X Y mod p by the sum of residues with one RNS multiplier, not pipelined: SOR_1M_N of Mehrabi,
// "Improved Sum of Residues Modular Multiplication Algorithm", Cryptography 3 (2019), Figure 1.
//
// EXACT = 0: z is congruent to X Y, in [0, (1 + d) p) with d < 1/4; 31 cycles.
// EXACT = 1: z is X Y mod p, in [0, p); 37 cycles. In the six more, the same multipliers evaluate
//            Z - p as an integer, limb by limb, and p is subtracted if that is not negative.
//
// Cycles are counted from the one in which x and y are accepted to the first in which z is valid.
// x, y: residues below their moduli, channel j at bits 66 j; X Y < 15M/16 as integers, which X, Y < 2p
// satisfy. The number of cycles does not depend on the operands.
module sor_1m_n #(
    parameter integer EXACT = 0
) (
    input  wire            clk,
    input  wire            reset,
    input  wire            in_valid,
    output wire            in_ready,
    input  wire [8*66-1:0] x,
    input  wire [8*66-1:0] y,
    output wire            out_valid,
    input  wire            out_ready,
    output wire [8*66-1:0] z
);
    sor_1m #(
        .PIPELINED(0),
        .EXACT(EXACT)
    ) core (
        .clk(clk),
        .reset(reset),
        .in_valid(in_valid),
        .in_ready(in_ready),
        .x(x),
        .y(y),
        .out_valid(out_valid),
        .out_ready(out_ready),
        .z(z)
    );
endmodule
