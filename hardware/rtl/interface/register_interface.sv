// Registers of 32 bits through which a processor drives a core with ready and valid.
//
// What it does: keeps the core's operands, starts it, shows its result and its state, and refuses what is out of
// order: each refusal is answered with `error`, and the reason stays in the status until the next command.
//     0x000  read   identity, 0x53554e31
//     0x004  read   status: bit 0 READY (START is taken), 1 BUSY, 2 DONE (a result is there), 3 REFUSED, 7:4 reason
//     0x008  write  command: 1 START, 2 RELEASE the result, 3 WIPE
//     0x00c  read   number of operand words, and 2^16 times the number of result words
//     0x400  write  operand words, the least significant first; taken while neither BUSY nor DONE
//     0x800  read   result words, the least significant first; only with DONE
// Reasons: 1 not a command, 2 there is no such register in this direction, 3 BUSY, 4 a result is there, 5 no result
// is there, 6 the core does not take these operands.
// WIPE is taken at any time: it ends the operation, sets all operands to 0, and tells the core to overwrite its own
// registers. Operands cannot be read back.
// Ports: a request is one cycle with request = 1; acknowledge is 1 in the next one, with read_data and error. address
// counts bytes; its two low bits are 0.
// Cycles: 1 a request. Constant time in operands and results; the refusal of operands shows.
// Not done: interrupts but for `done`; parts of a word.
module register_interface #(
    // 1 to 256 each.
    parameter integer OPERAND_WORDS = 1,
    parameter integer RESULT_WORDS = 1
) (
    input  wire                        clk,
    input  wire                        reset,
    input  wire                        request,
    input  wire                        write,
    input  wire [11:0]                 address,
    input  wire [31:0]                 write_data,
    output reg                         acknowledge,
    output reg  [31:0]                 read_data,
    output reg                         error,
    output wire                        done,
    // The core. `wipe` is 1 for one cycle; `wiping` is 1 while it overwrites its registers.
    output wire                        wipe,
    input  wire                        wiping,
    output reg                         in_valid,
    input  wire                        in_ready,
    output reg  [OPERAND_WORDS*32-1:0] operands,
    // Whether the core takes these operands.
    input  wire                        acceptable,
    input  wire                        out_valid,
    output wire                        out_ready,
    input  wire [RESULT_WORDS*32-1:0]  results
);
    localparam [31:0] IDENTITY = 32'h53554e31;
    localparam [31:0] START = 32'd1, RELEASE = 32'd2, WIPE = 32'd3;
    localparam [3:0] TAKEN = 4'd0, NO_COMMAND = 4'd1, NO_REGISTER = 4'd2, IS_BUSY = 4'd3, RESULT_THERE = 4'd4;
    localparam [3:0] NO_RESULT = 4'd5, OPERANDS_REFUSED = 4'd6;

    reg       running;
    reg [3:0] reason;
    wire      busy = in_valid | (running & !out_valid) | wiping;
    assign done = out_valid;

    // The word of a block, and whether it is one.
    wire [31:0] word = {24'd0, address[9:2]};
    wire aligned = address[1:0] == 2'd0;
    wire in_control = aligned && address[11:4] == 8'd0;
    wire in_operands = aligned && address[11:10] == 2'd1 && word < OPERAND_WORDS;
    wire in_results = aligned && address[11:10] == 2'd2 && word < RESULT_WORDS;
    wire is_command = in_control && address[3:2] == 2'd2;
    wire start = is_command && write_data == START;
    wire release_result = is_command && write_data == RELEASE;
    wire wipe_all = is_command && write_data == WIPE;

    reg [3:0] answer;
    always @* begin
        answer = TAKEN;
        if (write) begin
            if (!is_command && !in_operands) answer = NO_REGISTER;
            else if (is_command && !start && !release_result && !wipe_all) answer = NO_COMMAND;
            else if (release_result) answer = out_valid ? TAKEN : NO_RESULT;
            else if (!wipe_all && busy) answer = IS_BUSY;
            else if (!wipe_all && out_valid) answer = RESULT_THERE;
            else if (start && !acceptable) answer = OPERANDS_REFUSED;
        end else if (in_results) answer = out_valid ? TAKEN : NO_RESULT;
        else if (!in_control || is_command) answer = NO_REGISTER;
    end
    wire taken = request && write && answer == TAKEN;
    assign wipe = taken && wipe_all;
    assign out_ready = taken && release_result;

    wire [31:0] status = {24'd0, reason, reason != TAKEN, out_valid, busy, !busy && !out_valid};
    wire [31:0] sizes = {RESULT_WORDS[15:0], OPERAND_WORDS[15:0]};
    wire [31:0] result = results[word*32 +: 32];
    always @(posedge clk) begin
        acknowledge <= request && !reset;
        error <= answer != TAKEN;
        read_data <= (write || answer != TAKEN) ? 32'd0
            : in_results ? result
            : (address[3:2] == 2'd0) ? IDENTITY : (address[3:2] == 2'd1) ? status : sizes;
        if (reset) begin
            in_valid <= 1'b0;
            running <= 1'b0;
            reason <= TAKEN;
        end else begin
            if (request && (write || answer != TAKEN)) reason <= answer;
            if (wipe) begin
                in_valid <= 1'b0;
                running <= 1'b0;
            end else begin
                if (taken && start) in_valid <= 1'b1;
                else if (in_valid && in_ready) begin
                    in_valid <= 1'b0;
                    running <= 1'b1;
                end
                if (out_valid) running <= 1'b0;
            end
        end
    end

    genvar i;
    generate
        for (i = 0; i < OPERAND_WORDS; i = i + 1) begin : operand
            always @(posedge clk)
                if (reset || wipe) operands[i*32 +: 32] <= 32'd0;
                else if (taken && in_operands && word == i) operands[i*32 +: 32] <= write_data;
        end
    endgenerate
endmodule
