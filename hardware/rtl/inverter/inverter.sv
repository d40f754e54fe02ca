// Modular inversion in residues by the plus-minus method, on a Cox-Rower that also multiplies.
// INVERSIONS TAKE VARIABLE TIME: their cycles depend on the operand. Blind secrets before, or invert
// them by a power.
//
// What it does, for invert = 1: S = |A^-1|_P, congruent, with 0 < S < 2P, for gcd(A, P) = 1.
// TERNARY = 1 is the binary-ternary form (BTMI), which divides by 2, 3, 4, 6 and 12; TERNARY = 0 the binary
// form (BMI), which divides by 2 and 4. V1 A = V3 and U1 A = U3 modulo P always hold; all four are in
// affine form (small_residues.sv):
//     u = v = 0; U1 = 0, U3 = P, V1 = 1, V3 = A
//     while none of V3, U3 is 1 or -1:
//         while 2 (BTMI: or 3) divides V3: V3 /= D, V1 /= D, v += log2 D             inner step
//         V* = V; V = (V + U)/D if V3 + U3 = 0 mod 3 (BMI: mod 4), else (V - U)/D    outer step
//             with D = 12 if that is 0 mod 4, else 6 (BMI: D = 4)
//         if v > u: U = V*, swap(u, v).  v += log2 3, and 1 more if D = 12 (BMI: v += 1)
// with log2 3 taken as 1.5; the core has u and v in half bits. A division is one slot of the rowers,
// X^ D^-1 + (f P1 + (D - 1) C1)/D; that of a sum or difference takes two. |X|_4 after a division by 3,
// and |X|_3 after one by 2 or 4, come from the update functions (update3_4 as corrected), the others
// from the Cox and the mod-3 units.
// For invert = 0: S = X Y A^-1 mod P, the Montgomery product, as in cox_rower.sv.
// Ports: x, y, s: residues in base A, then in base B, all canonical. For an inversion x has residues of
// 0 <= x < P, of which those in base A are read, and s those of S in base A (those in B are
// meaningless). failed: there is no inverse (x = 0 or gcd(x, P) > 1: u + v has reached twice the bits
// of P); s is meaningless then. outer_steps, inner_steps: how many there were. ready/valid as in
// cox_rower.sv.
// Cycles, from the one that takes the operands to the first with out_valid:
//     inversion: 17 + 9 outer_steps + 7 inner_steps;  12 + 9 outer_steps + 7 inner_steps if it fails
//     product: 2 N + 25 (Kawamura's extension)
// Constant time: products; not inversions.
// Not done: operands out of range are not refused; conversion from and to integers.
module inverter #(
    parameter integer N = 2,
    parameter integer W = 17,
    parameter integer COLUMNS = 1,
    parameter integer KEPT = 6,
    parameter integer K_BITS = 8,
    parameter integer FOLDS = 2,
    parameter integer BUS_FOLDS = 2,
    parameter [2*N*K_BITS-1:0] K_TABLE = 0,
    parameter integer FACTORS = 1,
    parameter integer FACTOR_BITS = 1,
    parameter [FACTORS*N*W-1:0] FACTOR_TABLE = 0,
    parameter integer ADDENDS = 1,
    parameter integer ADDEND_BITS = 1,
    parameter [ADDENDS*N*W-1:0] ADDEND_TABLE = 0,
    parameter integer TERNARY = 1,
    parameter integer INVERSION_KEPT = 6,
    parameter integer INVERSION_BOUND = 1024,
    parameter integer INVERSION_FACTORS = 0,
    parameter integer INVERSION_ADDENDS = 0,
    parameter integer P_4 = 1,
    parameter integer P_3 = 1,
    parameter integer RANGE_4 = 1,
    parameter integer RANGE_3 = 1,
    parameter [N-1:0] NEGATIVE_4 = 0,
    parameter [N-1:0] NEGATIVE_3 = 0,
    parameter [N*W-1:0] ONE = 0,
    parameter [N*W-1:0] MINUS_ONE = 0
) (
    input  wire clk,
    input  wire reset,
    input  wire in_valid,
    output wire in_ready,
    input  wire invert,
    input  wire [2*N*W-1:0] x,
    input  wire [2*N*W-1:0] y,
    output reg  out_valid,
    input  wire out_ready,
    output wire [2*N*W-1:0] s,
    output wire failed,
    output wire [15:0] outer_steps,
    output wire [15:0] inner_steps
);
    // The reduction starts when the product in A is an operand.
    localparam integer START = 5;

    reg [2*N*W-1:0] x_q, y_q;
    reg             multiplying, starting;
    reg [2:0]       step;
    wire            busy, reduce_done, invert_done;
    wire            done = reduce_done | invert_done;
    wire            reduce = multiplying && step == START[2:0];
    // An inversion is busy in its last cycle, too: its decision is not in the path to ready.
    assign in_ready = !multiplying && !starting && !busy && !reduce_done && (!out_valid || out_ready);

    always @(posedge clk)
        if (reset) begin
            multiplying <= 1'b0;
            starting <= 1'b0;
            out_valid <= 1'b0;
        end else begin
            starting <= in_valid && in_ready && invert;
            if (in_valid && in_ready) begin
                x_q <= x;
                y_q <= y;
                multiplying <= !invert;
                step <= 3'd0;
            end else if (multiplying) begin
                step <= step + 3'd1;
                if (reduce) multiplying <= 1'b0;
            end
            if (done) out_valid <= 1'b1;
            else if (out_ready) out_valid <= 1'b0;
        end

    // Products enter slot 0 in base A and slot 1 in base B. An inversion reads x in its cycle 3 last.
    wire in_b = multiplying && step[0];
    inverting_rowers #(
        .N(N), .W(W), .K_BITS(K_BITS), .FOLDS(FOLDS), .COLUMNS(COLUMNS), .BUS_FOLDS(BUS_FOLDS),
        .KEPT(KEPT), .FACTORS(FACTORS), .FACTOR_BITS(FACTOR_BITS),
        .ADDENDS(ADDENDS), .ADDEND_BITS(ADDEND_BITS),
        .K_TABLE(K_TABLE), .FACTOR_TABLE(FACTOR_TABLE), .ADDEND_TABLE(ADDEND_TABLE),
        .TERNARY(TERNARY), .INVERSION_KEPT(INVERSION_KEPT), .BOUND(INVERSION_BOUND),
        .P_4(P_4), .P_3(P_3), .RANGE_4(RANGE_4), .RANGE_3(RANGE_3),
        .NEGATIVE_4(NEGATIVE_4), .NEGATIVE_3(NEGATIVE_3), .ONE(ONE), .MINUS_ONE(MINUS_ONE),
        .FIRST_FACTOR(INVERSION_FACTORS), .FIRST_ADDEND(INVERSION_ADDENDS)
    ) rowers (
        .clk(clk), .reset(reset),
        .slot(multiplying && step < 3'd2), .slot_x_select(1'b0), .slot_y_select(1'b0),
        .slot_channel(in_b), .slot_factor({FACTOR_BITS{1'b0}}),
        .slot_addend({ADDEND_BITS{1'b0}}), .slot_accumulate(1'b0), .slot_negate(1'b0),
        .x(in_b ? x_q[N*W +: N*W] : x_q[0 +: N*W]), .y(in_b ? y_q[N*W +: N*W] : y_q[0 +: N*W]),
        .reduce(reduce), .reduce_done(reduce_done), .invert(starting), .invert_done(invert_done),
        .failed(failed), .outer_steps(outer_steps), .inner_steps(inner_steps), .busy(busy),
        .accumulators(s)
    );
endmodule
