// montgomery_multiplier computes a b / 2^WIDTH modulo every odd modulus, for all a and b below it, in
// 3 WIDTH / WORD + 1 cycles.
module montgomery_multiplier_proof #(
    parameter integer WIDTH = 4,
    parameter integer WORD = 2
) (
    input             clk,
    input [WIDTH-1:0] a,
    input [WIDTH-1:0] b,
    input [WIDTH-1:0] modulus,
    input [WORD-1:0]  negated_inverse
);
    localparam integer CYCLES = 3 * WIDTH / WORD + 1;

    reg [7:0] cycle = 8'd0;
    reg [WIDTH-1:0] first_a, first_b, first_modulus;
    reg [WORD-1:0] first_inverse;
    always @(posedge clk) begin
        cycle <= cycle + 8'd1;
        if (cycle == 8'd0) begin
            first_a <= a;
            first_b <= b;
            first_modulus <= modulus;
            first_inverse <= negated_inverse;
        end
    end

    wire done;
    wire [WIDTH-1:0] product;
    montgomery_multiplier #(
        .WIDTH(WIDTH),
        .WORD(WORD)
    ) dut (
        .clk(clk),
        .reset(1'b0),
        .start(cycle == 8'd0),
        .a(a),
        .b(b),
        .modulus(modulus),
        .negated_inverse(negated_inverse),
        .done(done),
        .product(product)
    );

    wire [WORD-1:0] minus_one = modulus[WORD-1:0] * negated_inverse;
    wire [2*WIDTH-1:0] scaled = {product, {WIDTH{1'b0}}};
    wire [2*WIDTH-1:0] expected = first_a * first_b;
    always @* begin
        assume (modulus[0]);
        assume (minus_one == {WORD{1'b1}});
        if (cycle == 8'd0) assume (a < modulus && b < modulus);
        else assume (modulus == first_modulus && negated_inverse == first_inverse);
        if (cycle > 8'd0 && cycle <= CYCLES) assert (done == (cycle == CYCLES));
        if (cycle == CYCLES) begin
            assert (product < modulus);
            assert (scaled % modulus == expected % modulus);
        end
    end
endmodule
