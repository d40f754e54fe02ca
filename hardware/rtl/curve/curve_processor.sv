// A processor for scalar multiplication on a curve y^2 = x^3 + a x + b of prime order over GF(P): a Cox-Rower that
// multiplies and inverts, a register file, the ways into and out of residues, and a microprogram. With BANKS > 1
// it has as many banks of accumulators, and reductions wait beside the instructions that follow them.
//
// What it does: (X, Y) = k (x, y) by the generated microprogram (program.txt beside the header): double and
// add always, by complete formulas; then the inverse of Z, blinded by r, by the plus-minus inverter.
// Ports: x, y, blind: integers below P, in N words of W bits (the bits above P's are 0); (x, y) is on the
// curve; blind is random, not 0. scalar: any integer of SCALAR_BITS bits. result_x, result_y: integers
// below P; infinity: the result is the point at infinity, and has no coordinates. ready/valid as in
// cox_rower.sv; the operands are taken with in_valid and in_ready.
// Instructions, {operation, d, x, y, immediate, first, negate}, with their cycles (in brackets those for BANKS > 1):
//     0 MULTIPLY   accumulators := (first ? 0 : accumulators) +- x y, in A, then in B        2
//     1 SCALE      the same with the small number `immediate` for y                          2
//     2 REDUCE     d := accumulators / A mod P                                               4 + reduction  (2)
//     3 STORE      d := accumulators                                                         5              (1)
//     4 ENTER      accumulators := integer number `immediate`                                2 N
//     5 CHOOSE     d := y if the scalar's leading bit is 1, else x                           1
//     6 OUTPUT     output number `immediate` := x mod P (first: the accumulators of A)       N (N + 3) + 7
//     7 INVERT     accumulators of A := 1/x mod P; ends everything if there is none          1 + inversion
//     8 REPEAT     next bit of the scalar; back to instruction `immediate`, but for the last   1
//     9 HALT       the result is there                                                       1
//    10 WAIT       nothing                                                                   `immediate`, from 1
// With BANKS > 1, MULTIPLY and SCALE have the number of their bank in d, REDUCE and STORE in x; ENTER, OUTPUT and
// INVERT use bank 0. A reduction goes on in the cycles of the instructions after REDUCE, and writes d in its last one.
// The rules that instructions keep then are in banked_rowers.sv; besides, one register is written in a cycle.
// Integers: 0 x, 1 y, 2 blind, 3 the last output, 4 and on the generated constants. Outputs: 0 result_x, 1 result_y,
// 2 only enters again.
// Constant time: all but INVERT, whose operand is Z blind, uniform and independent of k and the point unless Z = 0
// (the point at infinity, which shows). The curve's equation and the choice of bits never branch.
// wipe: in any cycle; ends what is under way, and overwrites operands, registers, results and the rowers with 0 or with
// what follows from 0: registers one a cycle, then the accumulators, a reduction, a conversion, and an inversion that
// fails. `wiping` is 1 until then; wiping ends early with reset.
// Not done: whether (x, y) is on the curve; scalar blinding; faults.
module curve_processor #(
    parameter integer N = 10,
    parameter integer W = 28,
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
    parameter [N*W-1:0] MINUS_ONE = 0,
    parameter integer BANKS = 1,
    parameter integer SCALAR_BITS = 256,
    parameter integer REGISTER_BITS = 5,
    parameter integer PROGRAM_LENGTH = 2,
    parameter integer ENTER_FACTORS = 0,
    parameter integer CONVERTER_KEPT = 6,
    parameter [PROGRAM_LENGTH*(3*REGISTER_BITS+14)-1:0] PROGRAM = 0,
    parameter integer NUMBERS = 1,
    parameter [NUMBERS*N*W-1:0] CONSTANTS = 0,
    parameter [N*(N+1)*W-1:0] COFACTORS = 0,
    parameter [N*W-1:0] P_WORDS = 0,
    parameter [N*W-1:0] TWICE_P_WORDS = 0
) (
    input  wire clk,
    input  wire reset,
    input  wire wipe,
    output wire wiping,
    input  wire in_valid,
    output wire in_ready,
    input  wire [N*W-1:0] x,
    input  wire [N*W-1:0] y,
    input  wire [N*W-1:0] blind,
    input  wire [SCALAR_BITS-1:0] scalar,
    output reg  out_valid,
    input  wire out_ready,
    output reg  [N*W-1:0] result_x,
    output reg  [N*W-1:0] result_y,
    output reg  infinity
);
    localparam [3:0] MULTIPLY = 4'd0, SCALE = 4'd1, REDUCE = 4'd2, STORE = 4'd3, ENTER = 4'd4;
    localparam [3:0] CHOOSE = 4'd5, OUTPUT = 4'd6, INVERT = 4'd7, REPEAT = 4'd8, HALT = 4'd9, WAIT = 4'd10;
    localparam integer BANK_BITS = (BANKS > 1) ? $clog2(BANKS) : 1;
    // Steps of REDUCE before the reduction starts, and of STORE before the accumulators are there.
    localparam integer REDUCE_STEPS = (BANKS > 1) ? 0 : 3;
    localparam integer STORE_STEPS = (BANKS > 1) ? 0 : 4;
    localparam integer PROGRAM_BITS = $clog2(PROGRAM_LENGTH);
    localparam integer INSTRUCTION = 4 + 3 * REGISTER_BITS + 8 + 2;
    // Steps count up to 2 N - 1 and, if there are waits, to 254.
    localparam integer STEP_BITS = (BANKS > 1) ? 8 : $clog2(2 * N) + 1;
    localparam integer LOOP_BITS = $clog2(SCALAR_BITS + 1);

    // The program.
    reg [INSTRUCTION-1:0] instructions [0:PROGRAM_LENGTH-1];
    integer k;
    initial
        for (k = 0; k < PROGRAM_LENGTH; k = k + 1)
            instructions[k] = PROGRAM[k*INSTRUCTION +: INSTRUCTION];
    reg                    running;
    reg [PROGRAM_BITS-1:0] counter;
    wire [3:0]               operation;
    wire [REGISTER_BITS-1:0] d, rx, ry;
    wire [7:0]               immediate;
    wire                     first, negate;
    assign {operation, d, rx, ry, immediate, first, negate} = instructions[counter];
    wire [31:0] target = {24'd0, immediate};

    // The scalar, most significant bit first.
    reg [SCALAR_BITS-1:0] bits;
    reg [LOOP_BITS-1:0]   left;
    wire                  bit_now = bits[SCALAR_BITS-1];

    // Integers that enter: word `index` of number `immediate`, in steps 2 index and 2 index + 1.
    reg [N*W-1:0]       x_q, y_q, blind_q, output_q;
    reg [STEP_BITS-1:0] step;
    wire [31:0]         step_32 = {{(32-STEP_BITS){1'b0}}, step};
    reg [N*W-1:0]       number;
    wire [31:0]         constant = {24'd0, immediate} - 32'd4;
    always @*
        case (immediate)
            8'd0: number = x_q;
            8'd1: number = y_q;
            8'd2: number = blind_q;
            8'd3: number = output_q;
            default: number = CONSTANTS[constant*(N*W) +: N*W];
        endcase
    localparam integer INDEX_BITS = $clog2(N);
    wire [INDEX_BITS-1:0] index = step[1 +: INDEX_BITS];
    wire [W-1:0] word = number[index*W +: W];

    // Registers: residues in A and in B.
    wire [2*N*W-1:0] accumulators;
    wire [N*W-1:0] x_a, x_b, y_a, y_b;

    // Steps within an instruction.
    wire reduce_done, invert_done, failed, busy, converted;
    wire is_slot_pair = operation == MULTIPLY || operation == SCALE;
    // The parts of wiping: 1 accumulators and reduction, 2 conversion, 3 inversion; 0 otherwise.
    reg [1:0] wiping_part;
    assign wiping = wiping_part != 2'd0;
    wire wipe_done = (wiping_part == 2'd1) ? reduce_done : (wiping_part == 2'd2) ? converted : invert_done;
    wire reduce = (running && operation == REDUCE && step_32 == REDUCE_STEPS)
        || (wiping_part == 2'd1 && step_32 == 2 * BANKS + 4);
    wire invert = (running && operation == INVERT && step_32 == 0) || (wiping_part == 2'd3 && step_32 == 0);
    wire convert = (running && operation == OUTPUT && step_32 == 5) || (wiping_part == 2'd2 && step_32 == 0);
    reg  last;
    always @*
        case (operation)
            MULTIPLY, SCALE: last = step_32 == 1;
            REDUCE: last = (BANKS > 1) ? step_32 == 1 : reduce_done;
            STORE: last = step_32 == STORE_STEPS;
            ENTER: last = step_32 == 2 * N - 1;
            OUTPUT: last = converted;
            INVERT: last = invert_done;
            WAIT: last = step_32 + 1 == {24'd0, immediate};
            default: last = 1'b1;
        endcase
    // A reduction writes when it ends: the register of the REDUCE under way or, with several banks, of its own one.
    wire [REGISTER_BITS-1:0] reduced;
    wire stores = running && last && (operation == STORE || operation == CHOOSE);
    wire write = reduce_done | stores;
    wire [REGISTER_BITS-1:0] written = wiping ? step[REGISTER_BITS-1:0] : reduce_done ? reduced : d;
    wire chosen = !reduce_done && operation == CHOOSE;
    register_file #(.WIDTH(N * W), .ADDRESS_BITS(REGISTER_BITS)) registers_a (
        .clk(clk), .write(write | wiping), .address(written),
        .data(wiping ? {N*W{1'b0}} : !chosen ? accumulators[0 +: N*W] : bit_now ? y_a : x_a),
        .first(rx), .second(ry), .first_word(x_a), .second_word(y_a)
    );
    register_file #(.WIDTH(N * W), .ADDRESS_BITS(REGISTER_BITS)) registers_b (
        .clk(clk), .write(write | wiping), .address(written),
        .data(wiping ? {N*W{1'b0}} : !chosen ? accumulators[N*W +: N*W] : bit_now ? y_b : x_b),
        .first(rx), .second(ry), .first_word(x_b), .second_word(y_b)
    );

    wire [N*W-1:0] integer_below_p;
    assign in_ready = !running && !wiping && (!out_valid || out_ready);
    always @(posedge clk)
        if (reset || wipe) begin
            running <= 1'b0;
            out_valid <= 1'b0;
            wiping_part <= {1'b0, !reset};
            step <= {STEP_BITS{1'b0}};
            if (!reset) begin
                counter <= {PROGRAM_BITS{1'b0}};
                {x_q, y_q, blind_q, output_q, result_x, result_y} <= {6*N*W{1'b0}};
                bits <= {SCALAR_BITS{1'b0}};
                infinity <= 1'b0;
            end
        end else if (wiping) begin
            // Without the end of the step counter: it stays there until a part is done.
            step <= wipe_done ? {STEP_BITS{1'b0}} : (&step) ? step : step + 1'b1;
            if (wipe_done) wiping_part <= (wiping_part == 2'd3) ? 2'd0 : wiping_part + 2'd1;
        end else begin
            if (out_ready) out_valid <= 1'b0;
            if (in_valid && in_ready) begin
                running <= 1'b1;
                counter <= {PROGRAM_BITS{1'b0}};
                step <= {STEP_BITS{1'b0}};
                bits <= scalar;
                left <= SCALAR_BITS[LOOP_BITS-1:0];
                x_q <= x;
                y_q <= y;
                blind_q <= blind;
                infinity <= 1'b0;
            end else if (running) begin
                step <= last ? {STEP_BITS{1'b0}} : (&step) ? step : step + 1'b1;
                if (last) counter <= counter + 1'b1;
                if (operation == REPEAT) begin
                    bits <= bits << 1;
                    left <= left - 1'b1;
                    if (left != {{(LOOP_BITS-1){1'b0}}, 1'b1})
                        counter <= target[PROGRAM_BITS-1:0];
                end
                if (operation == OUTPUT && last) begin
                    output_q <= integer_below_p;
                    if (immediate == 8'd0) result_x <= integer_below_p;
                    if (immediate == 8'd1) result_y <= integer_below_p;
                end
                if (operation == HALT || (operation == INVERT && last && failed)) begin
                    running <= 1'b0;
                    out_valid <= 1'b1;
                    infinity <= operation == INVERT;
                end
            end
        end

    // Slots: base A in even steps, base B in odd ones.
    wire in_b = step[0];
    wire entering = operation == ENTER;
    wire leaving = operation == OUTPUT;
    wire slot = (running && (is_slot_pair || entering || (leaving && step_32 == 0)))
        || (wiping_part == 2'd1 && step_32 < 2 * BANKS);
    wire [31:0] factor = leaving ? INVERSION_FACTORS : ENTER_FACTORS + step_32;
    wire [15:0] outer_steps, inner_steps;
    wire slot_y_select = entering || leaving;
    wire slot_accumulate = !wiping && (entering ? step_32 >= 2 : is_slot_pair && !first);
    wire slot_negate = is_slot_pair && negate;
    wire [N*W-1:0] slot_x = wiping ? {N*W{1'b0}} : entering ? {N{word}}
        : (!leaving && operation != INVERT && in_b) ? x_b : x_a;
    wire [N*W-1:0] slot_y = operation == SCALE ? {N{{(W-8){1'b0}}, immediate}} : in_b ? y_b : y_a;
    wire unused = &{1'b0, factor, busy, outer_steps, inner_steps, step_32, target};
    generate
        if (BANKS == 1) begin : alone
            assign reduced = d;
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
                .clk(clk), .reset(reset || wipe),
                .slot(slot), .slot_x_select(!wiping && leaving && first), .slot_y_select(slot_y_select),
                .slot_channel((wiping || !leaving) && in_b), .slot_factor(factor[FACTOR_BITS-1:0]),
                .slot_addend({ADDEND_BITS{1'b0}}), .slot_accumulate(slot_accumulate), .slot_negate(slot_negate),
                .x(slot_x), .y(slot_y),
                .reduce(reduce), .reduce_done(reduce_done), .invert(invert), .invert_done(invert_done),
                .failed(failed), .outer_steps(outer_steps), .inner_steps(inner_steps), .busy(busy),
                .accumulators(accumulators)
            );
        end else begin : banked
            // The register of each bank's reduction.
            reg  [REGISTER_BITS-1:0] targets [0:BANKS-1];
            wire [BANK_BITS-1:0] wiped_bank = (step_32 < 2 * BANKS) ? step[1 +: BANK_BITS] : {BANK_BITS{1'b0}};
            wire [BANK_BITS-1:0] bank = wiping ? wiped_bank : is_slot_pair ? d[BANK_BITS-1:0]
                : (operation == REDUCE || operation == STORE) ? rx[BANK_BITS-1:0] : {BANK_BITS{1'b0}};
            wire [BANK_BITS-1:0] done_bank;
            assign reduced = targets[done_bank];
            always @(posedge clk) if (reduce) targets[bank] <= d;

            wire                   own_slot, own_accumulate, own_negate;
            wire [FACTOR_BITS-1:0] own_factor;
            wire [ADDEND_BITS-1:0] own_addend;
            wire [N*W-1:0]         own_x;
            inversion_control #(
                .N(N), .W(W), .TERNARY(TERNARY), .KEPT(INVERSION_KEPT), .BOUND(INVERSION_BOUND),
                .P_4(P_4), .P_3(P_3), .RANGE_4(RANGE_4), .RANGE_3(RANGE_3),
                .NEGATIVE_4(NEGATIVE_4), .NEGATIVE_3(NEGATIVE_3), .ONE(ONE), .MINUS_ONE(MINUS_ONE),
                .FIRST_FACTOR(INVERSION_FACTORS), .FIRST_ADDEND(INVERSION_ADDENDS),
                .FACTOR_BITS(FACTOR_BITS), .ADDEND_BITS(ADDEND_BITS)
            ) control (
                .clk(clk), .reset(reset || wipe), .start(invert), .a(slot_x), .busy(busy), .done(invert_done),
                .failed(failed), .outer_steps(outer_steps), .inner_steps(inner_steps),
                .slot(own_slot), .factor(own_factor), .addend(own_addend),
                .accumulate(own_accumulate), .negate(own_negate), .x(own_x),
                .latest(accumulators[0 +: N*W])
            );
            banked_rowers #(
                .N(N), .W(W), .BANKS(BANKS), .BANK_BITS(BANK_BITS), .K_BITS(K_BITS), .FOLDS(FOLDS),
                .COLUMNS(COLUMNS), .BUS_FOLDS(BUS_FOLDS), .KEPT(KEPT), .FACTORS(FACTORS), .FACTOR_BITS(FACTOR_BITS),
                .ADDENDS(ADDENDS), .ADDEND_BITS(ADDEND_BITS),
                .K_TABLE(K_TABLE), .FACTOR_TABLE(FACTOR_TABLE), .ADDEND_TABLE(ADDEND_TABLE)
            ) rowers (
                .clk(clk), .reset(reset || wipe),
                .slot(busy ? own_slot : slot), .slot_bank(bank), .slot_in_b(!busy & (wiping | !leaving) & in_b),
                .slot_x_select(!busy & !wiping & leaving & first), .slot_y_select(busy | slot_y_select),
                .slot_factor(busy ? own_factor : factor[FACTOR_BITS-1:0]),
                .slot_addend(busy ? own_addend : {ADDEND_BITS{1'b0}}),
                .slot_accumulate(busy ? own_accumulate : slot_accumulate),
                .slot_negate(busy ? own_negate : slot_negate),
                .x(busy ? own_x : slot_x), .y(slot_y), .reduce(reduce), .reduce_bank(bank),
                .done(reduce_done), .done_bank(done_bank), .read_bank(reduce_done ? done_bank : bank),
                .accumulators(accumulators)
            );
        end
    endgenerate

    radix_converter #(
        .N(N), .W(W), .KEPT(CONVERTER_KEPT), .COFACTORS(COFACTORS), .P(P_WORDS), .TWICE_P(TWICE_P_WORDS)
    ) converter (
        .clk(clk), .reset(reset || wipe), .start(convert), .digits(accumulators[0 +: N*W]),
        .done(converted), .integer_below_p(integer_below_p)
    );
endmodule
