// A core with this sequencer keeps to ready and valid: out_valid rises LAST + 1 cycles after operands
// were accepted, never without them, and stays until the result is taken; meanwhile no operands are
// accepted, and the step is 0, in which cores change nothing without `accept`.
module sequencer_proof #(
    parameter [5:0] LAST = 6'd30
) (
    input clk,
    input reset,
    input in_valid,
    input out_ready
);
    wire in_ready, out_valid, accept;
    wire [5:0] step;
    sequencer #(
        .STEP_BITS(6),
        .LAST(LAST)
    ) dut (
        .clk(clk),
        .reset(reset),
        .in_valid(in_valid),
        .in_ready(in_ready),
        .out_valid(out_valid),
        .out_ready(out_ready),
        .accept(accept),
        .step(step)
    );

    reg started = 1'b0;
    // Operands were accepted whose result was not taken; the cycles since then, up to LAST + 1.
    reg outstanding, waiting;
    reg [6:0] age;
    always @(posedge clk) begin
        started <= 1'b1;
        if (reset) begin
            outstanding <= 1'b0;
            waiting <= 1'b0;
            age <= 7'd0;
        end else begin
            waiting <= out_valid && !out_ready;
            if (in_valid && in_ready) begin
                outstanding <= 1'b1;
                age <= 7'd1;
            end else begin
                if (out_valid && out_ready) outstanding <= 1'b0;
                if (age <= LAST) age <= age + 7'd1;
            end
        end
    end

    // Reset may come at any time after the first cycle, too.
    always @* begin
        if (!started) assume (reset);
        if (started) begin
            assert (accept == (in_valid && in_ready));
            assert (out_valid == (outstanding && age == LAST + 1));
            assert (in_ready == (!outstanding || (out_valid && out_ready)));
            assert (step == ((outstanding && !out_valid) ? age[5:0] : 6'd0));
            assert (!outstanding || (age >= 1 && age <= LAST + 1));
            if (waiting) assert (out_valid);
        end
    end
endmodule
