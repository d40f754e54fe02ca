// A rower: one modular multiplier-accumulator that serves SHARE moduli of each of two bases.
//
// What it does: in every cycle one slot may enter. A slot computes
//     accumulator[channel] := (accumulator[channel] or 0) +- |x y|_m + constant      modulo m
// for the modulus m of its channel, from an operand x (from outside, an accumulator, the digit to
// gather or the broadcast) and an operand y (from outside or from the memory of factors), with a
// constant from the memory of addends. The sum also leaves as `result`.
// Channels: base * SHARE + s, for base 0 (A) and 1 (B) and 0 <= s < SHARE.
// Ports: stage numbers at the ends of names; all operands, results and constants are canonical,
// in [0, m). The product without reduction, `product`, is below 2^(2W).
// Cycles: a slot that enters at t (stage 0) has its product at t + 2, its result at t + 4, and the
// accumulator is an operand for slots from t + 5 on; with accumulate_4 it may be added to in
// every cycle. A broadcast through REDUCED_BUS = 1 enters two cycles before its slot.
// Constant time: no value steers anything.
// Not done: overlap of slots that depend on each other (the schedule keeps them 5 apart).
module rower #(
    parameter integer W = 17,
    parameter integer K_BITS = 8,
    parameter integer FOLDS = 2,
    parameter integer SHARE = 1,
    parameter integer CHANNEL_BITS = 1,
    parameter integer BUS_W = 17,
    parameter integer REDUCED_BUS = 0,
    parameter integer BUS_FOLDS = 2,
    parameter integer FACTORS = 1,
    parameter integer FACTOR_BITS = 1,
    parameter integer ADDENDS = 1,
    parameter integer ADDEND_BITS = 1,
    // k of each channel, channel 0 in the low bits; words of the memories, address 0 in the low bits.
    parameter [2*SHARE*K_BITS-1:0] K_TABLE = 0,
    parameter [FACTORS*W-1:0] FACTOR_TABLE = 0,
    parameter [ADDENDS*W-1:0] ADDEND_TABLE = 0
) (
    input  wire                    clk,
    // The broadcast, and the channel that it will be used in.
    input  wire [BUS_W-1:0]        bus,
    input  wire [CHANNEL_BITS-1:0] bus_channel,
    // Stage 0: operands. x_select: 0 x_0, 1 accumulator, 2 digit_0, 3 broadcast.
    input  wire [1:0]              x_select_0,
    input  wire                    y_select_0,
    input  wire [CHANNEL_BITS-1:0] channel_0,
    input  wire [FACTOR_BITS-1:0]  factor_0,
    input  wire [W-1:0]            x_0,
    input  wire [W-1:0]            y_0,
    input  wire [W-1:0]            digit_0,
    // Stage 2: reduction of the product.
    input  wire [CHANNEL_BITS-1:0] channel_2,
    output wire [2*W-1:0]          product,
    // Stage 3: address of the addend, which is read into stage 4.
    input  wire [ADDEND_BITS-1:0]  addend_3,
    // Stage 4: accumulation.
    input  wire [CHANNEL_BITS-1:0] channel_4,
    input  wire                    accumulate_4,
    input  wire                    negate_4,
    input  wire                    write_4,
    output wire [W-1:0]            result,
    output wire [2*SHARE*W-1:0]    accumulators
);
    wire [2*SHARE*W-1:0] accumulator;
    assign accumulators = accumulator;

    // The broadcast modulo the channel's modulus; a digit of a base needs no reduction, since
    // the product with it is reduced.
    wire [W-1:0] broadcast;
    generate
        if (REDUCED_BUS != 0) begin : reduced
            fold_reducer #(.IN(BUS_W), .W(W), .K_BITS(K_BITS), .FOLDS(BUS_FOLDS)) reducer
                (.clk(clk), .x(bus), .k(K_TABLE[bus_channel*K_BITS +: K_BITS]), .y(broadcast));
        end else begin : direct
            assign broadcast = bus[W-1:0];
            wire unused = &{1'b0, bus_channel};
        end
    endgenerate

    // Stage 0: operands.
    reg  [W-1:0] x, y_outside;
    wire [W-1:0] y_factor;
    reg          y_select;
    rom #(.WIDTH(W), .WORDS(FACTORS), .ADDRESS_BITS(FACTOR_BITS), .TABLE(FACTOR_TABLE)) factors
        (.clk(clk), .address(factor_0), .data(y_factor));
    always @(posedge clk) begin
        case (x_select_0)
            2'd0: x <= x_0;
            2'd1: x <= accumulator[channel_0*W +: W];
            2'd2: x <= digit_0;
            default: x <= broadcast;
        endcase
        y_outside <= y_0;
        y_select <= y_select_0;
    end

    // Stage 1: product.
    wire [W-1:0]   y = y_select ? y_factor : y_outside;
    reg  [2*W-1:0] xy;
    always @(posedge clk) xy <= {{W{1'b0}}, x} * {{W{1'b0}}, y};
    assign product = xy;

    // Stages 2 and 3: reduction.
    wire [W-1:0] reduced_4;
    fold_reducer #(.IN(2*W), .W(W), .K_BITS(K_BITS), .FOLDS(FOLDS)) product_reducer
        (.clk(clk), .x(xy), .k(K_TABLE[channel_2*K_BITS +: K_BITS]), .y(reduced_4));
    wire [W-1:0] addend_4;
    rom #(.WIDTH(W), .WORDS(ADDENDS), .ADDRESS_BITS(ADDEND_BITS), .TABLE(ADDEND_TABLE)) addends
        (.clk(clk), .address(addend_3), .data(addend_4));

    // Stage 4: constant +- product, then the accumulator, each modulo m = 2^W - k.
    wire [K_BITS-1:0] k_4 = K_TABLE[channel_4*K_BITS +: K_BITS];
    wire [W-1:0]      m_4 = {W{1'b0}} - {{(W-K_BITS){1'b0}}, k_4};
    wire [W:0] difference = {1'b0, addend_4} - {1'b0, reduced_4};
    wire [W-1:0] subtracted = difference[W] ? difference[W-1:0] + m_4 : difference[W-1:0];
    wire [W-1:0] added;
    wire [W-1:0] signed_term = negate_4 ? subtracted : added;
    channel_adder #(.W(W), .K_BITS(K_BITS)) add_constant
        (.x(addend_4), .y(reduced_4), .k(k_4), .sum(added));
    channel_adder #(.W(W), .K_BITS(K_BITS)) add_accumulator
        (.x(signed_term), .y(accumulate_4 ? accumulator[channel_4*W +: W] : {W{1'b0}}),
         .k(k_4), .sum(result));
    genvar c;
    generate
        for (c = 0; c < 2 * SHARE; c = c + 1) begin : own
            reg [W-1:0] value;
            always @(posedge clk) if (write_4 && channel_4 == c) value <= result;
            assign accumulator[c*W +: W] = value;
        end
    endgenerate
endmodule
