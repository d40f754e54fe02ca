// The rank alpha = floor((sum floor(gamma_i / 2^(66-q)) + 2^q / 16) / 2^q), equation (13) of Mehrabi
// (2019), from the leading q bits of each gamma_i. Combinational. Exact for Z < 15M/16.
module sor_rank #(
    parameter integer CHANNELS = 8,
    parameter integer WIDTH = 66,
    parameter integer RANK_BITS = 8
) (
    input  wire [CHANNELS*WIDTH-1:0]     gammas,
    output wire [$clog2(CHANNELS)-1:0] rank
);
    localparam integer SUM_BITS = RANK_BITS + $clog2(CHANNELS);
    // sum of all, at most CHANNELS (2^q - 1) + 2^q / 16 < CHANNELS 2^q for q >= 8
    reg [SUM_BITS-1:0] sum;
    integer i;
    always @* begin
        sum = 1 << (RANK_BITS - 4);
        for (i = 0; i < CHANNELS; i = i + 1)
            sum = sum + {{$clog2(CHANNELS) {1'b0}}, gammas[(i+1)*WIDTH-1-:RANK_BITS]};
    end
    assign rank = sum[SUM_BITS-1:RANK_BITS];
    wire unused = &{sum[RANK_BITS-1:0], gammas};
endmodule
