// base^e modulo an odd modulus on two cubes of processing elements, in their optimized form with 12
// elements, and a coordinator. After Damrudi and Jadidy Aval, "Cube Based RSA Analysis and
// Optimization"; the data flow is the reconstruction of docs/hypercube.md.
//
// e = SPLIT q + r. base < modulus; a larger base is taken but not worked on, and `refused` is high in
// the cycle after. modulus, its constants, q and r must not change while there is work: they belong to
// a key. Results come in the order of the bases, below the modulus. Constant time in base, q and r.
//
// Elements are linked as the table SOURCES says; a link joins neighbours in the hypercube only.
// `mulmods` has a counter of 32 bits for each element, the coordinator's first.
module cube_rsa #(
    parameter integer WORD = 32
) (
    input  wire              clk,
    input  wire              reset,
    // The key: modulus, -1 / modulus modulo 2^WORD, 2^256 and 2^512 modulo the modulus, exponent.
    input  wire [255:0]      modulus,
    input  wire [WORD-1:0]   negated_inverse,
    input  wire [255:0]      one,
    input  wire [255:0]      square,
    input  wire [250:0]      q,
    input  wire [5:0]        r,
    input  wire              in_valid,
    output wire              in_ready,
    input  wire [255:0]      base,
    output reg               refused,
    output wire              out_valid,
    input  wire              out_ready,
    output wire [255:0]      result,
    output wire [13*32-1:0]  mulmods
);
    `include "cube_rsa.svh"

    // Values that are sent: those of the elements, then the coordinator's A and B.
    wire [(ELEMENTS+2)*WIDTH-1:0] values;
    // Whether they are offered, and whether all receivers take them in this cycle.
    wire [ELEMENTS+1:0] offered;
    reg  [ELEMENTS+1:0] takeable;
    wire [3*ELEMENTS-1:0] inputs_ready;

    wire in_range = base < modulus;
    wire base_ready;
    assign in_ready = base_ready;
    always @(posedge clk) refused <= ~reset & in_valid & in_ready & ~in_range;

    cube_coordinator #(
        .WIDTH(WIDTH),
        .WORD(WORD),
        .Q_BITS(Q_BITS),
        .R_BITS(R_BITS)
    ) coordinator (
        .clk(clk),
        .reset(reset),
        .modulus(modulus),
        .negated_inverse(negated_inverse),
        .one(one),
        .square(square),
        .q(q),
        .r(r),
        .in_valid(in_valid & in_range),
        .in_ready(base_ready),
        .base(base),
        .a_valid(offered[ELEMENTS]),
        .a_ready(takeable[ELEMENTS]),
        .a(values[ELEMENTS*WIDTH+:WIDTH]),
        .b_valid(offered[ELEMENTS+1]),
        .b_ready(takeable[ELEMENTS+1]),
        .b(values[(ELEMENTS+1)*WIDTH+:WIDTH]),
        .mulmods(mulmods[31:0])
    );

    // A value is sent when every input that it goes to is free.
    integer from, port;
    always @* begin
        takeable = {(ELEMENTS + 2) {1'b1}};
        takeable[RESULT] = out_ready;
        for (from = 0; from < ELEMENTS + 2; from = from + 1)
            for (port = 0; port < 3 * ELEMENTS; port = port + 1)
                if (SOURCES[4*port+:4] == from[3:0] && !inputs_ready[port]) takeable[from] = 1'b0;
    end
    assign out_valid = offered[RESULT];
    assign result = values[RESULT*WIDTH+:WIDTH];

    genvar e, p;
    generate
        for (e = 0; e < ELEMENTS; e = e + 1) begin : element
            wire [2:0] valid;
            wire [3*WIDTH-1:0] received;
            for (p = 0; p < 3; p = p + 1) begin : link
                localparam [3:0] SOURCE = SOURCES[4*(3*e+p)+:4];
                if (SOURCE < 4'd14) begin : used
                    assign valid[p] = offered[SOURCE] & takeable[SOURCE];
                    assign received[p*WIDTH+:WIDTH] = values[SOURCE*WIDTH+:WIDTH];
                end else begin : unused
                    assign valid[p] = 1'b0;
                    assign received[p*WIDTH+:WIDTH] = {WIDTH{1'b0}};
                end
            end
            cube_element #(
                .WIDTH(WIDTH),
                .WORD(WORD),
                .INPUTS({28'd0, INPUTS[4*e+:4]}),
                .STEPS({28'd0, STEPS[4*e+:4]}),
                .LEFT(LEFTS[4*e+:4]),
                .RIGHTS(RIGHTS[12*e+:12])
            ) processor (
                .clk(clk),
                .reset(reset),
                .modulus(modulus),
                .negated_inverse(negated_inverse),
                .in_valid(valid),
                .in_ready(inputs_ready[3*e+:3]),
                .in_values(received),
                .out_valid(offered[e]),
                .out_ready(takeable[e]),
                .out_value(values[e*WIDTH+:WIDTH]),
                .mulmods(mulmods[32*(e+1)+:32])
            );
        end
    endgenerate
endmodule
