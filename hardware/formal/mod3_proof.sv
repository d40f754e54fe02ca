// mod3 computes |x|_3 for every number of WIDTH bits.
module mod3_proof #(
    parameter integer WIDTH = 16
) (
    input [WIDTH-1:0] x
);
    wire [1:0] y;
    mod3 #(.WIDTH(WIDTH)) unit (.x(x), .y(y));
    always @* assert ({{(WIDTH-2){1'b0}}, y} == x % 3);
endmodule
