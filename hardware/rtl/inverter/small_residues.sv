// |X|_4 and |X|_3 of a number in affine form, and whether it is 1 or -1.
//
// What it does: from X^_i = |(X + C0) (M/m_i)^-1|_{m_i}, with C0 a multiple of 12,
//     q = floor(1/2 + sum trunc_t(X^_i) / 2^W)           the Cox, all digits at once
//     |X|_k = |sum X^_i |M/m_i|_k - q |M|_k|_k           k = 4 and, if TERNARY, k = 3
// The weights |M/m_i|_k are 1 or -1, since every modulus is odd and (if TERNARY) no multiple of 3.
// Ports: hats canonical; mod_4 in [0, 3], mod_3 in [0, 2] (0 if not TERNARY); one, minus_one: X is 1 or -1.
// Range: X in (-2P/3, P]. q is exact if n 2^-t + sum eps_i <= 1/2 + (C0 - 2P/3)/M and
// (C0 + P)/M + 1/2 < 1; t = KEPT comes from the library, which proves it.
// Cycles: 1 register; outputs are combinational behind it, in the cycle after the hats.
// Constant time (what the results are used for is not).
// Not done: any check that the Cox is exact.
module small_residues #(
    parameter integer N = 10,
    parameter integer W = 28,
    parameter integer KEPT = 6,
    parameter integer TERNARY = 1,
    parameter integer RANGE_4 = 1,
    parameter integer RANGE_3 = 1,
    // Bit i: whether |M/m_i|_k is -1.
    parameter [N-1:0] NEGATIVE_4 = 0,
    parameter [N-1:0] NEGATIVE_3 = 0,
    // 1 and -1 in affine form.
    parameter [N*W-1:0] ONE = 0,
    parameter [N*W-1:0] MINUS_ONE = 0
) (
    input  wire           clk,
    input  wire [N*W-1:0] hats,
    output wire [1:0]     mod_4,
    output wire [1:0]     mod_3,
    output wire           one,
    output wire           minus_one
);
    localparam integer SUM_BITS = KEPT + $clog2(N + 1);

    // What each channel gives.
    reg [N*KEPT-1:0] tops;
    reg [N*2-1:0]    lows;
    reg [N-1:0]      ones, minus_ones;
    wire [N*2-1:0]   thirds;
    integer i;
    always @(posedge clk)
        for (i = 0; i < N; i = i + 1) begin
            tops[i*KEPT +: KEPT] <= hats[i*W + W - KEPT +: KEPT];
            lows[i*2 +: 2] <= NEGATIVE_4[i] ? 2'd0 - hats[i*W +: 2] : hats[i*W +: 2];
            ones[i] <= hats[i*W +: W] == ONE[i*W +: W];
            minus_ones[i] <= hats[i*W +: W] == MINUS_ONE[i*W +: W];
        end
    assign one = &ones;
    assign minus_one = &minus_ones;

    // Their sums.
    reg [SUM_BITS-1:0] sum;
    reg [1:0]          sum_4;
    integer j;
    always @* begin
        sum = {{(SUM_BITS-KEPT){1'b0}}, 1'b1, {(KEPT-1){1'b0}}};
        sum_4 = 2'd0;
        for (j = 0; j < N; j = j + 1) begin
            sum = sum + {{(SUM_BITS-KEPT){1'b0}}, tops[j*KEPT +: KEPT]};
            sum_4 = sum_4 + lows[j*2 +: 2];
        end
    end
    localparam integer Q_BITS = SUM_BITS - KEPT;
    wire [Q_BITS-1:0] q = sum[SUM_BITS-1:KEPT];
    wire [1:0] q_4 = q[1:0];
    assign mod_4 = (RANGE_4 == 1) ? sum_4 - q_4 : sum_4 + q_4;

    generate
        if (TERNARY != 0) begin : ternary
            genvar c;
            for (c = 0; c < N; c = c + 1) begin : channel
                wire [1:0] third;
                reg  [1:0] third_q;
                mod3 #(.WIDTH(W)) unit (.x(hats[c*W +: W]), .y(third));
                always @(posedge clk)
                    third_q <= NEGATIVE_3[c] ? {third[0], third[1]} : third;
                assign thirds[c*2 +: 2] = third_q;
            end
            // A sum of numbers below 3, as digits in base 4, is congruent to the number they write.
            wire [1:0] sum_3, q_3, rank_3;
            mod3 #(.WIDTH(2*N)) sum_unit (.x(thirds), .y(sum_3));
            mod3 #(.WIDTH(Q_BITS)) rank_unit (.x(q), .y(q_3));
            assign rank_3 = (RANGE_3 == 1) ? {q_3[0], q_3[1]} : q_3;
            mod3 #(.WIDTH(4)) difference (.x({rank_3, sum_3}), .y(mod_3));
        end else begin : binary
            assign thirds = {(N*2){1'b0}};
            assign mod_3 = 2'd0;
            wire unused = &{1'b0, q, thirds};
        end
    endgenerate
endmodule
