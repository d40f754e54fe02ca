// Registers with one way in and two ways out: a word that is written is read from the next cycle on; what is read is
// there in the same cycle.
//
// The one place where a core's registers become a memory: a technology without memories of two ports that are read
// without a clock replaces this module. Constant time. Not done: a content after power-up; reset.
module register_file #(
    parameter integer WIDTH = 17,
    parameter integer ADDRESS_BITS = 5
) (
    input  wire                    clk,
    input  wire                    write,
    input  wire [ADDRESS_BITS-1:0] address,
    input  wire [WIDTH-1:0]        data,
    input  wire [ADDRESS_BITS-1:0] first,
    input  wire [ADDRESS_BITS-1:0] second,
    output wire [WIDTH-1:0]        first_word,
    output wire [WIDTH-1:0]        second_word
);
    reg [WIDTH-1:0] words [0:(1<<ADDRESS_BITS)-1];
    assign first_word = words[first];
    assign second_word = words[second];
    always @(posedge clk) if (write) words[address] <= data;
endmodule
