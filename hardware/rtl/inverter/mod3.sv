// The residue modulo 3 of a number, as the sum of its digits in base 4.
//
// Ports: x of WIDTH bits; y in {0, 1, 2}, so that {y[0], y[1]} is -y modulo 3.
// Combinational: a tree of additions modulo 3, of WIDTH/2 leaves. Constant time.
module mod3 #(
    parameter integer WIDTH = 28
) (
    input  wire [WIDTH-1:0] x,
    output wire [1:0]       y
);
    localparam integer DIGITS = (WIDTH + 1) / 2;
    localparam integer LEAVES = (DIGITS > 1) ? 1 << $clog2(DIGITS) : 1;

    // Node k of the tree is the sum of nodes 2k and 2k + 1; the leaves are the last LEAVES nodes.
    function automatic [1:0] tree(input [WIDTH-1:0] number);
        reg [4*LEAVES-1:0] node;
        reg [2:0]          sum;
        integer            k;
        begin
            node = {(4*LEAVES){1'b0}};
            node[2*LEAVES +: WIDTH] = number;
            for (k = LEAVES; k < 2 * LEAVES; k = k + 1)
                if (node[2*k +: 2] == 2'd3) node[2*k +: 2] = 2'd0;
            for (k = LEAVES - 1; k > 0; k = k - 1) begin
                sum = {1'b0, node[4*k +: 2]} + {1'b0, node[4*k+2 +: 2]};
                if (sum >= 3'd3) sum = sum - 3'd3;
                node[2*k +: 2] = sum[1:0];
            end
            tree = node[2 +: 2];
        end
    endfunction
    assign y = tree(x);
endmodule
