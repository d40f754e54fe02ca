// An example for a board with an ECP5: a curve processor that answers over a UART (ecp5_uart.lpf: ULX3S).
//
// What it does: messages of uart_interface.sv read and write the registers of register_interface.sv.
// `led` is on while a result is there. After power-up it resets itself for 16 cycles.
// Ports: clk, 25 MHz with the default CLOCKS_PER_BIT and 115,200 bits a second.
// Not done: no other clock is made; the blinding comes from the other side of the line.
module ecp5_uart #(
    parameter CURVE = "secp256k1",
    parameter integer CLOCKS_PER_BIT = 217
) (
    input  wire clk,
    input  wire receive,
    output wire transmit,
    output wire led
);
    reg [4:0] waited;
    initial waited = 5'd0;
    wire reset = !waited[4];
    always @(posedge clk) if (reset) waited <= waited + 5'd1;

    wire        request, write, acknowledge, error;
    wire [11:0] address;
    wire [31:0] write_data, read_data;
    uart_interface #(.CLOCKS_PER_BIT(CLOCKS_PER_BIT)) uart (
        .clk(clk), .reset(reset), .receive(receive), .transmit(transmit),
        .request(request), .write(write), .address(address), .write_data(write_data),
        .acknowledge(acknowledge), .read_data(read_data), .error(error)
    );
    curve_registers #(.CURVE(CURVE)) curve (
        .clk(clk), .reset(reset), .request(request), .write(write), .address(address),
        .write_data(write_data), .acknowledge(acknowledge), .read_data(read_data), .error(error), .done(led)
    );
endmodule
