// A curve processor with AXI4-Lite: curve_registers.sv behind axi4lite_interface.sv.
//
// Addresses and commands are those of register_interface.sv; what it refuses is answered with SLVERR. `done` is 1
// while a result is there, for an interrupt.
// Ports, cycles, constant time, not done: as in those.
module curve_axi4lite #(
    parameter CURVE = "secp256k1"
) (
    input  wire        aclk,
    input  wire        aresetn,
    input  wire        awvalid,
    output wire        awready,
    input  wire [11:0] awaddr,
    input  wire        wvalid,
    output wire        wready,
    input  wire [31:0] wdata,
    input  wire [3:0]  wstrb,
    output wire        bvalid,
    input  wire        bready,
    output wire [1:0]  bresp,
    input  wire        arvalid,
    output wire        arready,
    input  wire [11:0] araddr,
    output wire        rvalid,
    input  wire        rready,
    output wire [31:0] rdata,
    output wire [1:0]  rresp,
    output wire        done
);
    wire        request, write, acknowledge, error;
    wire [11:0] address;
    wire [31:0] write_data, read_data;
    axi4lite_interface bus (
        .aclk(aclk), .aresetn(aresetn),
        .awvalid(awvalid), .awready(awready), .awaddr(awaddr),
        .wvalid(wvalid), .wready(wready), .wdata(wdata), .wstrb(wstrb),
        .bvalid(bvalid), .bready(bready), .bresp(bresp),
        .arvalid(arvalid), .arready(arready), .araddr(araddr),
        .rvalid(rvalid), .rready(rready), .rdata(rdata), .rresp(rresp),
        .request(request), .write(write), .address(address), .write_data(write_data),
        .acknowledge(acknowledge), .read_data(read_data), .error(error)
    );
    curve_registers #(.CURVE(CURVE)) curve (
        .clk(aclk), .reset(!aresetn), .request(request), .write(write), .address(address),
        .write_data(write_data), .acknowledge(acknowledge), .read_data(read_data), .error(error), .done(done)
    );
endmodule
