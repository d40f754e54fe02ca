// The registers, decisions and slots of the plus-minus inversion; see inverter.sv for the algorithm.
//
// What it does: holds U1, U3, V1, V3 in affine form, each with its residues modulo 4 and 3, chooses the
// steps, and gives the slots that the rowers are to execute in the channels of base A.
// Ports: a: canonical residues of 0 <= A < P, with start in a cycle in which `busy` is 0. done: 1 in
// the cycle from which S is in the accumulators of base A; failed is then 1 if there is no inverse.
// latest: the accumulators of base A, in the cycle after a slot's result was written to them.
// Cycles from start to done: 15 + 9 outer_steps + 7 inner_steps, 10 + ... if it fails.
//     ENTER  0 U3 = P   1 U1 = 0   2 V3 = A   3 V1 = 1                 9 cycles
//     INNER  0 V3 / D   1 V1 / D                                       7 cycles
//     OUTER  0, 1 (V3 +- U3) / D   2, 3 (V1 +- U1) / D                 9 cycles
//     LEAVE  0 S = +-V1 + P or +-U1 + P                                6 cycles, done in the last
// A slot's result is in a register after 5 cycles; its residues modulo 4 and 3 after 7.
// Variable time.
// Not done: A >= P is not refused.
module inversion_control #(
    parameter integer N = 10,
    parameter integer W = 28,
    parameter integer TERNARY = 1,
    parameter integer KEPT = 6,
    // 4 l: the bound on u + v, in half bits, for a P of l bits.
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
    parameter integer FIRST_ADDEND = 0,
    parameter integer FACTOR_BITS = 6,
    parameter integer ADDEND_BITS = 7
) (
    input  wire                   clk,
    input  wire                   reset,
    input  wire                   start,
    input  wire [N*W-1:0]         a,
    output wire                   busy,
    output wire                   done,
    output wire                   failed,
    output reg  [15:0]            outer_steps,
    output reg  [15:0]            inner_steps,
    output wire                   slot,
    output wire [FACTOR_BITS-1:0] factor,
    output wire [ADDEND_BITS-1:0] addend,
    output wire                   accumulate,
    output wire                   negate,
    output wire [N*W-1:0]         x,
    input  wire [N*W-1:0]         latest
);
    // Factors: (M/m)^-1, M/m, 1/2, 1/4, 1/3, 1/6, 1/12. Divisors, in this order: 0 to 4.
    localparam [2:0] BY_2 = 3'd0, BY_4 = 3'd1, BY_3 = 3'd2, BY_6 = 3'd3, BY_12 = 3'd4;
    // Addends: those of ENTER and LEAVE, then the constants of divisions, a word for each residue.
    localparam integer ZERO_HAT = FIRST_ADDEND, ONE_HAT = ZERO_HAT + 1, P_HAT = ZERO_HAT + 2;
    localparam integer LEAVE_PLUS = ZERO_HAT + 3, LEAVE_MINUS = ZERO_HAT + 4;
    localparam integer SINGLE_2 = ZERO_HAT + 5, SINGLE_4 = SINGLE_2 + 2;
    localparam integer SINGLE_3 = SINGLE_4 + 4, SINGLE_6 = SINGLE_3 + 3, SINGLE_12 = SINGLE_6 + 6;
    localparam integer SUM_6 = SINGLE_12 + 12, DIFFERENCE_6 = SUM_6 + 6;
    localparam integer SUM_12 = DIFFERENCE_6 + 6, DIFFERENCE_12 = SUM_12 + 12;
    localparam integer SUM_4 = SINGLE_4 + 4, DIFFERENCE_4 = SUM_4 + 4;
    localparam integer BOUND_BITS = $clog2(BOUND + 8);

    localparam [2:0] IDLE = 3'd0, ENTER = 3'd1, STEP = 3'd2, INNER = 3'd3, OUTER = 3'd4, LEAVE = 3'd5;
    reg [2:0] state;
    reg       gave_up;
    reg [3:0] count;

    // Numbers 0: U1 or V1 of pair 0, 1: U3 or V3 of pair 0, 2 and 3: of pair 1. V is pair `current`.
    reg               current;
    wire [4*N*W-1:0]  hats;
    reg [7:0]         tags_4, tags_3;
    reg [3:0]         are_one, are_minus_one;
    wire [1:0] v1 = {current, 1'b0}, v3 = {current, 1'b1};
    wire [1:0] u1 = {!current, 1'b0}, u3 = {!current, 1'b1};
    wire [1:0] v1_4 = tags_4[v1*2 +: 2], v3_4 = tags_4[v3*2 +: 2];
    wire [1:0] u1_4 = tags_4[u1*2 +: 2], u3_4 = tags_4[u3*2 +: 2];
    wire [1:0] v1_3 = tags_3[v1*2 +: 2], v3_3 = tags_3[v3*2 +: 2];
    wire [1:0] u1_3 = tags_3[u1*2 +: 2], u3_3 = tags_3[u3*2 +: 2];

    function automatic [1:0] add_3(input [1:0] p, input [1:0] q);
        reg [2:0] sum;
        begin
            sum = {1'b0, p} + {1'b0, q};
            if (sum >= 3'd3) sum = sum - 3'd3;
            add_3 = sum[1:0];
        end
    endfunction

    // u, v and the decision, in the first cycle of a step.
    reg  [BOUND_BITS-1:0] u, v;
    reg                   fresh;
    // u and v stand still from one decision to the cycle before the next, so that they are compared ahead.
    reg                   exhausted, now_swap;
    always @(posedge clk) begin
        exhausted <= u + v >= BOUND[BOUND_BITS-1:0];
        now_swap <= v > u;
    end
    wire found = fresh && (are_one[v3] || are_minus_one[v3] || are_one[u3] || are_minus_one[u3]);
    wire even = !v3_4[0];
    wire triple = TERNARY != 0 && v3_3 == 2'd0;
    wire deciding = state == STEP;
    wire choose_leave = found && !exhausted;
    wire choose_inner = !found && !exhausted && (even || triple);
    wire choose_outer = !found && !exhausted && !even && !triple;

    // The sum, or the difference.
    wire [1:0] sum_4 = v3_4 + u3_4, difference_4 = v3_4 - u3_4;
    wire now_sum = (TERNARY != 0) ? add_3(v3_3, u3_3) == 2'd0 : sum_4 == 2'd0;
    wire by_four = (now_sum ? sum_4 : difference_4) == 2'd0;
    wire [2:0] now_divisor = choose_inner
        ? (triple ? (!even ? BY_3 : v3_4 == 2'd0 ? BY_12 : BY_6) : v3_4 == 2'd0 ? BY_4 : BY_2)
        : (TERNARY == 0) ? BY_4 : by_four ? BY_12 : BY_6;
    // log2 D in half bits.
    wire [2:0] gain = choose_inner
        ? (now_divisor == BY_12 ? 3'd7 : now_divisor == BY_6 ? 3'd5 : now_divisor == BY_4 ? 3'd4
            : now_divisor == BY_3 ? 3'd3 : 3'd2)
        : (TERNARY == 0) ? 3'd2 : by_four ? 3'd5 : 3'd3;

    // Held for the other slots of the step. The result of an outer step goes to the pair `target`.
    reg [2:0] divisor_q;
    reg       sum_q, swap_q;
    wire [2:0] divisor = deciding ? now_divisor : divisor_q;
    wire       is_sum = deciding ? now_sum : sum_q;
    wire       leave_u = !are_one[v3] && (are_one[u3] || !are_minus_one[v3]);
    wire       leave_negative = !are_one[v3] && !are_one[u3];

    // In the deciding cycle the step has begun: its slot 0 enters.
    wire in_inner = deciding ? choose_inner : state == INNER;
    wire in_outer = deciding ? choose_outer : state == OUTER;
    wire in_leave = deciding ? choose_leave : state == LEAVE;
    wire [3:0] now = deciding ? 4'd0 : count;

    always @(posedge clk)
        if (reset) state <= IDLE;
        else case (state)
            IDLE: if (start) begin
                state <= ENTER;
                count <= 4'd0;
                u <= {BOUND_BITS{1'b0}};
                v <= {BOUND_BITS{1'b0}};
                current <= 1'b0;
                fresh <= 1'b1;
                gave_up <= 1'b0;
                outer_steps <= 16'd0;
                inner_steps <= 16'd0;
            end
            STEP: begin
                count <= 4'd1;
                divisor_q <= now_divisor;
                sum_q <= now_sum;
                swap_q <= now_swap;
                fresh <= choose_outer;
                if (exhausted) begin
                    state <= IDLE;
                    gave_up <= 1'b1;
                end else if (choose_leave) state <= LEAVE;
                else if (choose_inner) begin
                    state <= INNER;
                    v <= v + {{(BOUND_BITS-3){1'b0}}, gain};
                    inner_steps <= inner_steps + 16'd1;
                end else begin
                    state <= OUTER;
                    u <= now_swap ? v : u;
                    v <= (now_swap ? u : v) + {{(BOUND_BITS-3){1'b0}}, gain};
                    outer_steps <= outer_steps + 16'd1;
                end
            end
            default: begin
                count <= count + 4'd1;
                if (state == ENTER && count == 4'd8) state <= STEP;
                if (state == INNER && count == 4'd6) state <= STEP;
                if (state == OUTER && count == 4'd8) begin
                    state <= STEP;
                    current <= current ^ swap_q;
                end
                if (state == LEAVE && count == 4'd5) state <= IDLE;
            end
        endcase
    assign failed = gave_up || (deciding && exhausted);
    assign busy = state != IDLE;
    assign done = (state == LEAVE && count == 4'd5) || (deciding && exhausted);

    // The slots. `number` is the number that is written; slot 0 of a sum writes nothing.
    reg                    enters, writes, accumulates, negates, plain;
    reg [1:0]              number, source;
    reg [2:0]              operation;
    reg [1:0]              residue_4, residue_3;
    reg [31:0]             address;
    wire target = current ^ swap_q;
    always @* begin
        enters = 1'b0;
        writes = 1'b0;
        accumulates = 1'b0;
        negates = 1'b0;
        number = {current, 1'b1};
        source = v3;
        plain = 1'b0;
        operation = divisor + 3'd2;
        residue_4 = 2'd0;
        residue_3 = 2'd0;
        address = ZERO_HAT;
        if (state == ENTER && now < 4'd4) begin
            enters = 1'b1;
            writes = 1'b1;
            plain = 1'b1;
            operation = 3'd0;
            number = {now[1] ? current : !current, !now[0]};
            case (now[1:0])
                2'd0: address = P_HAT;
                2'd1: address = ZERO_HAT;
                2'd2: address = ZERO_HAT;
                default: address = ONE_HAT;
            endcase
        end else if (in_inner && now < 4'd2) begin
            enters = 1'b1;
            writes = 1'b1;
            source = (now == 4'd0) ? v3 : v1;
            number = source;
            residue_4 = tags_4[source*2 +: 2];
            residue_3 = tags_3[source*2 +: 2];
            case (divisor)
                BY_2: address = SINGLE_2 + {31'd0, residue_4[0]};
                BY_4: address = SINGLE_4 + {30'd0, residue_4};
                BY_3: address = SINGLE_3 + {30'd0, residue_3};
                BY_6: address = SINGLE_6 + (residue_4[0] ? 3 : 0) + {30'd0, residue_3};
                default: address = SINGLE_12 + 3 * {30'd0, residue_4} + {30'd0, residue_3};
            endcase
        end else if (in_outer && now < 4'd4) begin
            enters = 1'b1;
            writes = now[0];
            accumulates = now[0];
            negates = now[0] & !is_sum;
            case (now[1:0])
                2'd0: source = v3;
                2'd1: source = u3;
                2'd2: source = v1;
                default: source = u1;
            endcase
            number = {target, !now[1]};
            // The constant comes with the second slot.
            residue_4 = now[1] ? (is_sum ? v1_4 + u1_4 : v1_4 - u1_4)
                : (is_sum ? v3_4 + u3_4 : v3_4 - u3_4);
            residue_3 = now[1] ? add_3(v1_3, is_sum ? u1_3 : {u1_3[0], u1_3[1]})
                : add_3(v3_3, is_sum ? u3_3 : {u3_3[0], u3_3[1]});
            if (TERNARY == 0)
                address = (is_sum ? SUM_4 : DIFFERENCE_4) + {30'd0, residue_4};
            else if (divisor == BY_12)
                address = (is_sum ? SUM_12 : DIFFERENCE_12) + 3 * {30'd0, residue_4}
                    + {30'd0, residue_3};
            else
                address = (is_sum ? SUM_6 : DIFFERENCE_6) + (residue_4[0] ? 3 : 0)
                    + {30'd0, residue_3};
            // Address 0 holds 0.
            if (!now[0]) address = 0;
        end else if (in_leave && now == 4'd0) begin
            enters = 1'b1;
            operation = 3'd1;
            source = leave_u ? u1 : v1;
            negates = leave_negative;
            address = leave_negative ? LEAVE_MINUS : LEAVE_PLUS;
        end
    end
    wire [31:0] factor_32 = FIRST_FACTOR + {29'd0, operation};
    // Addresses are computed in 32 bits; the memories take what they need.
    wire unused = &{1'b0, address, factor_32};
    assign slot = enters;
    assign factor = factor_32[FACTOR_BITS-1:0];
    assign addend = address[ADDEND_BITS-1:0];
    assign accumulate = accumulates;
    assign negate = negates;
    // 0 and 1 and P enter as constants, with the factor 0.
    assign x = !plain ? hats[source*(N*W) +: N*W] : (now == 4'd2) ? a : {N*W{1'b0}};

    // The update functions: |X'|_4 of X' = (X + f P)/3, and |X'|_3 of (X + f P)/2 and (X + f P)/4,
    // with f = -X / P modulo the divisor: f_3 in [-1, 1], f_2 in [0, 1], f_4 in [-1, 2].
    wire [1:0] f_3 = (P_3 == 1) ? {residue_3[0], residue_3[1]} : residue_3;
    wire [1:0] f_4 = (P_4 == 1) ? 2'd0 - residue_4 : residue_4;
    // f_3 modulo 4: 2 stands for -1. f_4 modulo 3: 2 is 2, and 3 stands for -1, which is 2.
    wire [1:0] f_3_mod_4 = (f_3 == 2'd2) ? 2'd3 : f_3;
    wire [1:0] f_4_mod_3 = (f_4 == 2'd3) ? 2'd2 : f_4;
    function automatic [1:0] times_p_3(input [1:0] f);
        times_p_3 = (P_3 == 1) ? f : {f[0], f[1]};
    endfunction
    wire [1:0] sum_by_3 = (P_4 == 1) ? residue_4 + f_3_mod_4 : residue_4 - f_3_mod_4;
    wire [1:0] updated_4 = 2'd0 - sum_by_3;
    wire [1:0] sum_by_2 = add_3(residue_3, times_p_3({1'b0, residue_4[0]}));
    wire [1:0] sum_by_4 = add_3(residue_3, times_p_3(f_4_mod_3));
    wire [1:0] updated_3 = (divisor == BY_2) ? {sum_by_2[0], sum_by_2[1]} : sum_by_4;
    wire update_4 = TERNARY != 0 && in_inner && divisor == BY_3;
    wire update_3 = TERNARY != 0 && in_inner && (divisor == BY_2 || divisor == BY_4);

    // {writes, number, update_4, updated_4, update_3, updated_3}, until the result is in `latest`
    // (5 cycles) and until its residues are there (6 cycles).
    reg [8:0] info_1, info_2, info_3, info_4, info_5, info_6;
    always @(posedge clk) begin
        info_1 <= {writes & !reset, number, update_4, updated_4, update_3, updated_3};
        info_2 <= info_1;
        info_3 <= info_2;
        info_4 <= info_3;
        info_5 <= info_4;
        info_6 <= info_5;
        if (info_6[8]) begin
            tags_4[info_6[7:6]*2 +: 2] <= info_6[5] ? info_6[4:3] : mod_4;
            tags_3[info_6[7:6]*2 +: 2] <= info_6[2] ? info_6[1:0] : mod_3;
            are_one[info_6[7:6]] <= one;
            are_minus_one[info_6[7:6]] <= minus_one;
        end
    end

    genvar h;
    generate
        for (h = 0; h < 4; h = h + 1) begin : register
            reg [N*W-1:0] value;
            always @(posedge clk) if (info_5[8] && info_5[7:6] == h) value <= latest;
            assign hats[h*(N*W) +: N*W] = value;
        end
    endgenerate

    wire [1:0] mod_4, mod_3;
    wire       one, minus_one;
    small_residues #(
        .N(N), .W(W), .KEPT(KEPT), .TERNARY(TERNARY), .RANGE_4(RANGE_4), .RANGE_3(RANGE_3),
        .NEGATIVE_4(NEGATIVE_4), .NEGATIVE_3(NEGATIVE_3), .ONE(ONE), .MINUS_ONE(MINUS_ONE)
    ) residues (
        .clk(clk), .hats(latest), .mod_4(mod_4), .mod_3(mod_3), .one(one), .minus_one(minus_one)
    );
endmodule
