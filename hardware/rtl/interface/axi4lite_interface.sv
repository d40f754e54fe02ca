// AXI4-Lite, as a subordinate, for a bus of requests as that of register_interface.sv.
//
// What it does: makes one request of each read or write. An error is answered with SLVERR; so is a write whose
// strobes are not all 1, which is no request.
// Ports: those of AXI4-Lite with 12 bits of address and 32 of data (protection bits are not there: they have no
// meaning here), with a synchronous reset. A write is taken when its address and its data are both there.
// Cycles: 2 from the request to its response. One at a time; a write goes first.
// Constant time. Not done: more than one transfer at a time.
module axi4lite_interface (
    input  wire        aclk,
    input  wire        aresetn,
    input  wire        awvalid,
    output wire        awready,
    input  wire [11:0] awaddr,
    input  wire        wvalid,
    output wire        wready,
    input  wire [31:0] wdata,
    input  wire [3:0]  wstrb,
    output reg         bvalid,
    input  wire        bready,
    output reg  [1:0]  bresp,
    input  wire        arvalid,
    output wire        arready,
    input  wire [11:0] araddr,
    output reg         rvalid,
    input  wire        rready,
    output reg  [31:0] rdata,
    output reg  [1:0]  rresp,
    // The requests.
    output wire        request,
    output wire        write,
    output wire [11:0] address,
    output wire [31:0] write_data,
    input  wire        acknowledge,
    input  wire [31:0] read_data,
    input  wire        error
);
    localparam [1:0] OKAY = 2'b00, SLVERR = 2'b10;

    // Whether a request waits for its answer, and which.
    reg  waiting, reading;
    wire idle = aresetn && !waiting && !bvalid && !rvalid;
    wire take_write = idle && awvalid && wvalid;
    wire take_read = idle && arvalid && !take_write;
    wire whole = wstrb == 4'b1111;
    assign awready = take_write;
    assign wready = take_write;
    assign arready = take_read;
    assign request = (take_write && whole) || take_read;
    assign write = take_write;
    assign address = take_write ? awaddr : araddr;
    assign write_data = wdata;

    always @(posedge aclk)
        if (!aresetn) begin
            waiting <= 1'b0;
            bvalid <= 1'b0;
            rvalid <= 1'b0;
        end else begin
            if (request) begin
                waiting <= 1'b1;
                reading <= take_read;
            end
            if (take_write && !whole) begin
                bvalid <= 1'b1;
                bresp <= SLVERR;
            end
            if (waiting && acknowledge) begin
                waiting <= 1'b0;
                if (reading) begin
                    rvalid <= 1'b1;
                    rdata <= read_data;
                    rresp <= error ? SLVERR : OKAY;
                end else begin
                    bvalid <= 1'b1;
                    bresp <= error ? SLVERR : OKAY;
                end
            end
            if (bvalid && bready) bvalid <= 1'b0;
            if (rvalid && rready) rvalid <= 1'b0;
        end
endmodule
