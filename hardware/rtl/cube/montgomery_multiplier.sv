// a b / 2^WIDTH modulo an odd modulus, for a, b < modulus, in WIDTH / WORD digits of b.
//
// `start` takes a and b; 3 WIDTH / WORD + 1 cycles later `done` is high for one cycle, and `product`,
// which is below the modulus, stays until the next `start`. One multiplier of WIDTH by WORD bits
// serves a b_i and u n, one of WORD by WORD bits the digit u. `negated_inverse` is -1 / modulus
// modulo 2^WORD; it and the modulus must not change during an operation. Constant time.
//
// For each digit, from t < 2 modulus:  s = t + a b_i;  u = |s negated_inverse|_{2^WORD};
// t = (s + u modulus) / 2^WORD < (2 + 2 (2^WORD - 1)) modulus / 2^WORD = 2 modulus.
module montgomery_multiplier #(
    parameter integer WIDTH = 256,
    // A divisor of WIDTH.
    parameter integer WORD = 32
) (
    input  wire             clk,
    input  wire             reset,
    input  wire             start,
    input  wire [WIDTH-1:0] a,
    input  wire [WIDTH-1:0] b,
    input  wire [WIDTH-1:0] modulus,
    input  wire [WORD-1:0]  negated_inverse,
    output reg              done,
    output wire [WIDTH-1:0] product
);
    localparam integer DIGITS = WIDTH / WORD;
    localparam integer COUNT_BITS = $clog2(DIGITS + 1);
    localparam [1:0] IDLE = 2'd0, MULTIPLY = 2'd1, QUOTIENT = 2'd2, REDUCE = 2'd3;

    reg [1:0] phase;
    reg [COUNT_BITS-1:0] digit;
    reg [WIDTH-1:0] factor, digits;
    reg [WORD-1:0] quotient;
    // Below 2^WORD (2 + ...) modulus: t in its low bits, or s.
    reg [WIDTH+WORD:0] sum;

    wire [WORD-1:0] operand = (phase == REDUCE) ? quotient : digits[WORD-1:0];
    wire [WIDTH-1:0] multiplicand = (phase == REDUCE) ? modulus : factor;
    wire [WIDTH+WORD-1:0] partial = {{WORD{1'b0}}, multiplicand} * {{WIDTH{1'b0}}, operand};
    wire [WIDTH+WORD:0] next = sum + {1'b0, partial};
    wire [WORD-1:0] next_quotient = sum[WORD-1:0] * negated_inverse;

    // t - modulus, for t < 2 modulus; the top bit is set exactly if t < modulus.
    wire [WIDTH+1:0] difference = {1'b0, sum[WIDTH:0]} - {2'b00, modulus};

    always @(posedge clk) begin
        done <= 1'b0;
        if (reset) phase <= IDLE;
        else if (start) begin
            phase <= MULTIPLY;
            digit <= {COUNT_BITS{1'b0}};
            factor <= a;
            digits <= b;
            sum <= {(WIDTH + WORD + 1) {1'b0}};
        end else
            case (phase)
                MULTIPLY: begin
                    sum <= next;
                    digits <= digits >> WORD;
                    phase <= QUOTIENT;
                end
                QUOTIENT: begin
                    quotient <= next_quotient;
                    phase <= REDUCE;
                end
                REDUCE: begin
                    sum <= next >> WORD;
                    digit <= digit + {{(COUNT_BITS - 1) {1'b0}}, 1'b1};
                    if (digit == DIGITS[COUNT_BITS-1:0] - {{(COUNT_BITS - 1) {1'b0}}, 1'b1}) begin
                        phase <= IDLE;
                        done <= 1'b1;
                    end else phase <= MULTIPLY;
                end
                default: ;
            endcase
    end

    assign product = difference[WIDTH+1] ? sum[WIDTH-1:0] : difference[WIDTH-1:0];
    wire unused = difference[WIDTH];
endmodule
