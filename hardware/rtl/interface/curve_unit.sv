// The curve processor for the curve that a parameter names, with integers of the curve's size as ports.
//
// What it does: as curve_processor.sv; a design may have any number of these, each with its own curve.
// Ports: x, y, blind, result_x, result_y: integers below P in BITS bits; blind is not 0. ready/valid as there.
// Range: CURVE is one of those below; another name is refused, by a module that does not exist and says so.
// Cycles, constant time, not done: as there.
module curve_unit #(
    parameter CURVE = "secp256k1",
    // Follows from CURVE; not to be set.
    parameter integer BITS = (CURVE == "p384") ? 384 : 256
) (
    input  wire            clk,
    input  wire            reset,
    input  wire            wipe,
    output wire            wiping,
    input  wire            in_valid,
    output wire            in_ready,
    input  wire [BITS-1:0] x,
    input  wire [BITS-1:0] y,
    input  wire [BITS-1:0] blind,
    input  wire [BITS-1:0] scalar,
    output wire            out_valid,
    input  wire            out_ready,
    output wire [BITS-1:0] result_x,
    output wire [BITS-1:0] result_y,
    output wire            infinity
);
    // Words of 28 bits: 10 of them hold 256 bits, 14 hold 384.
    localparam integer WORDS_BITS = (BITS == 384) ? 392 : 280;
    localparam integer REST = WORDS_BITS - BITS;
    wire [WORDS_BITS-1:0] words_x = {{REST{1'b0}}, x};
    wire [WORDS_BITS-1:0] words_y = {{REST{1'b0}}, y};
    wire [WORDS_BITS-1:0] words_blind = {{REST{1'b0}}, blind};
    wire [WORDS_BITS-1:0] words_result_x, words_result_y;
    assign result_x = words_result_x[BITS-1:0];
    assign result_y = words_result_y[BITS-1:0];
    wire unused = &{1'b0, words_result_x[WORDS_BITS-1:BITS], words_result_y[WORDS_BITS-1:BITS]};

    generate
        if (CURVE == "secp256k1") begin : secp256k1
            curve_processor_secp256k1 core (
                .clk(clk), .reset(reset), .wipe(wipe), .wiping(wiping), .in_valid(in_valid), .in_ready(in_ready),
                .x(words_x), .y(words_y), .blind(words_blind), .scalar(scalar),
                .out_valid(out_valid), .out_ready(out_ready),
                .result_x(words_result_x), .result_y(words_result_y), .infinity(infinity)
            );
        end else if (CURVE == "p256") begin : p256
            curve_processor_p256 core (
                .clk(clk), .reset(reset), .wipe(wipe), .wiping(wiping), .in_valid(in_valid), .in_ready(in_ready),
                .x(words_x), .y(words_y), .blind(words_blind), .scalar(scalar),
                .out_valid(out_valid), .out_ready(out_ready),
                .result_x(words_result_x), .result_y(words_result_y), .infinity(infinity)
            );
        end else if (CURVE == "brainpoolp256r1") begin : brainpoolp256r1
            curve_processor_brainpoolp256r1 core (
                .clk(clk), .reset(reset), .wipe(wipe), .wiping(wiping), .in_valid(in_valid), .in_ready(in_ready),
                .x(words_x), .y(words_y), .blind(words_blind), .scalar(scalar),
                .out_valid(out_valid), .out_ready(out_ready),
                .result_x(words_result_x), .result_y(words_result_y), .infinity(infinity)
            );
        end else if (CURVE == "p384") begin : p384
            curve_processor_p384 core (
                .clk(clk), .reset(reset), .wipe(wipe), .wiping(wiping), .in_valid(in_valid), .in_ready(in_ready),
                .x(words_x), .y(words_y), .blind(words_blind), .scalar(scalar),
                .out_valid(out_valid), .out_ready(out_ready),
                .result_x(words_result_x), .result_y(words_result_y), .infinity(infinity)
            );
        end else begin : none
            CURVE_is_none_of_secp256k1_p256_brainpoolp256r1_p384 refused ();
        end
    endgenerate
endmodule
