// A UART (8 data bits, no parity, 1 stop bit) for a bus of requests as that of register_interface.sv.
//
// What it does: takes messages of bytes and answers each.
//     0x57 ("W"), address, address, data, data, data, data      answer: status
//     0x52 ("R"), address, address                              answer: status, data, data, data, data
// Numbers have their least significant byte first. Status: 0 taken, 1 error (the status register has the reason),
// 2 for a first byte that begins no message, which is dropped.
// Ports: receive and transmit are 1 while the line is idle.
// Cycles: 10 CLOCKS_PER_BIT a byte. Constant time.
// Not done: flow control; bytes that arrive before the answer has been sent are lost; a message that is not completed
// waits for its rest; a stop bit that is 0 is not reported.
module uart_interface #(
    // 4 to 65535.
    parameter integer CLOCKS_PER_BIT = 217
) (
    input  wire        clk,
    input  wire        reset,
    input  wire        receive,
    output wire        transmit,
    output reg         request,
    output reg         write,
    output wire [11:0] address,
    output wire [31:0] write_data,
    input  wire        acknowledge,
    input  wire [31:0] read_data,
    input  wire        error
);
    localparam [15:0] BIT_TIME = CLOCKS_PER_BIT[15:0], HALF = BIT_TIME >> 1;

    // The receiver: from the middle of the start bit on, a bit every BIT_TIME.
    reg [2:0]  line;
    reg        receiving, arrived;
    reg [3:0]  received_bits;
    reg [15:0] receive_time;
    reg [7:0]  received;
    always @(posedge clk) begin
        line <= {receive, line[2:1]};
        arrived <= 1'b0;
        if (reset) begin
            receiving <= 1'b0;
            line <= 3'b111;
        end else if (!receiving) begin
            receiving <= !line[0];
            received_bits <= 4'd0;
            receive_time <= HALF;
        end else if (receive_time != 16'd0) receive_time <= receive_time - 16'd1;
        else begin
            receive_time <= BIT_TIME - 16'd1;
            received_bits <= received_bits + 4'd1;
            if (received_bits == 4'd0) receiving <= !line[0];
            else if (received_bits == 4'd9) begin
                receiving <= 1'b0;
                arrived <= 1'b1;
            end else received <= {line[0], received[7:1]};
        end
    end

    // The transmitter: `shifted` has the bits that are still to be sent, the next one in its lowest place.
    reg [9:0]  shifted;
    reg [3:0]  left;
    reg [15:0] transmit_time;
    reg        send;
    reg [7:0]  sent;
    assign transmit = (left == 4'd0) | shifted[0];
    always @(posedge clk)
        if (reset) left <= 4'd0;
        else if (send) begin
            shifted <= {1'b1, sent, 1'b0};
            left <= 4'd10;
            transmit_time <= BIT_TIME - 16'd1;
        end else if (left != 4'd0) begin
            transmit_time <= transmit_time - 16'd1;
            if (transmit_time == 16'd0) begin
                shifted <= {1'b1, shifted[9:1]};
                left <= left - 4'd1;
                transmit_time <= BIT_TIME - 16'd1;
            end
        end

    // The messages: `count` bytes have arrived, the first of which says which message it is.
    localparam [7:0] WRITE = 8'h57, READ = 8'h52;
    localparam [7:0] REFUSED = 8'd2;
    reg [2:0]  count;
    reg [47:0] message;
    reg        answering;
    reg [39:0] answer;
    reg [2:0]  answers;
    assign address = message[11:0];
    assign write_data = message[47:16];
    // Bits 15 to 12 of an address are not there; the bus refuses no address for them.
    wire unused = &{1'b0, message[15:12]};
    always @(posedge clk) begin
        request <= 1'b0;
        send <= 1'b0;
        if (reset) begin
            count <= 3'd0;
            answering <= 1'b0;
            answers <= 3'd0;
        end else if (answers != 3'd0) begin
            // The next byte, when the last one is on its way out.
            if (!send && left == 4'd0) begin
                send <= 1'b1;
                sent <= answer[7:0];
                answer <= answer >> 8;
                answers <= answers - 3'd1;
            end
        end else if (answering) begin
            if (acknowledge) begin
                answering <= 1'b0;
                answer <= {read_data, 7'd0, error};
                answers <= write ? 3'd1 : 3'd5;
            end
        end else if (arrived) begin
            if (count == 3'd0) begin
                if (received == WRITE || received == READ) begin
                    write <= received == WRITE;
                    count <= 3'd1;
                end else begin
                    answer <= {32'd0, REFUSED};
                    answers <= 3'd1;
                end
            end else begin
                message[(count - 3'd1)*8 +: 8] <= received;
                count <= count + 3'd1;
                if (count == (write ? 3'd6 : 3'd2)) begin
                    count <= 3'd0;
                    request <= 1'b1;
                    answering <= 1'b1;
                end
            end
        end
    end
endmodule
