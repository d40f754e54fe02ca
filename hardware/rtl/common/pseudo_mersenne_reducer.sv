// |value|_m for value < 2^(2 WIDTH), where m = 2^WIDTH - 2^EXPONENT - 1, or m = 2^WIDTH - 1 for
// EXPONENT = 0. 1 <= EXPONENT <= WIDTH/2 - 2 otherwise. Combinational.
//
// Equation (8) of Mehrabi (2019), whose sum is below 4m, and two conditional subtractions. The
// modulus 2^WIDTH - 1, for which that equation does not hold, folds once; its sum is at most 2m.
module pseudo_mersenne_reducer #(
    parameter integer WIDTH = 66,
    parameter integer EXPONENT = 2
) (
    input  wire [2*WIDTH-1:0] value,
    output wire [WIDTH-1:0]   residue
);
    localparam [WIDTH-1:0] ONE = 1;
    localparam [WIDTH-1:0] DEFICIT = (EXPONENT == 0) ? ONE : (ONE << EXPONENT) + ONE;
    localparam [WIDTH-1:0] MODULUS = {WIDTH{1'b0}} - DEFICIT;

    wire [WIDTH-1:0] high = value[2*WIDTH-1:WIDTH];
    wire [WIDTH-1:0] low = value[WIDTH-1:0];

    // sum < 4 MODULUS
    wire [WIDTH+1:0] sum;
    // once < 2 MODULUS
    wire [WIDTH:0] once;

    generate
        if (EXPONENT == 0) begin : mersenne
            assign sum = {2'b00, high} + {2'b00, low};
            assign once = sum[WIDTH:0];
            wire unused = sum[WIDTH+1];
        end else begin : general
            // high 2^EXPONENT = carried 2^WIDTH + kept
            wire [EXPONENT-1:0] carried = high[WIDTH-1-:EXPONENT];
            wire [WIDTH-1:0] kept = high << EXPONENT;
            wire [2*EXPONENT-1:0] folded = {carried, carried};
            assign sum = {2'b00, high} + {2'b00, low} + {2'b00, kept}
                + {{(WIDTH + 2 - 2 * EXPONENT) {1'b0}}, folded};
            // Bit WIDTH + 2 is set exactly if sum < 2 MODULUS.
            wire [WIDTH+2:0] difference = {1'b0, sum} - {2'b00, MODULUS, 1'b0};
            assign once = difference[WIDTH+2] ? sum[WIDTH:0] : difference[WIDTH:0];
            wire unused = difference[WIDTH+1];
        end
    endgenerate

    // The Mersenne sum 2m would need two subtractions: m and 2m both have the residue 0. Its bits
    // are 1...10; 2m - m = m is turned into 0 by the second subtraction below.
    wire [WIDTH+1:0] less = {1'b0, once} - {2'b00, MODULUS};
    wire [WIDTH-1:0] reduced = less[WIDTH+1] ? once[WIDTH-1:0] : less[WIDTH-1:0];

    generate
        if (EXPONENT == 0) begin : mersenne_zero
            assign residue = (&reduced) ? {WIDTH{1'b0}} : reduced;
        end else begin : general_residue
            assign residue = reduced;
        end
    endgenerate
    wire unused_less = less[WIDTH];
endmodule
