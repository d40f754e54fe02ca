// Reduction modulo m = 2^W - k by folding, in two clock cycles.
//
// What it does: x = hi 2^W + lo is congruent to lo + k hi. FOLDS folds bring x below 2m, and one
// conditional subtraction makes it canonical.
// Ports: x < 2^IN, with the k that belongs to it; y < m, two cycles later.
// Range: the generator chooses FOLDS >= 2 so that FOLDS folds of any 0 <= x < 2^IN, for every k of
// the base, end below 2m. IN > W.
// Cycles: 2, with one operation in every cycle. Constant time.
// Not done: any check that k fits K_BITS or that FOLDS is enough (the generator asserts both).
module fold_reducer #(
    parameter integer IN = 34,
    parameter integer W = 17,
    parameter integer K_BITS = 8,
    parameter integer FOLDS = 2
) (
    input  wire              clk,
    input  wire [IN-1:0]     x,
    input  wire [K_BITS-1:0] k,
    output reg  [W-1:0]      y
);
    // The width after a number of folds: lo has W bits, k hi has K_BITS more than hi.
    function automatic integer width(input integer folds);
        integer i;
        begin
            width = IN;
            for (i = 0; i < folds; i = i + 1)
                width = 1 + ((width - W + K_BITS > W) ? width - W + K_BITS : W);
        end
    endfunction

    localparam integer FIRST = width(1);
    localparam integer LAST = width(FOLDS);

    wire [FIRST-1:0]  first;
    reg  [FIRST-1:0]  first_q;
    reg  [K_BITS-1:0] k_q;
    fold #(.IN(IN), .OUT(FIRST), .W(W), .K_BITS(K_BITS)) fold_1 (.x(x), .k(k), .y(first));
    always @(posedge clk) begin
        first_q <= first;
        k_q <= k;
    end

    // Folds 2 to FOLDS, each as wide as the one before needs: fold i reads after[i - 1].
    genvar i;
    generate
        for (i = 2; i <= FOLDS; i = i + 1) begin : after
            wire [width(i)-1:0] y_i;
            if (i == 2) begin : entry
                fold #(.IN(FIRST), .OUT(width(i)), .W(W), .K_BITS(K_BITS)) fold_i
                    (.x(first_q), .k(k_q), .y(y_i));
            end else begin : later
                fold #(.IN(width(i - 1)), .OUT(width(i)), .W(W), .K_BITS(K_BITS)) fold_i
                    (.x(after[i-1].y_i), .k(k_q), .y(y_i));
            end
        end
    endgenerate

    // last - m = last + k - 2^W; it is not negative if bit W of last + k is set. last < 2m, so
    // that last + k < 2^(W + 1) and the bits above are 0.
    wire [LAST-1:0] last = after[FOLDS].y_i;
    wire [LAST-1:0] sum = last + {{(LAST-K_BITS){1'b0}}, k_q};
    always @(posedge clk) y <= sum[W] ? sum[W-1:0] : last[W-1:0];
endmodule
