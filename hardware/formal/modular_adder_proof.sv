// modular_adder computes |a + b|_m for all a, b < m.
module modular_adder_proof #(
    parameter integer WIDTH = 66,
    parameter [WIDTH-1:0] MODULUS = {WIDTH{1'b1}} - 512
) (
    input [WIDTH-1:0] a,
    input [WIDTH-1:0] b
);
    wire [WIDTH-1:0] sum;
    modular_adder #(
        .WIDTH(WIDTH),
        .MODULUS(MODULUS)
    ) adder (
        .a(a),
        .b(b),
        .sum(sum)
    );

    wire [WIDTH:0] total = {1'b0, a} + {1'b0, b};
    always @* begin
        assume (a < MODULUS);
        assume (b < MODULUS);
        assert (sum < MODULUS);
        assert ({1'b0, sum} == total || {1'b0, sum} + {1'b0, MODULUS} == total);
    end
endmodule
