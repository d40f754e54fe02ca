// The sign of R = sum_j gamma_j c_j + correction - (kappa + 1) p, computed limb by limb from the
// products of limbs. For 0 <= V - kappa p < 2p it says whether V - kappa p < p.
//
// In every cycle `total` takes the products of one limb: gamma_j limb_k(c_j) of all channels, and
// `multiple` = (kappa + 1) limb_k(p). `load_carry`, in the next cycle, adds limb k of the correction
// and the carry of the limb before. After LIMBS such cycles `negative` is valid.
module sor_comparator #(
    parameter integer CHANNELS = 8,
    parameter integer WIDTH = 66,
    parameter integer LIMBS = 4,
    parameter integer MULTIPLE_BITS = 121
) (
    input  wire                        clk,
    input  wire                        start,
    input  wire                        load_carry,
    input  wire [CHANNELS*2*WIDTH-1:0] products,
    input  wire [MULTIPLE_BITS-1:0]    multiple,
    input  wire [LIMBS*WIDTH-1:0]      correction,
    output wire                        negative
);
    // |total| < CHANNELS 2^(2 WIDTH); one bit is for the sign.
    localparam integer TOTAL_BITS = 2 * WIDTH + $clog2(CHANNELS) + 1;
    // |column| < |total| + 2^WIDTH + |carry|
    localparam integer CARRY_BITS = TOTAL_BITS + 1 - WIDTH;

    reg [TOTAL_BITS-1:0] total;
    reg [CARRY_BITS-1:0] carry;
    reg [LIMBS-1:0] limb;
    reg [TOTAL_BITS-1:0] sum;
    reg [WIDTH-1:0] offset;
    integer i;

    always @* begin
        sum = {TOTAL_BITS{1'b0}} - {{(TOTAL_BITS - MULTIPLE_BITS) {1'b0}}, multiple};
        for (i = 0; i < CHANNELS; i = i + 1)
            sum = sum + {{(TOTAL_BITS - 2 * WIDTH) {1'b0}}, products[i*2*WIDTH+:2*WIDTH]};
        offset = {WIDTH{1'b0}};
        for (i = 0; i < LIMBS; i = i + 1)
            offset = offset | (correction[i*WIDTH+:WIDTH] & {WIDTH{limb[i]}});
    end

    wire [TOTAL_BITS:0] column = {total[TOTAL_BITS-1], total}
        + {{(TOTAL_BITS + 1 - WIDTH) {1'b0}}, offset}
        + {{(TOTAL_BITS + 1 - CARRY_BITS) {carry[CARRY_BITS-1]}}, carry};

    always @(posedge clk) begin
        total <= sum;
        if (start) begin
            carry <= {CARRY_BITS{1'b0}};
            limb <= {{(LIMBS - 1) {1'b0}}, 1'b1};
        end else if (load_carry) begin
            carry <= column[TOTAL_BITS:WIDTH];
            limb <= {limb[LIMBS-2:0], 1'b0};
        end
    end

    assign negative = carry[CARRY_BITS-1];
    wire unused = &column[WIDTH-1:0];
endmodule
