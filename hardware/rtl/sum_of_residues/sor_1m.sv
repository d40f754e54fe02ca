// Z = X Y mod p by the sum of residues with one RNS multiplier: SOR_1M_N (PIPELINED = 0) and SOR_1M_P
// (PIPELINED = 1) of Mehrabi, "Improved Sum of Residues Modular Multiplication Algorithm",
// Cryptography 3 (2019), Figures 1 and 4. The tops sor_1m_n and sor_1m_p say what they compute.
//
// What happens in each cycle (cycle = step + 1; EXACT alone has the last two lines):
//                                                         PIPELINED = 0        PIPELINED = 1
//   product x y, its residues                             1, 2                 1, 2
//   product z |M_j^-1|, its residues gamma                3, 4                 3, 4
//   products gamma_i |<M_i>_p|_m_j                        5, 8, ..., 26        5, 7, ..., 19
//   their residues                                        6, 9, ..., 27        6, 8, ..., 20
//   accumulation of these, and of K_i                     7, 10, ..., 28       7, 9, ..., 21
//   product kappa |-p|, its residues, accumulation        29, 30, 31           22, 23, 24
//   accumulation of the correction for alpha              29                   22
//   products of limbs, their sums, carries                31-34, 32-35, 33-36  23-26, 24-27, 25-28
//   subtraction of p                                      37                   29
//
// Not pipelined, the residues replace the low half of the product, and the multiplier is idle while
// they are accumulated. Pipelined, they have registers of their own (528 flip-flops more).
module sor_1m #(
    parameter integer PIPELINED = 0,
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
    // the eight terms, and at the left the nine from the product with kappa on (pipelined: from the
    // cycle before it). The product of step 0 is stored when operands are accepted.
    localparam [5:0] LAST = (PIPELINED != 0) ? ((EXACT != 0) ? 6'd28 : 6'd23)
                                             : ((EXACT != 0) ? 6'd36 : 6'd30);
    localparam [5:0] KAPPA_READY = (PIPELINED != 0) ? 6'd21 : 6'd29;
    localparam [8:0] LIMB_PRODUCTS = (EXACT != 0) ? 9'b000111100 : 9'b0;
    localparam [63:0] LOAD_PRODUCT = (PIPELINED != 0)
        ? {35'b0, 9'b000000010 | LIMB_PRODUCTS, {8{2'b01}}, 4'b0100}
        : {27'b0, 9'b000000001 | LIMB_PRODUCTS, {8{3'b001}}, 4'b0100};
    localparam [63:0] LOAD_REDUCED = (PIPELINED != 0)
        ? {35'b0, 9'b000000100, {8{2'b10}}, 4'b0010}
        : {27'b0, 9'b000000010, {8{3'b010}}, 4'b0010};
    localparam [63:0] ADD_TERM = (PIPELINED != 0)
        ? {35'b0, 9'b000001001, {7{2'b01}}, 2'b00, 4'b0000}
        : {27'b0, 9'b000000100, {8{3'b100}}, 4'b0000};
    localparam [63:0] ADD_QUOTIENT = (PIPELINED != 0)
        ? {35'b0, 9'b000000001, {7{2'b01}}, 2'b00, 4'b0000}
        : {27'b0, 9'b000000000, {8{3'b100}}, 4'b0000};
    localparam [63:0] ADD_CORRECTION = (PIPELINED != 0)
        ? {35'b0, 9'b000000010, 20'b0} : {27'b0, 9'b000000001, 28'b0};
    localparam [63:0] LOAD_CARRY = (PIPELINED != 0)
        ? {35'b0, 9'b011110000, 20'b0} : {27'b0, 9'b011110000, 28'b0};
    localparam [5:0] LOAD_GAMMA = 6'd3;

    wire [5:0] step;
    // The number of products since the first one: the row of the table of factors.
    reg [3:0] row;
    wire accept;
    wire load_product = accept | LOAD_PRODUCT[step];
    wire add_term = ADD_TERM[step];
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

    // The factor that all channels share: gamma_i in row i, kappa in row 9.
    reg [CHANNELS*WIDTH-1:0] gammas;
    reg [KAPPA_SUM_BITS-1:0] kappa_sum;
    wire [KAPPA_BITS-1:0] kappa = kappa_sum[KAPPA_SUM_BITS-1:QUOTIENT_BITS];
    reg [WIDTH-1:0] gamma;
    integer i;
    always @* begin
        gamma = {WIDTH{1'b0}};
        for (i = 0; i < CHANNELS; i = i + 1)
            gamma = gamma | (gammas[i*WIDTH+:WIDTH] & {WIDTH{row == i[3:0] + 4'd1}});
    end
    wire [WIDTH-1:0] shared = (row == 4'd9) ? {{(WIDTH - KAPPA_BITS) {1'b0}}, kappa} : gamma;

    // The factors of the channels' own. Rows from 10 on are for the comparison with p.
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

    wire [CHANNELS*2*WIDTH-1:0] products;
    // The residues of the products of the cycle before the last.
    wire [CHANNELS*WIDTH-1:0] terms;
    reg [CHANNELS*WIDTH-1:0] accumulators;
    wire subtract_p;
    assign z = accumulators;

    genvar j;
    generate
        for (j = 0; j < CHANNELS; j = j + 1) begin : channel
            wire [WIDTH-1:0] reduced;
            wire [WIDTH-1:0] term = terms[j*WIDTH+:WIDTH];
            wire [WIDTH-1:0] a = (step == 6'd0) ? x[j*WIDTH+:WIDTH]
                : (row == 4'd0) ? term
                : comparing ? gammas[j*WIDTH+:WIDTH] : shared;
            wire [WIDTH-1:0] b = (step == 6'd0) ? y[j*WIDTH+:WIDTH] : constants[j*WIDTH+:WIDTH];
            wire [WIDTH-1:0] addend = subtract_p ? MINUS_P[j*WIDTH+:WIDTH]
                : add_correction ? correction[j*WIDTH+:WIDTH] : term;
            wire [WIDTH-1:0] sum;

            sor_multiplier #(
                .WIDTH(WIDTH),
                .EXPONENT({24'd0, EXPONENTS[j*8+:8]})
            ) multiplier (
                .clk(clk),
                .load_product(load_product),
                .load_reduced((PIPELINED != 0) ? 1'b0 : LOAD_REDUCED[step]),
                .a(a),
                .b(b),
                .product(products[j*2*WIDTH+:2*WIDTH]),
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

            if (PIPELINED != 0) begin : pipelined
                reg [WIDTH-1:0] kept;
                always @(posedge clk) if (LOAD_REDUCED[step]) kept <= reduced;
                assign terms[j*WIDTH+:WIDTH] = kept;
            end else begin : in_place
                assign terms[j*WIDTH+:WIDTH] = products[j*2*WIDTH+:WIDTH];
            end

            always @(posedge clk) begin
                if (step == LOAD_GAMMA) gammas[j*WIDTH+:WIDTH] <= reduced;
                if (accept) accumulators[j*WIDTH+:WIDTH] <= {WIDTH{1'b0}};
                else if (add_term | add_correction | subtract_p)
                    accumulators[j*WIDTH+:WIDTH] <= sum;
            end
        end
    endgenerate

    // Quotient: K_i = gamma_i floor(<M_i>_p / 2^(W-T)), kappa = floor(sum K_i / 2^T).
    wire [2:0] index = row[2:0] - 3'd1;
    wire [WIDTH-1:0] quotient_factor;
    wire [CONSTANT_BITS-1:0] quotient_constant;
    wire [KAPPA_PRODUCT_BITS-1:0] quotient_product;
    sor_quotient_multiplier #(
        .WIDTH(WIDTH),
        .CONSTANT_BITS(CONSTANT_BITS)
    ) quotient_multiplier (
        .clk(clk),
        .factor(quotient_factor),
        .constant(quotient_constant),
        .product(quotient_product)
    );
    always @(posedge clk) begin
        if (accept) kappa_sum <= {KAPPA_SUM_BITS{1'b0}};
        else if (ADD_QUOTIENT[step]) kappa_sum <= kappa_sum + {3'b000, quotient_product};
    end

    generate
        if (EXACT != 0) begin : exact
            // From KAPPA_READY on, the multiplier of the quotient computes (kappa + 1) limb_k(p).
            wire multiples = step >= KAPPA_READY;
            wire [5:0] prime_index = step - KAPPA_READY;
            wire [KAPPA_BITS-1:0] next = kappa + {{(KAPPA_BITS - 1) {1'b0}}, 1'b1};
            wire negative;
            assign quotient_factor = multiples ? prime_limbs(prime_index[1:0]) : gamma;
            assign quotient_constant =
                multiples ? {{(CONSTANT_BITS - KAPPA_BITS) {1'b0}}, next} : quotient_constants(index);
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
                .multiple(quotient_product),
                .correction(correction_limbs(alpha)),
                .negative(negative)
            );
            wire unused = &prime_index[5:2];
        end else begin : published
            assign quotient_factor = gamma;
            assign quotient_constant = quotient_constants(index);
            assign subtract_p = 1'b0;
            wire unused = &products;
        end
    endgenerate
endmodule
