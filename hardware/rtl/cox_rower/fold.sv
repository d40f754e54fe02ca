// One fold: y = x mod 2^W + k floor(x / 2^W), congruent to x modulo 2^W - k.
// Combinational. OUT is one more than the wider of W and IN - W + K_BITS.
module fold #(
    parameter integer IN = 34,
    parameter integer OUT = 26,
    parameter integer W = 17,
    parameter integer K_BITS = 8
) (
    input  wire [IN-1:0]     x,
    input  wire [K_BITS-1:0] k,
    output wire [OUT-1:0]    y
);
    localparam integer HIGH = IN - W;
    wire [HIGH+K_BITS-1:0] multiple = {{HIGH{1'b0}}, k} * {{K_BITS{1'b0}}, x[IN-1:W]};
    assign y = {{(OUT-W){1'b0}}, x[W-1:0]} + {{(OUT-HIGH-K_BITS){1'b0}}, multiple};
endmodule
