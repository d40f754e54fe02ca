// A read-only memory with a registered output: what is at `address` in one cycle is `data` in the next.
//
// The one place where a core's constants become a memory: a technology in which `initial` fills none replaces this
// module, for instance by a vendor's macro or by logic.
// Range: address below WORDS; above, data is undefined. Constant time.
module rom #(
    parameter integer WIDTH = 17,
    parameter integer WORDS = 2,
    parameter integer ADDRESS_BITS = 1,
    // Word 0 in the low bits.
    parameter [WORDS*WIDTH-1:0] TABLE = 0
) (
    input  wire                    clk,
    input  wire [ADDRESS_BITS-1:0] address,
    output reg  [WIDTH-1:0]        data
);
    reg [WIDTH-1:0] words [0:WORDS-1];
    integer i;
    initial for (i = 0; i < WORDS; i = i + 1) words[i] = TABLE[i*WIDTH +: WIDTH];
    always @(posedge clk) data <= words[address];
endmodule
