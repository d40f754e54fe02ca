// fold_reducer computes |x|_m for m = 2^W - k, every x of IN bits and every k from 1 to 2^K_BITS - 1, in
// two cycles. Every such x is quotient m + residue for one quotient and one residue below m: solvers multiply faster than
// they divide.
module fold_reducer_proof #(
    parameter integer IN = 14,
    parameter integer W = 7,
    parameter integer K_BITS = 3,
    parameter integer FOLDS = 2
) (
    input clk
);
    // Bits of a quotient: m is at least 2^(W-1).
    localparam integer Q = IN - W + 1;
    // Any operands, which stay.
    (* anyconst *) reg [Q-1:0]      quotient;
    (* anyconst *) reg [W-1:0]      residue;
    (* anyconst *) reg [K_BITS-1:0] k;
    // One bit more than a product has.
    wire [Q+W:0] modulus = (1 << W) - {{(Q+W+1-K_BITS){1'b0}}, k};
    wire [Q+W:0] whole = {{(W+1){1'b0}}, quotient} * modulus + {{(Q+1){1'b0}}, residue};
    wire [IN-1:0] x = whole[IN-1:0];
    wire [W-1:0] y;
    fold_reducer #(.IN(IN), .W(W), .K_BITS(K_BITS), .FOLDS(FOLDS)) reducer
        (.clk(clk), .x(x), .k(k), .y(y));

    reg [1:0] cycles = 2'd0;
    always @(posedge clk) if (cycles < 2'd2) cycles <= cycles + 2'd1;
    always @* begin
        assume (k != 0);
        assume ({{(Q+1){1'b0}}, residue} < modulus);
        assume (whole[Q+W:IN] == 0);
        if (cycles == 2'd2) assert (y == residue);
    end
endmodule
