// Cox-Rower for a P of 256 bits.
// Written by sunzi-hardware-constants; not to be edited.
module cox_rower_256_w28_hbe2_s1 (
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
localparam integer SHARE = 1;

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
    140'hc77ecd39b2dfb96ab53a3426c88f1214181;

// Words of the memory of each rower.
localparam integer FACTORS = 15;

// Width of its address.
localparam integer FACTOR_BITS = 4;

// The memories, rower by rower.
localparam [4199:0] FACTOR_TABLE =
    4200'hfffffa7fffffad9cb6bb0f9785cf8b76493aa19c1f3e2a68ad554659bb1d23581b8b23708087840497200ca362296f2ba27b62acafffff9dfffffa1ec5f94556b2df264f8fb25b96c9df075c4e14c4e14b54fe66e3b745fedbcd468529525158efc557b2e84e0d26c2fffffc1fffffc74efffc4ae001d1408ba0cf069e9a0ac1f02564add23be60646e86ab7571955df7843279c212909f602fe5ecad36fffffb3fffffb517211d0030c7b90514cdf20618f08740921f647d7792cd05791c50eb34518f1c497c6f64bbfa2b9c735fee71060fffffd9fffffddac9f6af2811a081f2c746fb8bec9c61f1690ac4975a57fb68b601d16a81d8d709fe16e0e9f3e44e8753c1066543fffffcbfffffd3729c13bc3c03b17d43deffa87bde3e885554ebc7cf97f6201c9badc5b94a8df85e472c203943998091f0e922c11fffffefffffff1c5aca3383d51c31ff4e288d06976a54d4d58b93f1b317f4e9256e204241156e5d592f1aa1be34b86032c8b2b3f3fffffdffffffe53514186bd5132a9faaa6e2238923911c48a25bb26709518783638e1f83c0c356e3984b79da01a8765d2ff75e924ffffffdfffffffc14fea7f657d76d0b39893ed60acb0e2391f5dfc271f9f1e17fd8879d817f2b50cf90970bc884dc070ed83851deffffff7ffffffb258011c0d002081f004d817a52b2f4a5642c8a407f13187f5fd2b3665c6194a59c7608bfecd722ddaba81febbf4;

// Words of the memory of each rower.
localparam integer ADDENDS = 5;

// Width of its address.
localparam integer ADDEND_BITS = 3;

// The memories, rower by rower.
localparam [1399:0] ADDEND_TABLE =
    1400'h6243bc3b121db2716c12638b60930000000b84d28a5c26945fe79e127f3cf090000000a006090500304875e9c49baf4dfe0000000244c1e592260d6fed981fff6cbf00000000b0abc2fd855e01debe6ca6f5f365000000089d1fdbc4e8fdcbdfaefe5efd77f00000001b176460d8bb233cbfa799e5fd2c00000006016d92300b6c938fccd99c7e66400000000e239478711ca1d0dddfbe86eef900000006b537a1b5a9bd0ff66b9fffb35ce0000000;

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
