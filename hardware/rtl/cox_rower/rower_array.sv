// The Cox-Rower: rowers, Cox, broadcast, and the schedule of a Montgomery reduction.
//
// What it does: a client enters slots into all rowers at once (see rower.sv), for instance
// those that leave a product in the accumulators. `reduce` then starts the reduction
// modulo P of the number Z in the accumulators of both bases:
//     xh   = |Z (-P^-1) (A/a)^-1|_a                 digits of Q in base A
//     S_b  = |Z A^-1 + sum xh_i (A/a_i) P A^-1 - h P|_b        Q extended to B, times P, over A
//     xh'  = |S_b (B/b)^-1|_b
//     S_a  = |sum xh'_i (B/b_i) - h' B|_a           S extended to A
// with the ranks h, h' of the Cox, which starts at 0 for A -> B and at 1/2 for B -> A. P A^-1 is folded
// into the memories: Q itself has no residues in B here.
// With COLUMNS = 1 the sums run over the digits (Kawamura, KBE). With COLUMNS = c > 1 they run over
// rows of c digits, which are gathered first (hierarchical, HBE).
// In: the accumulators hold residues of 0 <= Z < A P in both bases. Out, at the end: those of
// S = Z A^-1 mod P (congruent), S < Z/A + 2P.
//
// Schedule, from the cycle of `reduce` (0); D = 5, S = SHARE <= 2, E = N / COLUMNS entries are broadcast:
//     0 to S-1             xh        S to 2S-1          Z A^-1
//     D to D+(c-1)S-1      gather (HBE)                 X = S-1 (KBE), (c-1)S + 2 (HBE)
//     D+X                  first entry leaves           C = 0 (KBE), 2 (HBE)
//     M = D+X+C  to M+ES-1     sums in B
//     H = M+(E-1)S+D  to H+S-1   xh'
//     H+D+X+C  to H+D+X+C+ES-1   sums in A
//     END = 4D+2X+2C+2ES-S-1     all accumulators are there: `done` is 1 in this cycle
// Slots of the client may enter when `busy` is 0, and in the cycle of `done`.
// Factors, in order: SHARE words each of -P^-1 (A/a)^-1; A^-1; the E SHARE words of the matrix A -> B,
// entry by entry; (B/b)^-1; the matrix B -> A; for HBE the cofactors of A, word by word, and of B.
// Addends: address 0 is 0; then, SHARE words for each h from 1 to c: |-h P|_b, then |-h B|_a.
// Constant time: the schedule depends on the parameters only.
// Not done: conversion from and to integers; the client's slots are not checked against the schedule.
module rower_array #(
    parameter integer N = 16,
    parameter integer W = 17,
    parameter integer K_BITS = 8,
    parameter integer FOLDS = 2,
    parameter integer SHARE = 1,
    parameter integer COLUMNS = 1,
    parameter integer BUS_FOLDS = 2,
    parameter integer KEPT = 6,
    parameter integer FACTORS = 1,
    parameter integer FACTOR_BITS = 1,
    parameter integer ADDENDS = 1,
    parameter integer ADDEND_BITS = 1,
    parameter integer CHANNEL_BITS = 1,
    parameter [2*N*K_BITS-1:0] K_TABLE = 0,
    parameter [FACTORS*(N/SHARE)*W-1:0] FACTOR_TABLE = 0,
    parameter [ADDENDS*(N/SHARE)*W-1:0] ADDEND_TABLE = 0
) (
    input  wire                          clk,
    input  wire                          reset,
    // A slot of the client; x_select: 0 x, 1 accumulator. y_select: 0 y, 1 factor.
    input  wire                          slot,
    input  wire                          slot_x_select,
    input  wire                          slot_y_select,
    input  wire [CHANNEL_BITS-1:0]       slot_channel,
    input  wire [FACTOR_BITS-1:0]        slot_factor,
    input  wire [ADDEND_BITS-1:0]        slot_addend,
    input  wire                          slot_accumulate,
    input  wire                          slot_negate,
    input  wire [(N/SHARE)*W-1:0]        x,
    input  wire [(N/SHARE)*W-1:0]        y,
    input  wire                          reduce,
    output wire                          busy,
    output wire                          done,
    // The sums of the slot that entered 4 cycles before.
    output wire [(N/SHARE)*W-1:0]        results,
    // [(rower 2 SHARE + channel) W +: W]
    output wire [2*N*W-1:0]              accumulators
);
    localparam integer ROWERS = N / SHARE;
    localparam integer HIERARCHICAL = (COLUMNS > 1) ? 1 : 0;
    localparam integer INTEGER = $clog2(COLUMNS);
    localparam integer BUS_W = COLUMNS * W + INTEGER;
    localparam integer ENTRIES = N / COLUMNS;
    localparam integer WORDS = (COLUMNS > 2) ? COLUMNS - 1 : 1;
    localparam integer WORD_BITS = (WORDS > 1) ? $clog2(WORDS) : 1;

    // The schedule.
    localparam integer DEPTH = 5;
    localparam integer WAIT = (HIERARCHICAL != 0) ? (COLUMNS - 1) * SHARE + 2 : SHARE - 1;
    localparam integer REDUCE_BUS = (HIERARCHICAL != 0) ? 2 : 0;
    localparam integer SUM_SLOTS = ENTRIES * SHARE;
    localparam integer BUS_1 = DEPTH + WAIT;
    localparam integer SUM_1 = BUS_1 + REDUCE_BUS;
    localparam integer DIGITS_2 = SUM_1 + (ENTRIES - 1) * SHARE + DEPTH;
    localparam integer BUS_2 = DIGITS_2 + DEPTH + WAIT;
    localparam integer SUM_2 = BUS_2 + REDUCE_BUS;
    localparam integer END = SUM_2 + SUM_SLOTS - 1 + DEPTH;
    localparam integer TIME_BITS = $clog2(END + 1);
    // The memories.
    localparam integer MATRIX_1 = 2 * SHARE;
    localparam integer COFACTOR_INVERSES = MATRIX_1 + SUM_SLOTS;
    localparam integer MATRIX_2 = COFACTOR_INVERSES + SHARE;
    localparam integer ROW_COFACTORS = MATRIX_2 + SUM_SLOTS;

    // Time since reduce. In cycle 0 `reduce` itself says so.
    reg                  running;
    reg  [TIME_BITS-1:0] later;
    assign done = running && later == END[TIME_BITS-1:0];
    assign busy = running && !done;
    always @(posedge clk)
        if (reset) running <= 1'b0;
        else if (reduce) begin
            running <= 1'b1;
            later <= {{(TIME_BITS-1){1'b0}}, 1'b1};
        end else if (running) begin
            running <= !done;
            later <= later + 1'b1;
        end

    // The schedule is decoded a cycle ahead, into registers: the time is not in the path to the memories.
    // While idle, they hold the addresses of time 0, in which `reduce` itself says that the digits are computed.
    wire                 goes_on = !reset && (running ? !done : reduce);
    wire [TIME_BITS-1:0] ahead = !goes_on ? {TIME_BITS{1'b0}} : running ? later + 1'b1 : {{(TIME_BITS-1){1'b0}}, 1'b1};
    wire [31:0] time_32 = {{(32-TIME_BITS){1'b0}}, ahead};
    // Whether a moment is in [from, from + length).
    function automatic during(input integer moment, input integer from, input integer length);
        during = moment >= from && moment < from + length;
    endfunction
    wire ahead_digits_1 = during(time_32, 0, SHARE);
    wire ahead_inverse = during(time_32, SHARE, SHARE);
    wire ahead_gather_1 = HIERARCHICAL != 0 && during(time_32, DEPTH, (COLUMNS - 1) * SHARE);
    wire ahead_bus_1 = during(time_32, BUS_1, SUM_SLOTS);
    wire ahead_sum_1 = during(time_32, SUM_1, SUM_SLOTS);
    wire ahead_digits_2 = during(time_32, DIGITS_2, SHARE);
    wire ahead_gather_2 = HIERARCHICAL != 0 && during(time_32, DIGITS_2 + DEPTH, (COLUMNS - 1) * SHARE);
    wire ahead_bus_2 = during(time_32, BUS_2, SUM_SLOTS);
    wire ahead_sum_2 = during(time_32, SUM_2, SUM_SLOTS);

    // Position within a phase, and the member s of the rower's moduli.
    wire [31:0] start = ahead_digits_1 ? 0 : ahead_inverse ? SHARE : ahead_gather_1 ? DEPTH
        : ahead_sum_1 ? SUM_1 : ahead_digits_2 ? DIGITS_2 : ahead_gather_2 ? DIGITS_2 + DEPTH : SUM_2;
    wire [31:0] ahead_position = time_32 - start;
    wire [31:0] ahead_bus_position = time_32 - (ahead_bus_1 ? BUS_1 : BUS_2);
    wire [31:0] ahead_member = ahead_position % SHARE;
    wire [31:0] ahead_bus_member = ahead_bus_position % SHARE;
    wire [31:0] base_b = (ahead_inverse | ahead_sum_1 | ahead_digits_2 | ahead_gather_2) ? SHARE : 0;
    wire [31:0] ahead_factor = ahead_position + (ahead_digits_1 ? 0 : ahead_inverse ? SHARE
        : ahead_sum_1 ? MATRIX_1 : ahead_digits_2 ? COFACTOR_INVERSES : ahead_sum_2 ? MATRIX_2
        : ahead_gather_1 ? ROW_COFACTORS : ROW_COFACTORS + (COLUMNS - 1) * SHARE);

    reg later_digits_1, in_inverse, in_gather, in_bus_1, in_sum_1, in_digits_2, in_bus_2, in_sum_2;
    reg [31:0] position, member, bus_member, own_channel, bus_channel, own_factor;
    always @(posedge clk) begin
        later_digits_1 <= goes_on & ahead_digits_1;
        in_inverse <= goes_on & ahead_inverse;
        in_gather <= goes_on & (ahead_gather_1 | ahead_gather_2);
        in_bus_1 <= goes_on & ahead_bus_1;
        in_sum_1 <= goes_on & ahead_sum_1;
        in_digits_2 <= goes_on & ahead_digits_2;
        in_bus_2 <= goes_on & ahead_bus_2;
        in_sum_2 <= goes_on & ahead_sum_2;
        position <= ahead_position;
        member <= ahead_member;
        bus_member <= ahead_bus_member;
        own_channel <= base_b + ahead_member;
        bus_channel <= (ahead_bus_1 ? SHARE : 0) + ahead_bus_member;
        own_factor <= ahead_factor;
    end
    wire in_digits_1 = reduce | later_digits_1;
    wire in_sum = in_sum_1 | in_sum_2;
    wire in_bus = in_bus_1 | in_bus_2;
    wire in_digits = in_digits_1 | in_digits_2;

    // The digits, in the order of the moduli: rower r has those of SHARE r to SHARE r + SHARE - 1.
    // Kawamura's extension broadcasts them from the low end.
    wire next_entry = in_bus && bus_member == SHARE - 1;
    wire                    digit_4;
    wire [CHANNEL_BITS-1:0] channel_4;
    wire [31:0] member_4 = {{(32-CHANNEL_BITS){1'b0}}, channel_4} % SHARE;
    wire [N*W-1:0]      digits;
    wire [ROWERS*W-1:0] digit_operands;
    genvar r, s;
    generate
        for (r = 0; r < ROWERS; r = r + 1) begin : digit_row
            for (s = 0; s < SHARE; s = s + 1) begin : digit
                localparam integer INDEX = r * SHARE + s;
                reg [W-1:0] value;
                wire [W-1:0] next;
                if (INDEX == N - 1) begin : last
                    assign next = {W{1'b0}};
                end else begin : inner
                    assign next = digits[(INDEX+1)*W +: W];
                end
                always @(posedge clk)
                    if (digit_4 && member_4 == s) value <= results[r*W +: W];
                    else if (next_entry && HIERARCHICAL == 0) value <= next;
                assign digits[INDEX*W +: W] = value;
            end
            assign digit_operands[r*W +: W] = digits[(r*SHARE+member)*W +: W];
        end
    endgenerate

    // What is broadcast, and the rank.
    wire [BUS_W-1:0] bus;
    wire [INTEGER:0] quotient;
    wire [ROWERS*2*W-1:0] products;
    cox #(.DIGIT_W(BUS_W), .INTEGER(INTEGER), .KEPT(KEPT)) cox_unit
        (.clk(clk), .start(in_digits), .offset(in_digits_2), .step(next_entry), .digit(bus),
         .quotient(quotient));

    // The control of the slot at stage 0, then of the stages that need it. The rank goes with the
    // last broadcast of an entry's members, and comes REDUCE_BUS cycles before the slot.
    wire [31:0] correction = (quotient == 0) ? 0
        : 1 + ({{(31-INTEGER){1'b0}}, quotient} - 1) * SHARE + bus_member
            + (in_bus_1 ? 0 : COLUMNS * SHARE);
    wire [ADDEND_BITS-1:0] sum_addend;
    generate
        if (HIERARCHICAL != 0) begin : hierarchical
            reg [2*ADDEND_BITS-1:0] corrections;
            always @(posedge clk)
                corrections <= {corrections[ADDEND_BITS-1:0], correction[ADDEND_BITS-1:0]};
            assign sum_addend = corrections[2*ADDEND_BITS-1 -: ADDEND_BITS];
            reg gather_1, gather_2, first_1, first_2;
            wire [31:0] word_0 = position / SHARE;
            wire unused_word = &{1'b0, word_0};
            reg [WORD_BITS-1:0] word_1, word_2;
            always @(posedge clk) begin
                {gather_1, first_1, word_1} <= {in_gather, position == 0, word_0[WORD_BITS-1:0]};
                {gather_2, first_2, word_2} <= {gather_1, first_1, word_1};
            end
            gatherer #(.W(W), .ROWERS(ROWERS), .SHARE(SHARE), .COLUMNS(COLUMNS), .ENTRY_W(BUS_W),
                       .WORD_BITS(WORD_BITS)) gather_unit
                (.clk(clk), .add(gather_2), .first(first_2), .word(word_2), .products(products),
                 .shift(next_entry), .head(bus));
        end else begin : direct
            assign sum_addend = correction[ADDEND_BITS-1:0];
            assign bus = digits[0 +: W];
            wire unused_products = &{1'b0, products};
        end
    endgenerate
    wire write_0 = slot | in_inverse | in_sum;
    wire accumulate_0 = slot ? slot_accumulate : in_sum_1 | (in_sum_2 && position >= SHARE);
    wire negate_0 = slot & slot_negate;
    wire [1:0] x_select_0 = slot ? {1'b0, slot_x_select} : in_sum ? 2'd3 : in_gather ? 2'd2 : 2'd1;
    wire y_select_0 = slot ? slot_y_select : 1'b1;
    wire [CHANNEL_BITS-1:0] channel_0 = slot ? slot_channel : own_channel[CHANNEL_BITS-1:0];
    wire [FACTOR_BITS-1:0] factor_0 = slot ? slot_factor : own_factor[FACTOR_BITS-1:0];
    wire [ADDEND_BITS-1:0] addend_0 = slot ? slot_addend
        : in_sum ? sum_addend : {ADDEND_BITS{1'b0}};

    // Positions are computed in 32 bits; addresses take what they need.
    wire unused = &{1'b0, own_channel, own_factor, bus_channel, correction};

    // {channel, addend, write, digit, accumulate, negate} of stages 1 to 4.
    localparam integer CONTROL = CHANNEL_BITS + ADDEND_BITS + 4;
    reg [CONTROL-1:0] control_1, control_2, control_3;
    reg [CHANNEL_BITS+3:0] control_4;
    always @(posedge clk) begin
        control_1 <= {channel_0, addend_0, write_0, in_digits, accumulate_0, negate_0};
        control_2 <= control_1;
        control_3 <= control_2;
        control_4 <= {control_3[CONTROL-1 -: CHANNEL_BITS], control_3[3:0]};
    end
    assign channel_4 = control_4[4 +: CHANNEL_BITS];
    assign digit_4 = control_4[2];

    generate
        for (r = 0; r < ROWERS; r = r + 1) begin : rowers
            rower #(
                .W(W), .K_BITS(K_BITS), .FOLDS(FOLDS), .SHARE(SHARE), .CHANNEL_BITS(CHANNEL_BITS),
                .BUS_W(BUS_W), .REDUCED_BUS(HIERARCHICAL), .BUS_FOLDS(BUS_FOLDS),
                .FACTORS(FACTORS), .FACTOR_BITS(FACTOR_BITS),
                .ADDENDS(ADDENDS), .ADDEND_BITS(ADDEND_BITS),
                .K_TABLE(K_TABLE[r*2*SHARE*K_BITS +: 2*SHARE*K_BITS]),
                .FACTOR_TABLE(FACTOR_TABLE[r*FACTORS*W +: FACTORS*W]),
                .ADDEND_TABLE(ADDEND_TABLE[r*ADDENDS*W +: ADDENDS*W])
            ) unit (
                .clk(clk), .bus(bus), .bus_channel(bus_channel[CHANNEL_BITS-1:0]),
                .x_select_0(x_select_0), .y_select_0(y_select_0), .channel_0(channel_0),
                .factor_0(factor_0), .x_0(x[r*W +: W]), .y_0(y[r*W +: W]),
                .digit_0(digit_operands[r*W +: W]),
                .channel_2(control_2[CONTROL-1 -: CHANNEL_BITS]),
                .product(products[r*2*W +: 2*W]),
                .addend_3(control_3[4 +: ADDEND_BITS]),
                .channel_4(channel_4), .write_4(control_4[3]), .accumulate_4(control_4[1]),
                .negate_4(control_4[0]),
                .result(results[r*W +: W]),
                .accumulators(accumulators[r*2*SHARE*W +: 2*SHARE*W])
            );
        end
    endgenerate
endmodule
