// Rowers with several banks of accumulators, in each of which one Montgomery reduction can be under way.
//
// What it does: the slots and reductions of rower_array.sv with SHARE = 1, on accumulators [bank][base]. While one
// bank is reduced, slots of the client enter another one in cycles that the reduction leaves free, and further
// reductions start. All share the multipliers, the digits, the gathered rows and the Cox.
// Ports: as those of rower_array.sv; done: the reduction of bank `done_bank` has ended, and its accumulators are there
// in this cycle. accumulators: those of bank `read_bank`, base A, then base B.
// Schedule: reduction_control.sv. The client keeps to these rules, which the generator's schedule checks:
//     one slot in every cycle, of the client or of a reduction;
//     a bank's reduction starts 5 cycles or more after the last slot in A; new numbers may enter the bank from 4
//     cycles before `done`, or before the cycle in which its accumulators are stored;
//     digits and gathered rows are those of one reduction at a time (Schedule::held of the generator).
// Constant time: nothing depends on a value. Not done: any check of these rules; SHARE > 1.
module banked_rowers #(
    parameter integer N = 10,
    parameter integer W = 28,
    parameter integer BANKS = 2,
    parameter integer BANK_BITS = 1,
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
    parameter [ADDENDS*N*W-1:0] ADDEND_TABLE = 0
) (
    input  wire                   clk,
    input  wire                   reset,
    // A slot of the client, as in rower_array.sv, on accumulators of slot_bank, in base B if slot_in_b.
    input  wire                   slot,
    input  wire [BANK_BITS-1:0]   slot_bank,
    input  wire                   slot_in_b,
    input  wire                   slot_x_select,
    input  wire                   slot_y_select,
    input  wire [FACTOR_BITS-1:0] slot_factor,
    input  wire [ADDEND_BITS-1:0] slot_addend,
    input  wire                   slot_accumulate,
    input  wire                   slot_negate,
    input  wire [N*W-1:0]         x,
    input  wire [N*W-1:0]         y,
    input  wire                   reduce,
    input  wire [BANK_BITS-1:0]   reduce_bank,
    output wire                   done,
    output wire [BANK_BITS-1:0]   done_bank,
    input  wire [BANK_BITS-1:0]   read_bank,
    output wire [2*N*W-1:0]       accumulators
);
    localparam integer HIERARCHICAL = (COLUMNS > 1) ? 1 : 0;
    localparam integer INTEGER = $clog2(COLUMNS);
    localparam integer BUS_W = COLUMNS * W + INTEGER;
    localparam integer WORDS = (COLUMNS > 2) ? COLUMNS - 1 : 1;
    localparam integer WORD_BITS = (WORDS > 1) ? $clog2(WORDS) : 1;
    localparam integer CHANNEL_BITS = $clog2(2 * BANKS);

    // The reductions, one for each bank, and what they do in this cycle.
    localparam integer OUTPUTS = 12 + WORD_BITS + FACTOR_BITS;
    wire [BANKS-1:0] ends, enters;
    wire [BANKS*OUTPUTS-1:0] all;
    reg  [OUTPUTS-1:0] now;
    reg  [BANK_BITS-1:0] own_bank, ending;
    integer k;
    always @* begin
        now = {OUTPUTS{1'b0}};
        own_bank = {BANK_BITS{1'b0}};
        ending = {BANK_BITS{1'b0}};
        for (k = 0; k < BANKS; k = k + 1) begin
            now = now | all[k*OUTPUTS +: OUTPUTS];
            if (enters[k]) own_bank = own_bank | k[BANK_BITS-1:0];
            if (ends[k]) ending = ending | k[BANK_BITS-1:0];
        end
    end
    assign done = |ends;
    assign done_bank = ending;
    wire in_slot, in_b, in_digits, in_gather, gather_first, in_sum, own_accumulate, cox_start, cox_half, entry, entry_b;
    wire inverse = in_slot & !(in_digits | in_gather | in_sum);
    wire [WORD_BITS-1:0] gather_word;
    wire [FACTOR_BITS-1:0] own_factor;
    wire ended;
    assign {ended, in_slot, in_b, in_digits, in_gather, gather_first, in_sum, own_accumulate, cox_start, cox_half,
            entry, entry_b, gather_word, own_factor} = now;
    genvar b, r;
    generate
        for (b = 0; b < BANKS; b = b + 1) begin : banks
            wire done_b, slot_b, b_b, digits_b, gather_b, first_b, sum_b, accumulate_b;
            wire start_b, half_b, entry_e, entry_f;
            wire [WORD_BITS-1:0] word_b;
            wire [FACTOR_BITS-1:0] factor_b;
            reduction_control #(
                .N(N), .COLUMNS(COLUMNS), .FACTOR_BITS(FACTOR_BITS), .WORD_BITS(WORD_BITS)
            ) control (
                .clk(clk), .reset(reset), .start(reduce && reduce_bank == b), .done(done_b), .slot(slot_b), .in_b(b_b),
                .digits(digits_b), .gather(gather_b), .gather_first(first_b), .gather_word(word_b), .sum(sum_b),
                .accumulate(accumulate_b), .factor(factor_b), .cox_start(start_b), .cox_half(half_b),
                .entry(entry_e), .entry_b(entry_f)
            );
            assign ends[b] = done_b;
            assign enters[b] = slot_b;
            assign all[b*OUTPUTS +: OUTPUTS] = {done_b, slot_b, b_b, digits_b, gather_b, first_b, sum_b, accumulate_b,
                                                start_b, half_b, entry_e, entry_f, word_b, factor_b};
        end
    endgenerate

    // The digits, in the order of the moduli. Kawamura's extension broadcasts them from the low end.
    wire                    digit_4;
    wire [CHANNEL_BITS-1:0] channel_4;
    wire [N*W-1:0]          results;
    reg  [N*W-1:0]          digits;
    always @(posedge clk)
        if (digit_4) digits <= results;
        else if (entry && HIERARCHICAL == 0) digits <= digits >> W;

    // What is broadcast, and the rank.
    wire [BUS_W-1:0] bus;
    wire [INTEGER:0] quotient;
    wire [N*2*W-1:0] products;
    cox #(.DIGIT_W(BUS_W), .INTEGER(INTEGER), .KEPT(KEPT)) cox_unit
        (.clk(clk), .start(cox_start), .offset(cox_half), .step(entry), .digit(bus), .quotient(quotient));
    wire [31:0] correction = (quotient == 0) ? 0 : {{(31-INTEGER){1'b0}}, quotient} + (entry_b ? 0 : COLUMNS);
    wire [ADDEND_BITS-1:0] sum_addend;
    generate
        if (HIERARCHICAL != 0) begin : hierarchical
            // The rank comes two cycles before the slot.
            reg [2*ADDEND_BITS-1:0] corrections;
            reg gather_1, gather_2, first_1, first_2;
            reg [WORD_BITS-1:0] word_1, word_2;
            always @(posedge clk) begin
                corrections <= {corrections[ADDEND_BITS-1:0], correction[ADDEND_BITS-1:0]};
                {gather_1, first_1, word_1} <= {in_gather, gather_first, gather_word};
                {gather_2, first_2, word_2} <= {gather_1, first_1, word_1};
            end
            assign sum_addend = corrections[2*ADDEND_BITS-1 -: ADDEND_BITS];
            gatherer #(.W(W), .ROWERS(N), .SHARE(1), .COLUMNS(COLUMNS), .ENTRY_W(BUS_W), .WORD_BITS(WORD_BITS))
                gather_unit (.clk(clk), .add(gather_2), .first(first_2), .word(word_2), .products(products),
                             .shift(entry), .head(bus));
        end else begin : direct
            assign sum_addend = correction[ADDEND_BITS-1:0];
            assign bus = digits[0 +: W];
            wire unused_here = &{1'b0, products, gather_first, gather_word};
        end
    endgenerate

    // Channels of a rower are base BANKS + bank.
    function automatic [CHANNEL_BITS-1:0] channel(input second, input [BANK_BITS-1:0] bank);
        channel = (second ? BANKS[CHANNEL_BITS-1:0] : {CHANNEL_BITS{1'b0}}) + {{(CHANNEL_BITS-BANK_BITS){1'b0}}, bank};
    endfunction
    wire [CHANNEL_BITS-1:0] channel_0 = slot ? channel(slot_in_b, slot_bank) : channel(in_b, own_bank);
    wire [CHANNEL_BITS-1:0] bus_channel = channel(entry_b, {BANK_BITS{1'b0}});
    wire write_0 = slot | inverse | in_sum;
    wire accumulate_0 = slot ? slot_accumulate : own_accumulate;
    wire [1:0] x_select_0 = slot ? {1'b0, slot_x_select} : in_sum ? 2'd3 : in_gather ? 2'd2 : 2'd1;
    wire y_select_0 = slot ? slot_y_select : 1'b1;
    wire [FACTOR_BITS-1:0] factor_0 = slot ? slot_factor : own_factor;
    wire [ADDEND_BITS-1:0] addend_0 = slot ? slot_addend : in_sum ? sum_addend : {ADDEND_BITS{1'b0}};
    wire unused = &{1'b0, correction, ended};

    // {channel, addend, write, digit, accumulate, negate} of stages 1 to 4.
    localparam integer CONTROL = CHANNEL_BITS + ADDEND_BITS + 4;
    reg [CONTROL-1:0] control_1, control_2, control_3;
    reg [CHANNEL_BITS+3:0] control_4;
    always @(posedge clk) begin
        control_1 <= {channel_0, addend_0, write_0, in_digits, accumulate_0, slot & slot_negate};
        control_2 <= control_1;
        control_3 <= control_2;
        control_4 <= {control_3[CONTROL-1 -: CHANNEL_BITS], control_3[3:0]};
    end
    assign channel_4 = control_4[4 +: CHANNEL_BITS];
    assign digit_4 = control_4[2];

    generate
        for (r = 0; r < N; r = r + 1) begin : rowers
            wire [2*BANKS*W-1:0] own;
            rower #(
                .W(W), .K_BITS(K_BITS), .FOLDS(FOLDS), .SHARE(BANKS), .CHANNEL_BITS(CHANNEL_BITS),
                .BUS_W(BUS_W), .REDUCED_BUS(HIERARCHICAL), .BUS_FOLDS(BUS_FOLDS),
                .FACTORS(FACTORS), .FACTOR_BITS(FACTOR_BITS), .ADDENDS(ADDENDS), .ADDEND_BITS(ADDEND_BITS),
                // The same modulus in all banks.
                .K_TABLE({{BANKS{K_TABLE[(2*r+1)*K_BITS +: K_BITS]}}, {BANKS{K_TABLE[2*r*K_BITS +: K_BITS]}}}),
                .FACTOR_TABLE(FACTOR_TABLE[r*FACTORS*W +: FACTORS*W]),
                .ADDEND_TABLE(ADDEND_TABLE[r*ADDENDS*W +: ADDENDS*W])
            ) unit (
                .clk(clk), .bus(bus), .bus_channel(bus_channel),
                .x_select_0(x_select_0), .y_select_0(y_select_0), .channel_0(channel_0),
                .factor_0(factor_0), .x_0(x[r*W +: W]), .y_0(y[r*W +: W]), .digit_0(digits[r*W +: W]),
                .channel_2(control_2[CONTROL-1 -: CHANNEL_BITS]), .product(products[r*2*W +: 2*W]),
                .addend_3(control_3[4 +: ADDEND_BITS]),
                .channel_4(channel_4), .write_4(control_4[3]), .accumulate_4(control_4[1]), .negate_4(control_4[0]),
                .result(results[r*W +: W]), .accumulators(own)
            );
            // With an index that is multiplied, yosys would make a shifter of each of these.
            reg [W-1:0] read_a, read_b;
            integer i;
            always @* begin
                read_a = {W{1'b0}};
                read_b = {W{1'b0}};
                for (i = 0; i < BANKS; i = i + 1)
                    if (read_bank == i[BANK_BITS-1:0]) begin
                        read_a = own[i*W +: W];
                        read_b = own[(BANKS+i)*W +: W];
                    end
            end
            assign accumulators[r*W +: W] = read_a;
            assign accumulators[(N+r)*W +: W] = read_b;
        end
    endgenerate
endmodule
