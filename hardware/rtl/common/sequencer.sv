// The steps of an operation, and its handshakes.
//
// Step 0 is for waiting; in it `accept` says that operands are taken. Then come the steps 1 to LAST,
// one a cycle, and step 0 again with `out_valid`, until the result is taken. Operands may be accepted
// in the cycle in which the result before them is taken, so that LAST + 1 cycles after each other
// operations follow one another. in_ready depends on out_ready in the same cycle.
module sequencer #(
    parameter integer STEP_BITS = 6,
    // 1 to 2^STEP_BITS - 1
    parameter [STEP_BITS-1:0] LAST = {STEP_BITS{1'b1}}
) (
    input  wire                 clk,
    input  wire                 reset,
    input  wire                 in_valid,
    output wire                 in_ready,
    output reg                  out_valid,
    input  wire                 out_ready,
    output wire                 accept,
    output reg  [STEP_BITS-1:0] step
);
    localparam [STEP_BITS-1:0] ZERO = 0, ONE = 1;

    assign in_ready = (step == ZERO) & (~out_valid | out_ready);
    assign accept = in_valid & in_ready;

    always @(posedge clk) begin
        if (reset) begin
            step <= ZERO;
            out_valid <= 1'b0;
        end else begin
            if (out_ready) out_valid <= 1'b0;
            if (accept) step <= ONE;
            else if (step == LAST) begin
                step <= ZERO;
                out_valid <= 1'b1;
            end else if (step != ZERO) step <= step + ONE;
        end
    end
endmodule
