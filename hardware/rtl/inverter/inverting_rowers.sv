// A Cox-Rower that also inverts: the rowers of rower_array.sv with the control of inversion_control.sv.
//
// What it does: while no inversion is under way, a client's slots and reductions go to the rowers. With
// `invert`, the rowers compute the inverse of the A-residues at `x`, in the accumulators of base A.
// Ports: as those of both modules. invert: in a cycle in which `busy` is 0; invert_done: 1 in the cycle from
// which the inverse is there, or it has failed.
// Cycles: those of both modules. Slots, reductions: constant time. Inversions: variable time.
// Not done: SHARE = 2 (the inversion needs one modulus of A for each rower).
module inverting_rowers #(
    parameter integer N = 10,
    parameter integer W = 28,
    parameter integer K_BITS = 8,
    parameter integer FOLDS = 2,
    parameter integer COLUMNS = 1,
    parameter integer BUS_FOLDS = 2,
    parameter integer KEPT = 6,
    parameter integer FACTORS = 1,
    parameter integer FACTOR_BITS = 1,
    parameter integer ADDENDS = 1,
    parameter integer ADDEND_BITS = 1,
    parameter [2*N*K_BITS-1:0] K_TABLE = 0,
    parameter [FACTORS*N*W-1:0] FACTOR_TABLE = 0,
    parameter [ADDENDS*N*W-1:0] ADDEND_TABLE = 0,
    parameter integer TERNARY = 1,
    parameter integer INVERSION_KEPT = 6,
    parameter integer BOUND = 1024,
    parameter integer P_4 = 1,
    parameter integer P_3 = 1,
    parameter integer RANGE_4 = 1,
    parameter integer RANGE_3 = 1,
    parameter [N-1:0] NEGATIVE_4 = 0,
    parameter [N-1:0] NEGATIVE_3 = 0,
    parameter [N*W-1:0] ONE = 0,
    parameter [N*W-1:0] MINUS_ONE = 0,
    parameter integer FIRST_FACTOR = 0,
    parameter integer FIRST_ADDEND = 0
) (
    input  wire                   clk,
    input  wire                   reset,
    input  wire                   slot,
    input  wire                   slot_x_select,
    input  wire                   slot_y_select,
    input  wire                   slot_channel,
    input  wire [FACTOR_BITS-1:0] slot_factor,
    input  wire [ADDEND_BITS-1:0] slot_addend,
    input  wire                   slot_accumulate,
    input  wire                   slot_negate,
    input  wire [N*W-1:0]         x,
    input  wire [N*W-1:0]         y,
    input  wire                   reduce,
    output wire                   reduce_done,
    input  wire                   invert,
    output wire                   invert_done,
    output wire                   failed,
    output wire [15:0]            outer_steps,
    output wire [15:0]            inner_steps,
    output wire                   busy,
    // [(channel of A or B) W +: W]: base A, then base B.
    output wire [2*N*W-1:0]       accumulators
);
    wire                   inverting, own_slot, own_accumulate, own_negate, reducing;
    wire [FACTOR_BITS-1:0] own_factor;
    wire [ADDEND_BITS-1:0] own_addend;
    wire [N*W-1:0]         own_x;
    inversion_control #(
        .N(N), .W(W), .TERNARY(TERNARY), .KEPT(INVERSION_KEPT), .BOUND(BOUND),
        .P_4(P_4), .P_3(P_3), .RANGE_4(RANGE_4), .RANGE_3(RANGE_3),
        .NEGATIVE_4(NEGATIVE_4), .NEGATIVE_3(NEGATIVE_3), .ONE(ONE), .MINUS_ONE(MINUS_ONE),
        .FIRST_FACTOR(FIRST_FACTOR), .FIRST_ADDEND(FIRST_ADDEND),
        .FACTOR_BITS(FACTOR_BITS), .ADDEND_BITS(ADDEND_BITS)
    ) control (
        .clk(clk), .reset(reset), .start(invert), .a(x), .busy(inverting), .done(invert_done),
        .failed(failed), .outer_steps(outer_steps), .inner_steps(inner_steps),
        .slot(own_slot), .factor(own_factor), .addend(own_addend),
        .accumulate(own_accumulate), .negate(own_negate), .x(own_x),
        .latest(accumulators[0 +: N*W])
    );

    wire [2*N*W-1:0] rower_accumulators;
    wire [N*W-1:0]   results;
    rower_array #(
        .N(N), .W(W), .K_BITS(K_BITS), .FOLDS(FOLDS), .SHARE(1), .COLUMNS(COLUMNS),
        .BUS_FOLDS(BUS_FOLDS), .KEPT(KEPT),
        .FACTORS(FACTORS), .FACTOR_BITS(FACTOR_BITS),
        .ADDENDS(ADDENDS), .ADDEND_BITS(ADDEND_BITS), .CHANNEL_BITS(1),
        .K_TABLE(K_TABLE), .FACTOR_TABLE(FACTOR_TABLE), .ADDEND_TABLE(ADDEND_TABLE)
    ) rowers (
        .clk(clk), .reset(reset),
        .slot(inverting ? own_slot : slot),
        .slot_x_select(!inverting & slot_x_select), .slot_y_select(inverting | slot_y_select),
        .slot_channel(!inverting & slot_channel),
        .slot_factor(inverting ? own_factor : slot_factor),
        .slot_addend(inverting ? own_addend : slot_addend),
        .slot_accumulate(inverting ? own_accumulate : slot_accumulate),
        .slot_negate(inverting ? own_negate : slot_negate),
        .x(inverting ? own_x : x), .y(y), .reduce(reduce), .busy(reducing), .done(reduce_done),
        .results(results), .accumulators(rower_accumulators)
    );
    assign busy = inverting | reducing;

    genvar i;
    generate
        for (i = 0; i < N; i = i + 1) begin : channel
            assign accumulators[i*W +: W] = rower_accumulators[2*i*W +: W];
            assign accumulators[(N+i)*W +: W] = rower_accumulators[(2*i+1)*W +: W];
        end
    endgenerate
    wire unused = &{1'b0, results};
endmodule
