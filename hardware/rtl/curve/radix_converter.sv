// The way out of residues: from the digits of the Chinese remainder theorem to the integer below P.
//
// What it does: X = sum digit_i (A/a_i) - h A, word by word from the least significant, with one multiplier:
// column j sums digit_i |A/a_i|_word j over i, subtracts h A_word j, and leaves the low W bits; h comes
// from a Cox that starts at 1/2. Beside X, it subtracts P and 2 P, and takes the last that is not negative.
// Ports: digits of 0 <= X < 3P, canonical, in a cycle with start; integer: X mod P, in N words of W bits.
// Range: X < A/2, for which the Cox is exact (checked by the generator).
// Cycles: done is 1 in cycle N (N + 3) + 1 after start; integer is there from that cycle on.
// Constant time. Not done: X >= 3P.
module radix_converter #(
    parameter integer N = 10,
    parameter integer W = 28,
    parameter integer KEPT = 6,
    // Word j of A/a_i at [(j (N + 1) + i) W +: W], of A at i = N.
    parameter [N*(N+1)*W-1:0] COFACTORS = 0,
    parameter [N*W-1:0] P = 0,
    parameter [N*W-1:0] TWICE_P = 0
) (
    input  wire           clk,
    input  wire           reset,
    input  wire           start,
    input  wire [N*W-1:0] digits,
    output wire           done,
    output wire [N*W-1:0] integer_below_p
);
    localparam integer COUNT_BITS = $clog2(N + 3);
    localparam integer COLUMN_BITS = $clog2(N + 1);
    localparam integer WORDS = N * (N + 1);
    localparam integer ADDRESS_BITS = $clog2(WORDS);
    // A column's sum is above -n 2^(2 W) and below (n + 1) 2^(2 W).
    localparam integer SUM_BITS = 2 * W + $clog2(N + 1) + 2;

    // Cycle `count` of column `column`: 0 to N read the words of digits 0 to N - 1 and of the rank, 1 to
    // N + 1 multiply, 2 to N + 2 add up. In cycle N + 2 the column's word leaves.
    reg                     running;
    reg [COUNT_BITS-1:0]    count;
    reg [COLUMN_BITS-1:0]   column;
    reg [ADDRESS_BITS-1:0]  address;
    reg [N*W-1:0]           ring;
    wire [31:0] count_32 = {{(32-COUNT_BITS){1'b0}}, count};
    wire in_digits = running && count_32 < N;
    wire last_count = count_32 == N + 2;
    wire last_column = {{(32-COLUMN_BITS){1'b0}}, column} == N - 1;
    reg finished;
    assign done = finished;
    always @(posedge clk) begin
        finished <= running && last_count && last_column && !reset;
        if (reset) running <= 1'b0;
        else if (start) begin
            running <= 1'b1;
            count <= {COUNT_BITS{1'b0}};
            column <= {COLUMN_BITS{1'b0}};
            address <= {ADDRESS_BITS{1'b0}};
            ring <= digits;
        end else if (running) begin
            count <= last_count ? {COUNT_BITS{1'b0}} : count + 1'b1;
            if (count_32 <= N) address <= address + 1'b1;
            if (in_digits) ring <= {ring[0 +: W], ring[N*W-1:W]};
            if (last_count) begin
                column <= column + 1'b1;
                if (last_column) running <= 1'b0;
            end
        end
    end

    // The rank, while the digits of the first column pass: below N + 1, after cycle N - 1.
    localparam integer RANK_BITS = $clog2(N + 1);
    wire step = in_digits && column == {COLUMN_BITS{1'b0}};
    wire quotient;
    cox #(.DIGIT_W(W), .INTEGER(0), .KEPT(KEPT)) cox_unit
        (.clk(clk), .start(start), .offset(1'b1), .step(step), .digit(ring[0 +: W]),
         .quotient(quotient));
    reg [RANK_BITS-1:0] rank;
    always @(posedge clk)
        if (start) rank <= {RANK_BITS{1'b0}};
        else if (step) rank <= rank + {{(RANK_BITS-1){1'b0}}, quotient};

    // One multiplier, and the column's sum, which is signed.
    reg  [W-1:0]   factor;
    wire [W-1:0]   cofactor;
    rom #(.WIDTH(W), .WORDS(WORDS), .ADDRESS_BITS(ADDRESS_BITS), .TABLE(COFACTORS)) cofactors
        (.clk(clk), .address(address), .data(cofactor));
    reg  [2*W-1:0] product;
    reg            subtract_1, subtract_2, add_1, add_2;
    reg  [SUM_BITS-1:0] sum;
    wire [SUM_BITS-1:0] term = {{(SUM_BITS-2*W){1'b0}}, product};
    wire [SUM_BITS-1:0] next_sum = !add_2 ? sum : subtract_2 ? sum - term : sum + term;
    always @(posedge clk) begin
        factor <= in_digits ? ring[0 +: W] : {{(W-RANK_BITS){1'b0}}, rank};
        add_1 <= running && count_32 <= N;
        subtract_1 <= count_32 == N;
        product <= {{W{1'b0}}, factor} * {{W{1'b0}}, cofactor};
        add_2 <= add_1;
        subtract_2 <= subtract_1;
        if (start) sum <= {SUM_BITS{1'b0}};
        else if (running && last_count) sum <= {{W{next_sum[SUM_BITS-1]}}, next_sum[SUM_BITS-1:W]};
        else if (running) sum <= next_sum;
    end

    // X, X - P and X - 2 P, word by word.
    wire [W-1:0] word = next_sum[W-1:0];
    reg  [N*W-1:0] x_0, x_1, x_2, p_words, twice_p_words;
    reg            borrow_1, borrow_2;
    wire [W:0] less_1 = {1'b0, word} - {1'b0, p_words[0 +: W]} - {{W{1'b0}}, borrow_1};
    wire [W:0] less_2 = {1'b0, word} - {1'b0, twice_p_words[0 +: W]} - {{W{1'b0}}, borrow_2};
    always @(posedge clk)
        if (start) begin
            p_words <= P;
            twice_p_words <= TWICE_P;
            borrow_1 <= 1'b0;
            borrow_2 <= 1'b0;
        end else if (running && last_count) begin
            x_0 <= {word, x_0[N*W-1:W]};
            x_1 <= {less_1[W-1:0], x_1[N*W-1:W]};
            x_2 <= {less_2[W-1:0], x_2[N*W-1:W]};
            borrow_1 <= less_1[W];
            borrow_2 <= less_2[W];
            p_words <= p_words >> W;
            twice_p_words <= twice_p_words >> W;
        end
    assign integer_below_p = !borrow_2 ? x_2 : !borrow_1 ? x_1 : x_0;
endmodule
