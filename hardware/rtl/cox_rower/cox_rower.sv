// Montgomery multiplication modulo P in residues, on a Cox-Rower.
//
// What it does: S = X Y A^-1 mod P, congruent, with S < 3P, for the P, the bases and the extension
// of the generated constants: COLUMNS = 1 is Kawamura's extension (KBE), COLUMNS = c > 1 the
// hierarchical one (HBE) with rows of c moduli; see rower_array.sv.
// Ports: x, y and s are residues of numbers X, Y, S in both bases, with X Y <= A P: for
// instance X, Y < 3P, so that what comes out may come in again. Residue i of A is at [i W +: W],
// residue i of B at [(N + i) W +: W]; each is canonical, below its modulus. ready/valid on both sides:
// x and y are taken in a cycle in which in_valid and in_ready are 1; s leaves in one in which
// out_valid and out_ready are 1, and stays until then.
// Cycles, from the one that takes the operands to the first with out_valid, with S = SHARE:
//     KBE: 2 N S + S + 24
//     HBE: 2 N S / c + (2 c - 3) S + 34
// The next operands are taken at the earliest in the cycle in which s leaves.
// Constant time: always these cycles.
// Not done: conversion from and to integers; the range of X Y is not checked; no second operation
// is taken while one is under way.
module cox_rower #(
    parameter integer N = 2,
    parameter integer W = 17,
    parameter integer SHARE = 1,
    parameter integer COLUMNS = 1,
    parameter integer KEPT = 6,
    parameter integer K_BITS = 8,
    parameter integer FOLDS = 2,
    parameter integer BUS_FOLDS = 2,
    parameter [2*N*K_BITS-1:0] K_TABLE = 0,
    parameter integer FACTORS = 1,
    parameter integer FACTOR_BITS = 1,
    parameter [FACTORS*(N/SHARE)*W-1:0] FACTOR_TABLE = 0,
    parameter integer ADDENDS = 1,
    parameter integer ADDEND_BITS = 1,
    parameter [ADDENDS*(N/SHARE)*W-1:0] ADDEND_TABLE = 0
) (
    input  wire clk,
    input  wire reset,
    input  wire in_valid,
    output wire in_ready,
    input  wire [2*N*W-1:0] x,
    input  wire [2*N*W-1:0] y,
    output reg  out_valid,
    input  wire out_ready,
    output wire [2*N*W-1:0] s
);
    localparam integer ROWERS = N / SHARE;
    localparam integer CHANNEL_BITS = $clog2(2 * SHARE);
    // The reduction starts when the product in A is an operand.
    localparam integer START = 5;
    localparam integer LAST_SLOT = 2 * SHARE - 1;

    reg [2*N*W-1:0] x_q, y_q;
    reg             multiplying;
    reg [2:0]       step;
    wire            reducing, reduced;
    wire            reduce = multiplying && step == START[2:0];
    assign in_ready = !multiplying && !reducing && !reduced && (!out_valid || out_ready);

    always @(posedge clk)
        if (reset) begin
            multiplying <= 1'b0;
            out_valid <= 1'b0;
        end else begin
            if (in_valid && in_ready) begin
                x_q <= x;
                y_q <= y;
                multiplying <= 1'b1;
                step <= 3'd0;
            end else if (multiplying) begin
                step <= step + 3'd1;
                if (reduce) multiplying <= 1'b0;
            end
            if (reduced) out_valid <= 1'b1;
            else if (out_ready) out_valid <= 1'b0;
        end

    // Slot c multiplies in channel c: rower r takes residue r SHARE + s of the base.
    wire [2*N*W-1:0] accumulators;
    wire [ROWERS*W-1:0] x_slot, y_slot;
    genvar r, c;
    generate
        for (r = 0; r < ROWERS; r = r + 1) begin : rower
            wire [2*SHARE*W-1:0] x_own, y_own;
            for (c = 0; c < 2 * SHARE; c = c + 1) begin : channel
                localparam integer PORT = (c / SHARE) * N + r * SHARE + c % SHARE;
                assign x_own[c*W +: W] = x_q[PORT*W +: W];
                assign y_own[c*W +: W] = y_q[PORT*W +: W];
                assign s[PORT*W +: W] = accumulators[(r*2*SHARE+c)*W +: W];
            end
            assign x_slot[r*W +: W] = x_own[step[CHANNEL_BITS-1:0]*W +: W];
            assign y_slot[r*W +: W] = y_own[step[CHANNEL_BITS-1:0]*W +: W];
        end
    endgenerate

    wire [ROWERS*W-1:0] results;
    rower_array #(
        .N(N), .W(W), .K_BITS(K_BITS), .FOLDS(FOLDS), .SHARE(SHARE), .COLUMNS(COLUMNS),
        .BUS_FOLDS(BUS_FOLDS), .KEPT(KEPT),
        .FACTORS(FACTORS), .FACTOR_BITS(FACTOR_BITS),
        .ADDENDS(ADDENDS), .ADDEND_BITS(ADDEND_BITS), .CHANNEL_BITS(CHANNEL_BITS),
        .K_TABLE(K_TABLE), .FACTOR_TABLE(FACTOR_TABLE), .ADDEND_TABLE(ADDEND_TABLE)
    ) rowers (
        .clk(clk), .reset(reset),
        .slot(multiplying && step <= LAST_SLOT[2:0]), .slot_x_select(1'b0), .slot_y_select(1'b0),
        .slot_channel(step[CHANNEL_BITS-1:0]),
        .slot_factor({FACTOR_BITS{1'b0}}), .slot_addend({ADDEND_BITS{1'b0}}),
        .slot_accumulate(1'b0), .slot_negate(1'b0),
        .x(x_slot), .y(y_slot), .reduce(reduce), .busy(reducing), .done(reduced),
        .results(results), .accumulators(accumulators)
    );
    wire unused = &{1'b0, results};
endmodule
