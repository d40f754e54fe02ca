// Two curves on one chip: processors for secp256k1 and P-256, each behind its own registers on one bus.
//
// Ports: as register_interface.sv; `second` says which of the two a request is for.
module two_curves (
    input  wire        clk,
    input  wire        reset,
    input  wire        request,
    input  wire        second,
    input  wire        write,
    input  wire [11:0] address,
    input  wire [31:0] write_data,
    output wire        acknowledge,
    output wire [31:0] read_data,
    output wire        error,
    output wire [1:0]  done
);
    wire [1:0]  acknowledges, errors;
    wire [63:0] data;
    curve_registers #(.CURVE("secp256k1")) koblitz (
        .clk(clk), .reset(reset), .request(request && !second), .write(write), .address(address),
        .write_data(write_data), .acknowledge(acknowledges[0]), .read_data(data[31:0]), .error(errors[0]),
        .done(done[0])
    );
    curve_registers #(.CURVE("p256")) prime (
        .clk(clk), .reset(reset), .request(request && second), .write(write), .address(address),
        .write_data(write_data), .acknowledge(acknowledges[1]), .read_data(data[63:32]), .error(errors[1]),
        .done(done[1])
    );
    assign acknowledge = |acknowledges;
    assign read_data = acknowledges[1] ? data[63:32] : data[31:0];
    assign error = acknowledges[1] ? errors[1] : errors[0];
endmodule
