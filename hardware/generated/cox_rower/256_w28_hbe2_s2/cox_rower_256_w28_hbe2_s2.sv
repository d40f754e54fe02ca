// Cox-Rower for a P of 256 bits.
// Written by sunzi-hardware-constants; not to be edited.
module cox_rower_256_w28_hbe2_s2 (
    input  wire clk,
    input  wire reset,
    input  wire in_valid,
    output wire in_ready,
    output wire out_valid,
    input  wire out_ready,
    input  wire [559:0] x,
    input  wire [559:0] y,
    output wire [559:0] s
);
// Number of moduli in each base.
localparam integer N = 10;

// Width of a channel, in bits.
localparam integer W = 28;

// Moduli of each base that a rower serves.
localparam integer SHARE = 2;

// Moduli in a row; 1 for Kawamura's extension.
localparam integer COLUMNS = 2;

// t, the bits that the Cox keeps.
localparam integer KEPT = 4;

// Width of the largest k = 2^W - m.
localparam integer K_BITS = 7;

// Folds of a product.
localparam integer FOLDS = 2;

// Folds of a row sum.
localparam integer BUS_FOLDS = 2;

// k of every modulus, K_BITS each: rower by rower, base A then B.
localparam [139:0] K_TABLE =
    140'hc766fd39afe5b96a9d6a34244d8f120c281;

// Words of the memory of each rower.
localparam integer FACTORS = 30;

// Width of its address.
localparam integer FACTOR_BITS = 5;

// The memories, rower by rower.
localparam [4199:0] FACTOR_TABLE =
    4200'hfffffa7fffff9dfffffadfffffa19cb6bb0ec5f945f9785cf56b2df28b7649364f8fb2aa19c1f5b96c9d3e2a68af075c4ed55465914c4e14bb1d235b54fe6681b8b23e3b745f7080878edbcd46404972085295250ca3622158efc596f2ba257b2e847b62acae0d26c2fffffc1fffffb3fffffc7fffffb54efffc417211d0ae001d1030c7b9408ba0c0514cdff069e9a20618f00ac1f028740921564add2f647d773be606492cd0576e86ab791c50eb571955d34518f1f784327c497c6f9c2129064bbfa29f602feb9c735f5ecad36ee71060fffffd9fffffcbfffffddfffffd3ac9f6af729c13b2811a08c3c03b11f2c7467d43deffb8bec9fa87bdec61f1693e885550ac49754ebc7cfa57fb6897f6201b601d16c9badc5a81d8d7b94a8df09fe16e85e472c0e9f3e420394394e8753c98091f01066543e922c11fffffeffffffdfffffff1fffffe5c5aca33351418683d51c3bd5132a1ff4e289faaa6e8d069762238923a54d4d5911c48a8b93f1b25bb267317f4e90951878256e2043638e1f241156e83c0c355d592f16e3984baa1be3479da01ab86032c8765d2f8b2b3f3f75e924ffffffdffffff7fffffffffffffbc14fea7258011cf657d760d00208d0b39891f004d83ed60ac17a52b2b0e2391f4a5642f5dfc27c8a407f1f9f1e113187f57fd8879fd2b366d817f2b5c6194a50cf90959c760870bc884bfecd72dc070ed2ddaba883851de1febbf4;

// Words of the memory of each rower.
localparam integer ADDENDS = 9;

// Width of its address.
localparam integer ADDEND_BITS = 4;

// The memories, rower by rower.
localparam [1259:0] ADDEND_TABLE =
    1260'h6243bc3b84d28ab121db25c26945716c126fe79e1238b60937f3cf090000000a006090244c1e5500304892260d675e9c49fed981fbaf4dfeff6cbf00000000b0abc2f89d1fdbd855e01c4e8fdcdebe6cabdfaefe6f5f3655efd77f00000001b176466016d920d8bb23300b6c93cbfa7938fccd99e5fd2c9c7e66400000000e239476b537a18711ca1b5a9bd0d0dddfbff66b9fe86eef9ffb35ce0000000;

    cox_rower #(
        .N(N),
        .W(W),
        .SHARE(SHARE),
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
        .ADDEND_TABLE(ADDEND_TABLE)
    ) core (
        .clk(clk),
        .reset(reset),
        .in_valid(in_valid),
        .in_ready(in_ready),
        .out_valid(out_valid),
        .out_ready(out_ready),
        .x(x),
        .y(y),
        .s(s)
    );
endmodule
