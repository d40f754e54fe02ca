// A processing element: it waits for all its inputs, multiplies them in a fixed order, and sends the
// product to all its receivers at once. Without steps it passes on its only input.
//
// An input is kept in a register of the element until its result has been sent, so that links hold
// one value each. The first left factor is input LEFT, the others are the product before; right
// factors are the inputs RIGHTS. `mulmods` counts products since reset.
module cube_element #(
    parameter integer WIDTH = 256,
    parameter integer WORD = 32,
    // 1 to 3
    parameter integer INPUTS = 1,
    // 0 to 3
    parameter integer STEPS = 0,
    parameter [3:0] LEFT = 4'd0,
    // 4 bits for each step
    parameter [11:0] RIGHTS = 12'd0
) (
    input  wire               clk,
    input  wire               reset,
    input  wire [WIDTH-1:0]   modulus,
    input  wire [WORD-1:0]    negated_inverse,
    input  wire [2:0]         in_valid,
    output wire [2:0]         in_ready,
    input  wire [3*WIDTH-1:0] in_values,
    output wire               out_valid,
    input  wire               out_ready,
    output wire [WIDTH-1:0]   out_value,
    output reg  [31:0]        mulmods
);
    localparam [2:0] ALL = (3'd1 << INPUTS) - 3'd1;

    reg [2:0] full;
    reg [3*WIDTH-1:0] held;
    wire sent = out_valid & out_ready;
    assign in_ready = ALL & ~full;

    wire [2:0] taken = in_valid & in_ready;
    genvar i;
    generate
        for (i = 0; i < 3; i = i + 1) begin : inputs
            always @(posedge clk)
                if (taken[i]) held[i*WIDTH+:WIDTH] <= in_values[i*WIDTH+:WIDTH];
        end
    endgenerate
    always @(posedge clk) begin
        if (reset) full <= 3'b000;
        else if (sent) full <= 3'b000;
        else full <= full | taken;
    end

    generate
        if (STEPS == 0) begin : passes
            assign out_valid = full[0];
            assign out_value = held[WIDTH-1:0];
            always @(posedge clk) mulmods <= 32'd0;
            wire unused = &{modulus, negated_inverse, held};
        end else begin : multiplies
            // The next step, and whether one is under way or all are done.
            reg [1:0] step;
            reg busy, finished;
            reg [3:0] right_input;
            integer k;
            always @* begin
                right_input = RIGHTS[3:0];
                for (k = 1; k < 3; k = k + 1) if (step == k[1:0]) right_input = RIGHTS[4*k+:4];
            end

            wire start = (full == ALL) & ~busy & ~finished;
            wire done;
            wire [WIDTH-1:0] product;
            reg [WIDTH-1:0] left, right;
            integer j;
            always @* begin
                left = {WIDTH{1'b0}};
                right = {WIDTH{1'b0}};
                for (j = 0; j < 3; j = j + 1) begin
                    left = left | (held[j*WIDTH+:WIDTH] & {WIDTH{LEFT == j[3:0]}});
                    right = right | (held[j*WIDTH+:WIDTH] & {WIDTH{right_input == j[3:0]}});
                end
                if (step != 2'd0) left = product;
            end

            montgomery_multiplier #(
                .WIDTH(WIDTH),
                .WORD(WORD)
            ) multiplier (
                .clk(clk),
                .reset(reset),
                .start(start),
                .a(left),
                .b(right),
                .modulus(modulus),
                .negated_inverse(negated_inverse),
                .done(done),
                .product(product)
            );

            always @(posedge clk) begin
                if (reset) begin
                    step <= 2'd0;
                    busy <= 1'b0;
                    finished <= 1'b0;
                    mulmods <= 32'd0;
                end else begin
                    if (start) begin
                        busy <= 1'b1;
                        mulmods <= mulmods + 32'd1;
                    end
                    if (done) begin
                        busy <= 1'b0;
                        step <= step + 2'd1;
                        finished <= step == STEPS[1:0] - 2'd1;
                    end
                    if (sent) begin
                        step <= 2'd0;
                        finished <= 1'b0;
                    end
                end
            end
            assign out_valid = finished;
            assign out_value = product;
        end
    endgenerate
endmodule
