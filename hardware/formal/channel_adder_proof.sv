// channel_adder computes |x + y|_m for m = 2^W - k, all x, y < m and all k from 1 to 2^K_BITS - 1.
module channel_adder_proof #(
    parameter integer W = 28,
    parameter integer K_BITS = 8
) (
    input [W-1:0]      x,
    input [W-1:0]      y,
    input [K_BITS-1:0] k
);
    wire [W-1:0] sum;
    channel_adder #(.W(W), .K_BITS(K_BITS)) adder (.x(x), .y(y), .k(k), .sum(sum));

    localparam [W:0] POWER = {1'b1, {W{1'b0}}};
    wire [W:0] modulus = POWER - {{(W+1-K_BITS){1'b0}}, k};
    wire [W:0] total = {1'b0, x} + {1'b0, y};
    always @* begin
        assume (k != 0);
        assume ({1'b0, x} < modulus);
        assume ({1'b0, y} < modulus);
        assert ({1'b0, sum} == (total < modulus ? total : total - modulus));
    end
endmodule
