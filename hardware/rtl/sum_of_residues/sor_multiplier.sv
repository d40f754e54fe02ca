// A modular multiplier of one channel, m = 2^WIDTH - 2^EXPONENT - 1 (2^WIDTH - 1 for EXPONENT = 0).
//
// Two cycles: `load_product` stores a b, a number of 2 WIDTH bits; in the next cycle `reduced` is
// its residue. a, b < 2^WIDTH. With `load_reduced` the residue replaces the low half of the product,
// so that it stays when it is not taken at once, for the price of an idle cycle of the multiplier;
// then, the next residue is not meaningful until the next product is stored.
module sor_multiplier #(
    parameter integer WIDTH = 66,
    parameter integer EXPONENT = 2
) (
    input  wire               clk,
    input  wire               load_product,
    input  wire               load_reduced,
    input  wire [WIDTH-1:0]   a,
    input  wire [WIDTH-1:0]   b,
    output reg  [2*WIDTH-1:0] product,
    output wire [WIDTH-1:0]   reduced
);
    pseudo_mersenne_reducer #(
        .WIDTH(WIDTH),
        .EXPONENT(EXPONENT)
    ) reducer (
        .value(product),
        .residue(reduced)
    );

    always @(posedge clk) begin
        if (load_product) product <= {{WIDTH{1'b0}}, a} * {{WIDTH{1'b0}}, b};
        else if (load_reduced) product[WIDTH-1:0] <= reduced;
    end
endmodule
