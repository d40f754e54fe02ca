// The row sums of the hierarchical extension: super-digits that are gathered, then broadcast.
//
// What it does: from the plain products xh_ij (A_i/a_ij) of the rowers it sums, for each row i of
// COLUMNS (c) moduli, Xh_i = sum_j xh_ij (A_i/a_ij). The cofactor A_i/a_ij has c - 1 words of W bits;
// word d arrives as a product of its own, of weight 2^(W d).
// Ports: products in the order of the rowers, each below 2^(2W); the rowers of a row are adjacent,
// and each brings SHARE of its moduli, one after the other. head is Xh_0, below c 2^(c W).
// Cycles: a product is in the sum in the next cycle; shift brings the next row to the head.
// Constant time. Not done: any check of the sums' range (proved: Xh_i < c A_i).
module gatherer #(
    parameter integer W = 17,
    parameter integer ROWERS = 16,
    parameter integer SHARE = 1,
    parameter integer COLUMNS = 2,
    parameter integer ENTRY_W = 35,
    parameter integer WORD_BITS = 1
) (
    input  wire                   clk,
    input  wire                   add,
    input  wire                   first,
    input  wire [WORD_BITS-1:0]   word,
    input  wire [ROWERS*2*W-1:0]  products,
    input  wire                   shift,
    output wire [ENTRY_W-1:0]     head
);
    localparam integer ADJACENT = COLUMNS / SHARE;
    localparam integer ROWS = ROWERS / ADJACENT;

    reg  [ROWS*ENTRY_W-1:0] entries;
    wire [ROWS*ENTRY_W-1:0] sums;
    assign head = entries[0 +: ENTRY_W];

    genvar i, j;
    generate
        for (i = 0; i < ROWS; i = i + 1) begin : row
            wire [ENTRY_W-1:0] kept =
                first ? {ENTRY_W{1'b0}} : entries[i*ENTRY_W +: ENTRY_W];
            for (j = 0; j < ADJACENT; j = j + 1) begin : column
                wire [ENTRY_W-1:0] product =
                    {{(ENTRY_W-2*W){1'b0}}, products[(i*ADJACENT+j)*2*W +: 2*W]};
                wire [ENTRY_W-1:0] term = product << (W * word);
                wire [ENTRY_W-1:0] sum;
                if (j == 0) begin : entry
                    assign sum = kept + term;
                end else begin : later
                    assign sum = column[j-1].sum + term;
                end
            end
            assign sums[i*ENTRY_W +: ENTRY_W] = column[ADJACENT-1].sum;
        end
    endgenerate

    always @(posedge clk)
        if (add) entries <= sums;
        else if (shift) entries <= entries >> ENTRY_W;
endmodule
