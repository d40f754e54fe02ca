// Cox-Rower with inversion, for a P of 64 bits.
// Written by sunzi-hardware-constants; not to be edited.
module inverter_composite_btmi (
    input  wire clk,
    input  wire reset,
    input  wire in_valid,
    output wire in_ready,
    output wire out_valid,
    input  wire out_ready,
    input  wire invert,
    input  wire [167:0] x,
    input  wire [167:0] y,
    output wire [167:0] s,
    output wire failed,
    output wire [15:0] outer_steps,
    output wire [15:0] inner_steps
);
// Number of moduli in each base.
localparam integer N = 3;

// Width of a channel, in bits.
localparam integer W = 28;

// Moduli of each base that a rower serves.
localparam integer SHARE = 1;

// Moduli in a row; 1 for Kawamura's extension.
localparam integer COLUMNS = 1;

// t, the bits that the Cox keeps.
localparam integer KEPT = 3;

// Width of the largest k = 2^W - m.
localparam integer K_BITS = 5;

// Folds of a product.
localparam integer FOLDS = 2;

// Folds of a row sum.
localparam integer BUS_FOLDS = 2;

// k of every modulus, K_BITS each: rower by rower, base A then B.
localparam [29:0] K_TABLE =
    30'h3717a4a3;

// Words of the memory of each rower.
localparam integer FACTORS = 16;

// Width of its address.
localparam integer FACTOR_BITS = 4;

// The memories, rower by rower.
localparam [1343:0] FACTOR_TABLE =
    1344'h15555542aaaaa855555503fffffc7fffff8000007002492490000018fffff77fffffdb507c1e88002d829c735b1b55683e326dfbeea04b0a6aaaaa7d55554eaaaaaa53fffffe7fffffcfffffc72555554fffffdffffffaf000006c02222227ffb9abd556cb86aab65c01c71c72cd07d0eaaaaa8d555553aaaaaa9bfffffe7ffffff0000054d86185f000001800000300000120ad61bea15554083fffc1880007cb22aaaaa6975da3;

// Words of the memory of each rower.
localparam integer ADDENDS = 71;

// Width of its address.
localparam integer ADDEND_BITS = 7;

// The memories, rower by rower.
localparam [5963:0] ADDEND_TABLE =
    5964'h195688b7eabd50b4013b50d568f372abdb8a80141d015695b66abe20cc012e525568235aabe88c00134d795654bdeaba1014010866d565b3d2aba7808010ee615661bc6abae02c00fb685564e3baabb48200101e72abdb80d568f3a80141d5aabe882556823c00134d32ab749cd562736800dae1aab819e5561a38000cde49566ebaeabbb0e4012153d56753a2abc18d80127d31567bb96abc80fc0114555566838aabce8f0011add2aba786d565b308010eebaabb4885564e3200101ee5561a31aab8198000cde5c00e163800f4e4400ee65000e7ec800a6ee00099e0092bdfff83d4690014edc24a596c00134d00000f0ffe384a000000024e2c52b8710359154866763816109c654de2a9d75c78d6705b1ba5ceea9e3fd38d73aac70f6b3fff3579a383bf2dc67ab06a9fdceb8d8ce7f1bcba57ff4eb3ce2de6d0711c963ff5b548e2eb021c66e1b554ac409c654d7638161e2a9d75ac70f6bd38d73a3fff357f47142760e3044cd54c58971be4ebe3861d2aaa23adf8d804731bbf04bff42130e2d1cc4710ff9d54930823822b15c6617a9549fa8e382f5671bb26faa9f097f1bcbaeb8d8ce57ff4eb21c66e148e2eb0b554ac4be3861d971be4e2aaa23a1eaa17012aa0a6c154b8e6fff67f42aa3ce9fff9a700291dfffdd34e855479c65548ab3fff357ffffe47fff73560000000571c7e7b38e452faaab7951c7296ae38f01f5556284c71d45a8e39b0055561e5c71d38a38e45f00000cd81c726fde38eda25556047c71d1ed8e398920000b3771c7cdd38e43830000a6871c7c0ce38ee72aaab55ae38f0151c7296f555628a38e45f5c71d3800000cd038e414a71c7a64aaab3bf8e396fb1c724855555dd6c71d2bc8e399610000c0671c7dac38e4450aaab6f61c7289be38ef41aaab6271c727cb8e39a31555611d8e39897c71d1e20000b3ce38ee7871c7c02aaab55b1c7248f8e396f55555dd45555ea35555f73aaab48400009975555c3800006500048dffffc254eaaab86d86192c00000cd0000240ffff0600000000;

// Whether it is BTMI.
localparam integer TERNARY = 1;

// t of the inversion.
localparam integer INVERSION_KEPT = 3;

// Bound on u + v, in half bits.
localparam integer INVERSION_BOUND = 256;

// First factor of the inversion.
localparam integer INVERSION_FACTORS = 9;

// First addend of the inversion.
localparam integer INVERSION_ADDENDS = 3;

// P modulo 4.
localparam integer P_4 = 3;

// P modulo 3.
localparam integer P_3 = 2;

// A modulo 4.
localparam integer RANGE_4 = 1;

// A modulo 3.
localparam integer RANGE_3 = 2;

// Whether A/a = -1 modulo 4.
localparam [2:0] NEGATIVE_4 =
    3'h6;

// Whether A/a = -1 modulo 3.
localparam [2:0] NEGATIVE_3 =
    3'h3;

// 1 in affine form.
localparam [83:0] ONE =
    84'hc24a59665548abd86192c;

// -1 in affine form.
localparam [83:0] MINUS_ONE =
    84'hbdb81041aa9e03279e86b;

    inverter #(
        .N(N),
        .W(W),
        .COLUMNS(COLUMNS),
        .KEPT(KEPT),
        .K_BITS(K_BITS),
        .FOLDS(FOLDS),
        .BUS_FOLDS(BUS_FOLDS),
        .K_TABLE(K_TABLE),
        .FACTORS(FACTORS),
        .FACTOR_BITS(FACTOR_BITS),
        .FACTOR_TABLE(FACTOR_TABLE),
        .ADDENDS(ADDENDS),
        .ADDEND_BITS(ADDEND_BITS),
        .ADDEND_TABLE(ADDEND_TABLE),
        .TERNARY(TERNARY),
        .INVERSION_KEPT(INVERSION_KEPT),
        .INVERSION_BOUND(INVERSION_BOUND),
        .INVERSION_FACTORS(INVERSION_FACTORS),
        .INVERSION_ADDENDS(INVERSION_ADDENDS),
        .P_4(P_4),
        .P_3(P_3),
        .RANGE_4(RANGE_4),
        .RANGE_3(RANGE_3),
        .NEGATIVE_4(NEGATIVE_4),
        .NEGATIVE_3(NEGATIVE_3),
        .ONE(ONE),
        .MINUS_ONE(MINUS_ONE)
    ) core (
        .clk(clk),
        .reset(reset),
        .in_valid(in_valid),
        .in_ready(in_ready),
        .out_valid(out_valid),
        .out_ready(out_ready),
        .invert(invert),
        .x(x),
        .y(y),
        .s(s),
        .failed(failed),
        .outer_steps(outer_steps),
        .inner_steps(inner_steps)
    );
endmodule
