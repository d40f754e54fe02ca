// Z = X Y mod p by the sum of residues, with one RNS multiplier, not pipelined (SOR_1M_N of Mehrabi,
// "Improved Sum of Residues Modular Multiplication Algorithm", Cryptography 3 (2019), Figure 1).
//
// EXACT = 0: z is congruent to X Y, in [0, (1 + d) p) with d < 1/4; 31 cycles.
// EXACT = 1: z is X Y mod p; 37 cycles. In the six more, the same multipliers evaluate R = Z - p as an
//            integer, limb by limb, and p is subtracted if R is not negative.
//
// Cycles are counted from the one in which x and y are accepted to the one in which z may be taken.
// x, y: residues below their moduli, channel j at bits 66 j; X Y < 15M/16 as integers, which X, Y < 2p
// satisfy. The time does not depend on the operands.
//
// In each cycle (EXACT has those from 31 on; cycle = step + 1):
//   1  product x y                                        2  its residues, z
//   3  product z |M_j^-1|                                 4  gamma
//   5, 8, ..., 26   product gamma_i |<M_i>_p|_m_j         6, 9, ..., 27  its residues
//   7, 10, ..., 28  the residues and K_i are accumulated
//   29 product kappa |-p|; the correction is accumulated  30 its residues   31 they are accumulated
//   31 to 34 products of limbs; 32 to 35 their sums; 33 to 36 carries; 37 subtraction
module sor_1m_n #(
    parameter integer EXACT = 0
) (
    input  wire           clk,
    input  wire           reset,
    input  wire           in_valid,
    output wire           in_ready,
    input  wire [8*66-1:0] x,
    input  wire [8*66-1:0] y,
    output reg            out_valid,
    input  wire           out_ready,
    output wire [8*66-1:0] z
);
    `include "sum_of_residues.svh"

    localparam [5:0] LAST = (EXACT != 0) ? 6'd36 : 6'd30;
    localparam integer KAPPA_PRODUCT_BITS = WIDTH + CONSTANT_BITS;
    localparam integer KAPPA_SUM_BITS = KAPPA_PRODUCT_BITS + 3;

    // Sequence. `row` counts the products since the first one; it is the row of the factors' table.
    reg [5:0] step;
    reg [3:0] row;
    wire accept = in_valid & in_ready;
    assign in_ready = (step == 6'd0) & (~out_valid | out_ready);

    reg load_product, load_reduced, load_gamma, add_term, add_quotient, add_correction, load_carry;
    always @* begin
        load_product = accept;
        load_reduced = 1'b0;
        load_gamma = 1'b0;
        add_term = 1'b0;
        add_quotient = 1'b0;
        add_correction = 1'b0;
        load_carry = 1'b0;
        case (step)
            6'd1, 6'd5, 6'd8, 6'd11, 6'd14, 6'd17, 6'd20, 6'd23, 6'd26, 6'd29: load_reduced = 1'b1;
            6'd3: load_gamma = 1'b1;
            6'd2, 6'd4, 6'd7, 6'd10, 6'd13, 6'd16, 6'd19, 6'd22, 6'd25: load_product = 1'b1;
            6'd28: begin
                load_product = 1'b1;
                add_correction = 1'b1;
            end
            default: ;
        endcase
        case (step)
            6'd6, 6'd9, 6'd12, 6'd15, 6'd18, 6'd21, 6'd24, 6'd27: begin
                add_term = 1'b1;
                add_quotient = 1'b1;
            end
            6'd30: add_term = 1'b1;
            default: ;
        endcase
        if (EXACT != 0) begin
            case (step)
                6'd30, 6'd31, 6'd32, 6'd33: load_product = 1'b1;
                default: ;
            endcase
            case (step)
                6'd32, 6'd33, 6'd34, 6'd35: load_carry = 1'b1;
                default: ;
            endcase
        end
    end

    always @(posedge clk) begin
        if (reset) begin
            step <= 6'd0;
            out_valid <= 1'b0;
        end else begin
            if (out_ready) out_valid <= 1'b0;
            if (accept) step <= 6'd1;
            else if (step == LAST) begin
                step <= 6'd0;
                out_valid <= 1'b1;
            end else if (step != 6'd0) step <= step + 6'd1;
        end
        if (accept) row <= 4'd0;
        else if (load_product) row <= row + 4'd1;
    end

    // The factor that all channels share: gamma_i in row i, kappa in row 9.
    reg [CHANNELS*WIDTH-1:0] gammas;
    reg [KAPPA_SUM_BITS-1:0] kappa_sum;
    wire [KAPPA_SUM_BITS-QUOTIENT_BITS-1:0] kappa = kappa_sum[KAPPA_SUM_BITS-1:QUOTIENT_BITS];
    reg [WIDTH-1:0] shared_gamma;
    integer i;
    always @* begin
        shared_gamma = {WIDTH{1'b0}};
        for (i = 0; i < CHANNELS; i = i + 1)
            shared_gamma = shared_gamma | (gammas[i*WIDTH+:WIDTH] & {WIDTH{row == i[3:0] + 4'd1}});
    end
    wire [WIDTH-1:0] shared = (row == 4'd9)
        ? {{(WIDTH - KAPPA_SUM_BITS + QUOTIENT_BITS) {1'b0}}, kappa} : shared_gamma;

    // Rows of the tables.
    wire comparing = (EXACT != 0) & (row > 4'd9);
    wire [1:0] limb = row[1:0] - 2'd2;
    wire [CHANNELS*WIDTH-1:0] constants = comparing ? cofactor_limbs(limb) : factors(row);
    wire [2:0] alpha;
    wire [CHANNELS*WIDTH-1:0] correction = corrections(alpha);

    sor_rank #(
        .CHANNELS(CHANNELS),
        .WIDTH(WIDTH),
        .RANK_BITS(RANK_BITS)
    ) rank_estimate (
        .gammas(gammas),
        .rank(alpha)
    );

    // Channels.
    wire [CHANNELS*2*WIDTH-1:0] products;
    reg [CHANNELS*WIDTH-1:0] accumulators;
    wire subtract_p;
    assign z = accumulators;

    genvar j;
    generate
        for (j = 0; j < CHANNELS; j = j + 1) begin : channel
            wire [2*WIDTH-1:0] product;
            wire [WIDTH-1:0] reduced;
            wire [WIDTH-1:0] kept = product[WIDTH-1:0];
            wire [WIDTH-1:0] a = (step == 6'd0) ? x[j*WIDTH+:WIDTH]
                : (row == 4'd0) ? kept
                : comparing ? gammas[j*WIDTH+:WIDTH] : shared;
            wire [WIDTH-1:0] b = (step == 6'd0) ? y[j*WIDTH+:WIDTH] : constants[j*WIDTH+:WIDTH];
            wire [WIDTH-1:0] addend = subtract_p ? MINUS_P[j*WIDTH+:WIDTH]
                : add_correction ? correction[j*WIDTH+:WIDTH] : kept;
            wire [WIDTH-1:0] sum;

            sor_multiplier #(
                .WIDTH(WIDTH),
                .EXPONENT({24'd0, EXPONENTS[j*8+:8]})
            ) multiplier (
                .clk(clk),
                .load_product(load_product),
                .load_reduced(load_reduced),
                .a(a),
                .b(b),
                .product(product),
                .reduced(reduced)
            );
            modular_adder #(
                .WIDTH(WIDTH),
                .MODULUS(MODULI[j*WIDTH+:WIDTH])
            ) adder (
                .a(accumulators[j*WIDTH+:WIDTH]),
                .b(addend),
                .sum(sum)
            );

            assign products[j*2*WIDTH+:2*WIDTH] = product;
            always @(posedge clk) begin
                if (load_gamma) gammas[j*WIDTH+:WIDTH] <= reduced;
                if (accept) accumulators[j*WIDTH+:WIDTH] <= {WIDTH{1'b0}};
                else if (add_term | add_correction | subtract_p)
                    accumulators[j*WIDTH+:WIDTH] <= sum;
            end
        end
    endgenerate

    // Quotient: K_i = gamma_i floor(<M_i>_p / 2^(W-T)); kappa = floor(sum K_i / 2^T).
    wire [2:0] index = row[2:0] - 3'd1;
    wire [WIDTH-1:0] kappa_factor;
    wire [CONSTANT_BITS-1:0] kappa_constant;
    wire [KAPPA_PRODUCT_BITS-1:0] kappa_product;
    sor_quotient_multiplier #(
        .WIDTH(WIDTH),
        .CONSTANT_BITS(CONSTANT_BITS)
    ) quotient_multiplier (
        .clk(clk),
        .factor(kappa_factor),
        .constant(kappa_constant),
        .product(kappa_product)
    );
    always @(posedge clk) begin
        if (accept) kappa_sum <= {KAPPA_SUM_BITS{1'b0}};
        else if (add_quotient) kappa_sum <= kappa_sum + {3'b000, kappa_product};
    end

    generate
        if (EXACT != 0) begin : exact
            // The multiplier of the quotient computes (kappa + 1) limb_k(p), two cycles ahead.
            wire multiple = step >= 6'd29;
            wire [1:0] ahead = step[1:0] - 2'd1;
            reg [WIDTH-1:0] prime_limb;
            integer k;
            always @* begin
                prime_limb = {WIDTH{1'b0}};
                for (k = 0; k < LIMBS; k = k + 1)
                    prime_limb = prime_limb | (PRIME[k*WIDTH+:WIDTH] & {WIDTH{ahead == k[1:0]}});
            end
            wire [CONSTANT_BITS-1:0] next = {{(CONSTANT_BITS - KAPPA_SUM_BITS + QUOTIENT_BITS) {1'b0}},
                kappa} + {{(CONSTANT_BITS - 1) {1'b0}}, 1'b1};
            assign kappa_factor = multiple ? prime_limb : shared_gamma;
            assign kappa_constant = multiple ? next : quotient_constants(index);

            wire negative;
            sor_comparator #(
                .CHANNELS(CHANNELS),
                .WIDTH(WIDTH),
                .LIMBS(LIMBS),
                .MULTIPLE_BITS(KAPPA_PRODUCT_BITS)
            ) comparator (
                .clk(clk),
                .start(accept),
                .load_carry(load_carry),
                .products(products),
                .multiple(kappa_product),
                .correction(correction_limbs(alpha)),
                .negative(negative)
            );
            assign subtract_p = (step == LAST) & ~negative;
        end else begin : published
            assign kappa_factor = shared_gamma;
            assign kappa_constant = quotient_constants(index);
            assign subtract_p = 1'b0;
            wire unused = &{load_carry, products};
        end
    endgenerate
endmodule
