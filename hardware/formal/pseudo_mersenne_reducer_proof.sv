// pseudo_mersenne_reducer computes the residue of every number of 2 WIDTH bits.
module pseudo_mersenne_reducer_proof #(
    parameter integer WIDTH = 10,
    parameter integer EXPONENT = 2
) (
    input [2*WIDTH-1:0] value
);
    localparam [2*WIDTH-1:0] MODULUS =
        (1 << WIDTH) - ((EXPONENT == 0) ? 1 : (1 << EXPONENT) + 1);
    wire [WIDTH-1:0] residue;
    pseudo_mersenne_reducer #(
        .WIDTH(WIDTH),
        .EXPONENT(EXPONENT)
    ) reducer (
        .value(value),
        .residue(residue)
    );
    always @* assert ({{WIDTH{1'b0}}, residue} == value % MODULUS);
endmodule
