// The coordinator: A = m^q in Montgomery form and B = m^r in plain form, from the lowest digits up,
// with shared squarings. For each digit there is a product, with a power of m or with 1: the work
// depends on Q_BITS and R_BITS alone, and so does the number of cycles.
//
//   conversion:            s = m 2^WIDTH                    (one product, not counted in `mulmods`)
//   digit 0:               A = s or 2^WIDTH; B = m or 1
//   digit i = 1, 2, ...:   s = s^2; A = A (s or 1); for i < R_BITS also B = B (s or 1)
//
// B, in plain form, times a number in Montgomery form is in plain form: the cubes multiply by B once,
// so their result needs no conversion. 1 <= R_BITS <= Q_BITS.
module cube_coordinator #(
    parameter integer WIDTH = 256,
    parameter integer WORD = 32,
    parameter integer Q_BITS = 251,
    parameter integer R_BITS = 6
) (
    input  wire              clk,
    input  wire              reset,
    input  wire [WIDTH-1:0]  modulus,
    input  wire [WORD-1:0]   negated_inverse,
    // 2^WIDTH and 2^(2 WIDTH) modulo the modulus
    input  wire [WIDTH-1:0]  one,
    input  wire [WIDTH-1:0]  square,
    input  wire [Q_BITS-1:0] q,
    input  wire [R_BITS-1:0] r,
    input  wire              in_valid,
    output wire              in_ready,
    input  wire [WIDTH-1:0]  base,
    output wire              a_valid,
    input  wire              a_ready,
    output reg  [WIDTH-1:0]  a,
    output wire              b_valid,
    input  wire              b_ready,
    output reg  [WIDTH-1:0]  b,
    output reg  [31:0]       mulmods
);
    localparam integer DIGIT_BITS = $clog2(Q_BITS);
    localparam [2:0] IDLE = 3'd0, ENTER = 3'd1, FIRST = 3'd2, SQUARE = 3'd3, TIMES_A = 3'd4,
        TIMES_B = 3'd5, SEND = 3'd6;
    localparam [DIGIT_BITS-1:0] ONE = 1;
    localparam [DIGIT_BITS-1:0] LAST_Q = Q_BITS[DIGIT_BITS-1:0] - ONE;
    localparam [DIGIT_BITS-1:0] END_R = R_BITS[DIGIT_BITS-1:0];

    reg [2:0] state;
    reg busy, a_sent, b_sent;
    reg [DIGIT_BITS-1:0] digit;
    reg [Q_BITS-1:0] q_digits;
    reg [R_BITS-1:0] r_digits;
    // m before the conversion, then m^(2^digit).
    reg [WIDTH-1:0] power;

    wire computing = (state == ENTER) | (state == SQUARE) | (state == TIMES_A) | (state == TIMES_B);
    wire start = computing & ~busy;
    wire done;
    wire [WIDTH-1:0] product;
    wire chosen = (state == TIMES_B) ? r_digits[0] : q_digits[0];
    wire [WIDTH-1:0] left = (state == TIMES_A) ? a : (state == TIMES_B) ? b : power;
    wire [WIDTH-1:0] right = (state == ENTER) ? square
        : ((state == SQUARE) | chosen) ? power : one;

    montgomery_multiplier #(
        .WIDTH(WIDTH),
        .WORD(WORD)
    ) multiplier (
        .clk(clk),
        .reset(reset),
        .start(start),
        .a(left),
        .b(right),
        .modulus(modulus),
        .negated_inverse(negated_inverse),
        .done(done),
        .product(product)
    );

    assign in_ready = state == IDLE;
    assign a_valid = (state == SEND) & ~a_sent;
    assign b_valid = (state == SEND) & ~b_sent;
    wire sent = (a_sent | a_ready) & (b_sent | b_ready);

    always @(posedge clk) begin
        if (reset) begin
            state <= IDLE;
            busy <= 1'b0;
            mulmods <= 32'd0;
        end else begin
            if (start) begin
                busy <= 1'b1;
                if (state != ENTER) mulmods <= mulmods + 32'd1;
            end
            if (done) busy <= 1'b0;
            case (state)
                IDLE: if (in_valid) state <= ENTER;
                ENTER: if (done) state <= FIRST;
                FIRST: state <= (Q_BITS == 1) ? SEND : SQUARE;
                SQUARE: if (done) state <= TIMES_A;
                TIMES_A:
                    if (done)
                        state <= (digit < END_R) ? TIMES_B : (digit == LAST_Q) ? SEND : SQUARE;
                TIMES_B: if (done) state <= (digit == LAST_Q) ? SEND : SQUARE;
                default: if (sent) state <= IDLE;
            endcase
        end

        case (state)
            IDLE: begin
                power <= base;
                q_digits <= q;
                r_digits <= r;
                digit <= ONE;
                a_sent <= 1'b0;
                b_sent <= 1'b0;
                // For digit 0, where the base is still in plain form.
                b <= r[0] ? base : {{(WIDTH - 1) {1'b0}}, 1'b1};
            end
            ENTER: if (done) power <= product;
            FIRST: begin
                a <= q_digits[0] ? power : one;
                q_digits <= q_digits >> 1;
                r_digits <= r_digits >> 1;
            end
            SQUARE: if (done) power <= product;
            TIMES_A:
                if (done) begin
                    a <= product;
                    q_digits <= q_digits >> 1;
                    if (!(digit < END_R)) digit <= digit + ONE;
                end
            TIMES_B:
                if (done) begin
                    b <= product;
                    r_digits <= r_digits >> 1;
                    digit <= digit + ONE;
                end
            default: begin
                if (a_ready) a_sent <= 1'b1;
                if (b_ready) b_sent <= 1'b1;
            end
        endcase
    end
endmodule
