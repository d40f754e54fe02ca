// The sum of two residues modulo m = 2^W - k.
//
// Ports: x, y, sum in [0, m); 0 < k < 2^K_BITS, K_BITS < W.
// Combinational, constant time. Not done: any check of the ranges.
module channel_adder #(
    parameter integer W = 17,
    parameter integer K_BITS = 8
) (
    input  wire [W-1:0]      x,
    input  wire [W-1:0]      y,
    input  wire [K_BITS-1:0] k,
    output wire [W-1:0]      sum
);
    // x + y - m = x + y + k - 2^W: not negative if x + y + k has bit W (it is below 2^(W + 1)).
    wire [W:0] plain = {1'b0, x} + {1'b0, y};
    wire [W:0] less = plain + {{(W+1-K_BITS){1'b0}}, k};
    assign sum = less[W] ? less[W-1:0] : plain[W-1:0];
endmodule
