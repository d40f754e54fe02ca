// fold_reducer computes |x|_m for m = 2^W - k, every x of IN bits and every k from 1 to 2^K_BITS - 1, in
// two cycles.
module fold_reducer_proof #(
    parameter integer IN = 14,
    parameter integer W = 7,
    parameter integer K_BITS = 3,
    parameter integer FOLDS = 2
) (
    input clk
);
    // Any operands, which stay.
    (* anyconst *) reg [IN-1:0]     x;
    (* anyconst *) reg [K_BITS-1:0] k;
    wire [W-1:0] y;
    fold_reducer #(.IN(IN), .W(W), .K_BITS(K_BITS), .FOLDS(FOLDS)) reducer
        (.clk(clk), .x(x), .k(k), .y(y));

    localparam [IN-1:0] POWER = 1 << W;
    reg [1:0] cycles = 2'd0;
    always @(posedge clk) if (cycles < 2'd2) cycles <= cycles + 2'd1;
    always @* begin
        assume (k != 0);
        if (cycles == 2'd2) assert ({{(IN-W){1'b0}}, y} == x % (POWER - {{(IN-K_BITS){1'b0}}, k}));
    end
endmodule
