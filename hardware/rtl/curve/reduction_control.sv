// The schedule of one reduction of banked_rowers.sv, from the cycle of `start` (0) to that of `done`.
//
// What it does: says in every cycle which slots the reduction enters into the rowers, and what it takes from the units
// that it shares with others.
// With D = 5 and E = N / COLUMNS entries, X = 0 and C = 0 (Kawamura, KBE), X = c + 1 and C = 2 (hierarchical, HBE):
//     0                     digits in A                    1   Z A^-1 in B
//     D to D+c-2            gather (HBE)
//     U = D+X to U+E-1      entries leave; U-1: the Cox starts
//     M = U+C to M+E-1      sums in B
//     H = M+E-1+D           digits in B; then H+D, ..., in the same way for sums in A
//     END = H+D+X+C+E-1+D   all is there: done
// Ports: every output is 0 in cycles in which the reduction is not under way or does not use it.
//     slot: a slot enters, in base B if `in_b`, by the word `factor` of the memory of factors; it is a slot of
//     digits, gathering or sums, or none of these (Z A^-1). accumulate: the slot adds to its accumulator.
//     gather_first, gather_word: the first product of a gathering, and the word of the cofactors.
//     cox_start, cox_half: the Cox begins in the next cycle, from 1/2 if cox_half.
//     entry: an entry leaves; entry_b: on its way to base B.
// Constant time. Not done: whether reductions collide (the generator's schedule keeps them apart).
module reduction_control #(
    parameter integer N = 10,
    parameter integer COLUMNS = 1,
    parameter integer FACTOR_BITS = 6,
    parameter integer WORD_BITS = 1
) (
    input  wire                   clk,
    input  wire                   reset,
    input  wire                   start,
    output wire                   done,
    output wire                   slot,
    output wire                   in_b,
    output wire                   digits,
    output wire                   gather,
    output wire                   gather_first,
    output wire [WORD_BITS-1:0]   gather_word,
    output wire                   sum,
    output wire                   accumulate,
    output wire [FACTOR_BITS-1:0] factor,
    output wire                   cox_start,
    output wire                   cox_half,
    output wire                   entry,
    output wire                   entry_b
);
    localparam integer ENTRIES = N / COLUMNS;
    localparam integer DEPTH = 5;
    localparam integer GATHERED = COLUMNS - 1;
    localparam integer WAIT = (COLUMNS > 1) ? COLUMNS + 1 : 0;
    localparam integer REDUCE_BUS = (COLUMNS > 1) ? 2 : 0;
    localparam integer BUS_1 = DEPTH + WAIT;
    localparam integer SUM_1 = BUS_1 + REDUCE_BUS;
    localparam integer DIGITS_2 = SUM_1 + ENTRIES - 1 + DEPTH;
    localparam integer BUS_2 = DIGITS_2 + DEPTH + WAIT;
    localparam integer SUM_2 = BUS_2 + REDUCE_BUS;
    localparam integer END = SUM_2 + ENTRIES - 1 + DEPTH;
    localparam integer TIME_BITS = $clog2(END + 1);
    // The memory of factors, as in rower_array.sv.
    localparam integer MATRIX_1 = 2;
    localparam integer COFACTOR_INVERSES = MATRIX_1 + ENTRIES;
    localparam integer MATRIX_2 = COFACTOR_INVERSES + 1;
    localparam integer ROW_COFACTORS = MATRIX_2 + ENTRIES;

    // In cycle 0 `start` itself says so.
    reg                  running;
    reg  [TIME_BITS-1:0] later;
    wire                 active = running | start;
    assign done = running && later == END[TIME_BITS-1:0];
    always @(posedge clk)
        if (reset) running <= 1'b0;
        else if (start) begin
            running <= 1'b1;
            later <= {{(TIME_BITS-1){1'b0}}, 1'b1};
        end else if (running) begin
            running <= !done;
            later <= later + 1'b1;
        end

    wire [31:0] now = running && !done ? {{(32-TIME_BITS){1'b0}}, later} : 0;
    function automatic during(input integer moment, input integer from, input integer length);
        during = moment >= from && moment < from + length;
    endfunction
    wire digits_1 = active && now == 0 && start;
    wire inverse = active && now == 1;
    wire gather_1 = active && during(now, DEPTH, GATHERED);
    wire sum_1 = active && during(now, SUM_1, ENTRIES);
    wire digits_2 = active && now == DIGITS_2;
    wire gather_2 = active && during(now, DIGITS_2 + DEPTH, GATHERED);
    wire sum_2 = active && during(now, SUM_2, ENTRIES);
    wire bus_1 = active && during(now, BUS_1, ENTRIES);
    wire bus_2 = active && during(now, BUS_2, ENTRIES);
    assign digits = digits_1 | digits_2;
    assign gather = gather_1 | gather_2;
    assign sum = sum_1 | sum_2;
    assign slot = digits | inverse | gather | sum;
    assign in_b = inverse | sum_1 | digits_2 | gather_2;
    assign accumulate = sum_1 | (sum_2 && now != SUM_2);
    assign gather_first = gather && (now == DEPTH || now == DIGITS_2 + DEPTH);
    assign cox_start = active && (now == BUS_1 - 1 || now == BUS_2 - 1);
    assign cox_half = active && now == BUS_2 - 1;
    assign entry = bus_1 | bus_2;
    assign entry_b = bus_1;

    wire [31:0] word = !gather ? 0 : now - (gather_1 ? DEPTH : DIGITS_2 + DEPTH);
    assign gather_word = word[WORD_BITS-1:0];
    wire [31:0] address = inverse ? 1 : gather_1 ? ROW_COFACTORS + word : gather_2 ? ROW_COFACTORS + GATHERED + word
        : sum_1 ? MATRIX_1 + now - SUM_1 : digits_2 ? COFACTOR_INVERSES : sum_2 ? MATRIX_2 + now - SUM_2 : 0;
    assign factor = address[FACTOR_BITS-1:0];
    wire unused = &{1'b0, word, address};
endmodule
