// |a + b|_MODULUS for a, b < MODULUS. Combinational.
module modular_adder #(
    parameter integer WIDTH = 66,
    // 2 to 2^WIDTH - 1.
    parameter [WIDTH-1:0] MODULUS = {WIDTH{1'b1}}
) (
    input  wire [WIDTH-1:0] a,
    input  wire [WIDTH-1:0] b,
    output wire [WIDTH-1:0] sum
);
    wire [WIDTH:0] total = {1'b0, a} + {1'b0, b};
    // Bit WIDTH + 1 is set exactly if total < MODULUS.
    wire [WIDTH+1:0] difference = {1'b0, total} - {2'b00, MODULUS};
    assign sum = difference[WIDTH+1] ? total[WIDTH-1:0] : difference[WIDTH-1:0];

    // Of a total that is not below MODULUS, the difference is below MODULUS.
    wire unused = difference[WIDTH];
endmodule
