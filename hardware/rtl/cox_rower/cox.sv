// The Cox: the adder that finds the quotient of the Chinese remainder theorem, one step a cycle.
//
// What it does: sum := fraction(sum) + top, with the KEPT top fractional bits of what is broadcast;
// `quotient` is the integer part, which says how many times the range is to be subtracted.
// Ports: digit < 2^DIGIT_W, a number of 2^(DIGIT_W - INTEGER) units, of which INTEGER bits are before
// the binary point; start sets the sum to 0 (offset = 0) or 1/2 (offset = 1) before a step.
// Range: quotient is 0 or 1 for INTEGER = 0 (Kawamura), 0 to c for rows of c moduli.
// Cycles: quotient is combinational in the cycle of the step. Constant time.
module cox #(
    parameter integer DIGIT_W = 17,
    parameter integer INTEGER = 0,
    parameter integer KEPT = 6
) (
    input  wire               clk,
    input  wire               start,
    input  wire               offset,
    input  wire               step,
    input  wire [DIGIT_W-1:0] digit,
    output wire [INTEGER:0]   quotient
);
    reg [KEPT-1:0] fraction;
    wire [INTEGER+KEPT:0] sum =
        {1'b0, digit[DIGIT_W-1 -: INTEGER+KEPT]} + {{(INTEGER+1){1'b0}}, fraction};
    assign quotient = sum[INTEGER+KEPT:KEPT];
    always @(posedge clk)
        if (start) fraction <= {offset, {(KEPT-1){1'b0}}};
        else if (step) fraction <= sum[KEPT-1:0];
    wire unused = &{1'b0, digit};
endmodule
