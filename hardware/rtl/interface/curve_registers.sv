// A curve processor behind registers of 32 bits: curve_unit.sv and register_interface.sv.
//
// Operand words, in this order: x, y, blind, scalar, each of BITS / 32 words. Result words: x, y, and one word that is
// 1 if the result is the point at infinity. A blind of 0 is refused.
// Ports, cycles, constant time, not done: as in those.
module curve_registers #(
    parameter CURVE = "secp256k1"
) (
    input  wire        clk,
    input  wire        reset,
    input  wire        request,
    input  wire        write,
    input  wire [11:0] address,
    input  wire [31:0] write_data,
    output wire        acknowledge,
    output wire [31:0] read_data,
    output wire        error,
    output wire        done
);
    localparam integer BITS = (CURVE == "p384") ? 384 : 256;
    wire wipe, wiping, in_valid, in_ready, out_valid, out_ready, infinity;
    wire [4*BITS-1:0] operands;
    wire [BITS-1:0] result_x, result_y;
    wire [BITS-1:0] blind = operands[2*BITS +: BITS];

    register_interface #(.OPERAND_WORDS(4 * BITS / 32), .RESULT_WORDS(2 * BITS / 32 + 1)) registers (
        .clk(clk), .reset(reset), .request(request), .write(write), .address(address), .write_data(write_data),
        .acknowledge(acknowledge), .read_data(read_data), .error(error), .done(done),
        .wipe(wipe), .wiping(wiping), .in_valid(in_valid), .in_ready(in_ready), .operands(operands),
        .acceptable(blind != {BITS{1'b0}}), .out_valid(out_valid), .out_ready(out_ready),
        .results({31'd0, infinity, result_y, result_x})
    );
    curve_unit #(.CURVE(CURVE)) unit (
        .clk(clk), .reset(reset), .wipe(wipe), .wiping(wiping), .in_valid(in_valid), .in_ready(in_ready),
        .x(operands[0 +: BITS]), .y(operands[BITS +: BITS]), .blind(blind), .scalar(operands[3*BITS +: BITS]),
        .out_valid(out_valid), .out_ready(out_ready),
        .result_x(result_x), .result_y(result_y), .infinity(infinity)
    );
endmodule
