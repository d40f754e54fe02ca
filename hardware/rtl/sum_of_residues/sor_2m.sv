// Z = X Y mod p by the sum of residues with two RNS multipliers: SOR_2M of Mehrabi, "Improved Sum of
// Residues Modular Multiplication Algorithm", Cryptography 3 (2019), Figure 5.
//
// EXACT = 0: z is congruent to X Y, in [0, (1 + d) p) with d < 1/4; 18 cycles.
// EXACT = 1: z is X Y mod p, in [0, p); 22 cycles. In the four more, the first multiplier evaluates
//            Z - p as an integer, limb by limb, and p is subtracted if that is not negative.
//
// Cycles are counted from the one in which x and y are accepted to the first in which z is valid.
// x, y: residues below their moduli, channel j at bits 66 j; X Y < 15M/16 as integers, which X, Y < 2p
// satisfy. The number of cycles does not depend on the operands.
//
// What happens in each cycle (cycle = step + 1; EXACT alone has the last two lines):
//   product x y, its residues                             1, 2      first multiplier
//   product z |M_j^-1|, its residues gamma                3, 4      first multiplier
//   products gamma_i |<M_i>_p|_m_j for i = 2k-1 and 2k    5, 7, 9, 11
//   their residues                                        6, 8, 10, 12
//   accumulation for i = 2k-1, and of both K_i            7, 9, 11, 13
//   accumulation for i = 2k                               8, 10, 12, 14
//   product kappa |-p|, its residues, accumulation        15, 16, 18
//   accumulation of the correction for alpha              17
//   products of limbs, their sums, carries                16-19, 17-20, 18-21
//   subtraction of p                                      22
module sor_2m #(
    parameter integer EXACT = 0
) (
    input  wire            clk,
    input  wire            reset,
    input  wire            in_valid,
    output wire            in_ready,
    input  wire [8*66-1:0] x,
    input  wire [8*66-1:0] y,
    output wire            out_valid,
    input  wire            out_ready,
    output wire [8*66-1:0] z
);
    `include "sum_of_residues.svh"

    localparam integer KAPPA_PRODUCT_BITS = WIDTH + CONSTANT_BITS;
    // Eight products; the quotient is what is above QUOTIENT_BITS.
    localparam integer KAPPA_SUM_BITS = KAPPA_PRODUCT_BITS + 3;
    localparam integer KAPPA_BITS = KAPPA_SUM_BITS - QUOTIENT_BITS;

    // The schedule: bit s of each vector is for step s. Steps 0 to 3 are at the right, then those of
    // the four pairs of terms, and at the left the ten from step 12 on.
    localparam [5:0] LAST = (EXACT != 0) ? 6'd21 : 6'd17;
    localparam [5:0] KAPPA_READY = 6'd14;
    localparam [5:0] LOAD_GAMMA = 6'd3;
    localparam [9:0] LIMB_PRODUCTS = (EXACT != 0) ? 10'b0001111000 : 10'b0;
    localparam [63:0] LOAD_PRODUCT = {42'b0, 10'b0000000100 | LIMB_PRODUCTS, {4{2'b01}}, 4'b0100};
    localparam [63:0] LOAD_REDUCED = {42'b0, 10'b0000001000, {4{2'b10}}, 4'b0010};
    localparam [63:0] ADD_FIRST = {42'b0, 10'b0000100001, {3{2'b01}}, 2'b00, 4'b0000};
    localparam [63:0] ADD_SECOND = {42'b0, 10'b0000000010, {3{2'b10}}, 2'b00, 4'b0000};
    localparam [63:0] ADD_QUOTIENTS = {42'b0, 10'b0000000001, {3{2'b01}}, 2'b00, 4'b0000};
    localparam [63:0] ADD_CORRECTION = {42'b0, 10'b0000010000, 12'b0};
    localparam [63:0] LOAD_CARRY = {42'b0, 10'b0111100000, 12'b0};

    wire [5:0] step;
    // The number of products since the first one.
    reg [3:0] row;
    wire accept;
    wire load_product = accept | LOAD_PRODUCT[step];
    wire add_first = ADD_FIRST[step];
    wire add_second = ADD_SECOND[step];
    wire add_correction = ADD_CORRECTION[step];

    sequencer #(
        .STEP_BITS(6),
        .LAST(LAST)
    ) steps (
        .clk(clk),
        .reset(reset),
        .in_valid(in_valid),
        .in_ready(in_ready),
        .out_valid(out_valid),
        .out_ready(out_ready),
        .accept(accept),
        .step(step)
    );

    always @(posedge clk) begin
        if (accept) row <= 4'd0;
        else if (load_product) row <= row + 4'd1;
    end

    // The factors that all channels share: gamma_(2k-1) and gamma_2k in row k, kappa in row 5.
    reg [CHANNELS*WIDTH-1:0] gammas;
    reg [KAPPA_SUM_BITS-1:0] kappa_sum;
    wire [KAPPA_BITS-1:0] kappa = kappa_sum[KAPPA_SUM_BITS-1:QUOTIENT_BITS];
    reg [WIDTH-1:0] first_gamma, second_gamma;
    integer i;
    always @* begin
        first_gamma = {WIDTH{1'b0}};
        second_gamma = {WIDTH{1'b0}};
        for (i = 0; i < CHANNELS / 2; i = i + 1) begin
            first_gamma = first_gamma
                | (gammas[2*i*WIDTH+:WIDTH] & {WIDTH{row == i[3:0] + 4'd1}});
            second_gamma = second_gamma
                | (gammas[(2*i+1)*WIDTH+:WIDTH] & {WIDTH{row == i[3:0] + 4'd1}});
        end
    end
    wire [WIDTH-1:0] shared =
        (row == 4'd5) ? {{(WIDTH - KAPPA_BITS) {1'b0}}, kappa} : first_gamma;

    // The factors of the channels' own. Rows from 6 on are for the comparison with p.
    wire comparing = (EXACT != 0) & (row > 4'd5);
    wire [1:0] limb = row[1:0] - 2'd2;
    wire [3:0] first_row = (row == 4'd0) ? 4'd0 : {row[2:0], 1'b0} - 4'd1;
    wire [3:0] second_row = {row[2:0], 1'b0};
    wire [CHANNELS*WIDTH-1:0] first_constants = comparing ? cofactor_limbs(limb) : factors(first_row);
    wire [CHANNELS*WIDTH-1:0] second_constants = factors(second_row);
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

    wire [CHANNELS*2*WIDTH-1:0] products;
    reg [CHANNELS*WIDTH-1:0] first_terms, second_terms, accumulators;
    wire subtract_p;
    assign z = accumulators;

    genvar j;
    generate
        for (j = 0; j < CHANNELS; j = j + 1) begin : channel
            wire [WIDTH-1:0] first_reduced, second_reduced, sum;
            wire [WIDTH-1:0] a = (step == 6'd0) ? x[j*WIDTH+:WIDTH]
                : (row == 4'd0) ? first_terms[j*WIDTH+:WIDTH]
                : comparing ? gammas[j*WIDTH+:WIDTH] : shared;
            wire [WIDTH-1:0] b =
                (step == 6'd0) ? y[j*WIDTH+:WIDTH] : first_constants[j*WIDTH+:WIDTH];
            wire [WIDTH-1:0] addend = subtract_p ? MINUS_P[j*WIDTH+:WIDTH]
                : add_correction ? correction[j*WIDTH+:WIDTH]
                : add_second ? second_terms[j*WIDTH+:WIDTH] : first_terms[j*WIDTH+:WIDTH];
            wire [2*WIDTH-1:0] second_product;

            sor_multiplier #(
                .WIDTH(WIDTH),
                .EXPONENT({24'd0, EXPONENTS[j*8+:8]})
            ) first_multiplier (
                .clk(clk),
                .load_product(load_product),
                .load_reduced(1'b0),
                .a(a),
                .b(b),
                .product(products[j*2*WIDTH+:2*WIDTH]),
                .reduced(first_reduced)
            );
            sor_multiplier #(
                .WIDTH(WIDTH),
                .EXPONENT({24'd0, EXPONENTS[j*8+:8]})
            ) second_multiplier (
                .clk(clk),
                .load_product(load_product),
                .load_reduced(1'b0),
                .a(second_gamma),
                .b(second_constants[j*WIDTH+:WIDTH]),
                .product(second_product),
                .reduced(second_reduced)
            );
            modular_adder #(
                .WIDTH(WIDTH),
                .MODULUS(MODULI[j*WIDTH+:WIDTH])
            ) adder (
                .a(accumulators[j*WIDTH+:WIDTH]),
                .b(addend),
                .sum(sum)
            );

            always @(posedge clk) begin
                if (LOAD_REDUCED[step]) begin
                    first_terms[j*WIDTH+:WIDTH] <= first_reduced;
                    second_terms[j*WIDTH+:WIDTH] <= second_reduced;
                end
                if (step == LOAD_GAMMA) gammas[j*WIDTH+:WIDTH] <= first_reduced;
                if (accept) accumulators[j*WIDTH+:WIDTH] <= {WIDTH{1'b0}};
                else if (add_first | add_second | add_correction | subtract_p)
                    accumulators[j*WIDTH+:WIDTH] <= sum;
            end
            wire unused = &second_product;
        end
    endgenerate

    // Quotient: K_i = gamma_i floor(<M_i>_p / 2^(W-T)), kappa = floor(sum K_i / 2^T).
    wire [2:0] first_index = first_row[2:0] - 3'd1;
    wire [2:0] second_index = second_row[2:0] - 3'd1;
    wire [WIDTH-1:0] quotient_factor;
    wire [CONSTANT_BITS-1:0] quotient_constant;
    wire [KAPPA_PRODUCT_BITS-1:0] first_quotient, second_quotient;
    sor_quotient_multiplier #(
        .WIDTH(WIDTH),
        .CONSTANT_BITS(CONSTANT_BITS)
    ) first_quotient_multiplier (
        .clk(clk),
        .factor(quotient_factor),
        .constant(quotient_constant),
        .product(first_quotient)
    );
    sor_quotient_multiplier #(
        .WIDTH(WIDTH),
        .CONSTANT_BITS(CONSTANT_BITS)
    ) second_quotient_multiplier (
        .clk(clk),
        .factor(second_gamma),
        .constant(quotient_constants(second_index)),
        .product(second_quotient)
    );
    always @(posedge clk) begin
        if (accept) kappa_sum <= {KAPPA_SUM_BITS{1'b0}};
        else if (ADD_QUOTIENTS[step])
            kappa_sum <= kappa_sum + {3'b000, first_quotient} + {3'b000, second_quotient};
    end

    generate
        if (EXACT != 0) begin : exact
            // From KAPPA_READY on, the first multiplier of the quotient computes
            // (kappa + 1) limb_k(p).
            wire multiples = step >= KAPPA_READY;
            wire [5:0] prime_index = step - KAPPA_READY;
            wire [KAPPA_BITS-1:0] next = kappa + {{(KAPPA_BITS - 1) {1'b0}}, 1'b1};
            wire negative;
            assign quotient_factor = multiples ? prime_limbs(prime_index[1:0]) : first_gamma;
            assign quotient_constant = multiples
                ? {{(CONSTANT_BITS - KAPPA_BITS) {1'b0}}, next} : quotient_constants(first_index);
            assign subtract_p = (step == LAST) & ~negative;

            sor_comparator #(
                .CHANNELS(CHANNELS),
                .WIDTH(WIDTH),
                .LIMBS(LIMBS),
                .MULTIPLE_BITS(KAPPA_PRODUCT_BITS)
            ) comparator (
                .clk(clk),
                .start(accept),
                .load_carry(LOAD_CARRY[step]),
                .products(products),
                .multiple(first_quotient),
                .correction(correction_limbs(alpha)),
                .negative(negative)
            );
            wire unused = &prime_index[5:2];
        end else begin : published
            assign quotient_factor = first_gamma;
            assign quotient_constant = quotient_constants(first_index);
            assign subtract_p = 1'b0;
            wire unused = &products;
        end
    endgenerate
endmodule
