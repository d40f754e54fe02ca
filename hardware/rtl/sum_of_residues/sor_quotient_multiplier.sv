// factor * constant, not reduced, two cycles after its operands: one for the registers of the
// operands, one for that of the product. A new pair of operands may come in every cycle.
module sor_quotient_multiplier #(
    parameter integer WIDTH = 66,
    parameter integer CONSTANT_BITS = 55
) (
    input  wire                           clk,
    input  wire [WIDTH-1:0]               factor,
    input  wire [CONSTANT_BITS-1:0]       constant,
    output reg  [WIDTH+CONSTANT_BITS-1:0] product
);
    reg [WIDTH-1:0] factor_register;
    reg [CONSTANT_BITS-1:0] constant_register;

    always @(posedge clk) begin
        factor_register <= factor;
        constant_register <= constant;
        product <= {{CONSTANT_BITS{1'b0}}, factor_register} * {{WIDTH{1'b0}}, constant_register};
    end
endmodule
