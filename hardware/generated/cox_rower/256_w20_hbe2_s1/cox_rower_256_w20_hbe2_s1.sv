// Cox-Rower for a P of 256 bits.
// Written by sunzi-hardware-constants; not to be edited.
module cox_rower_256_w20_hbe2_s1 (
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
localparam integer N = 14;

// Width of a channel, in bits.
localparam integer W = 20;

// Moduli of each base that a rower serves.
localparam integer SHARE = 1;

// Moduli in a row; 1 for Kawamura's extension.
localparam integer COLUMNS = 2;

// t, the bits that the Cox keeps.
localparam integer KEPT = 4;

// Width of the largest k = 2^W - m.
localparam integer K_BITS = 8;

// Folds of a product.
localparam integer FOLDS = 2;

// Folds of a row sum.
localparam integer BUS_FOLDS = 2;

// k of every modulus, K_BITS each: rower by rower, base A then B.
localparam [223:0] K_TABLE =
    224'had9f9995938f81777569635d4d45413b392f27211d1b110f09050301;

// Words of the memory of each rower.
localparam integer FACTORS = 19;

// Width of its address.
localparam integer FACTOR_BITS = 5;

// The memories, rower by rower.
localparam [5319:0] FACTOR_TABLE =
    5320'hfff67fff6b70ffaf6a8bda110245bfc3762f421fa14f39c1ad18d33d97fc793b36b706388a3e6fa068752ddb575fd6dfff53fff619d3ed130a3fa0a67441fd998035b276237147c4876d7100a53dab60d024b2307f232a6286126c647e060bfff7ffff89b6b94bf3fe0160c8e8257146f3a21aed0e77dedaea1ad8d94c6c1d09811ff74bdd2f1881e85c785d159fafff6dfff711c0820f9946d30c4772e0923438ccf1064080c7d192f926542fc20cba6ec156df489f4f6fc83f8f84e0f9fff9dfffa3018dfc80fc0edb5e7401cb4742a668ab2af7dc3739e85b172b0e437f89edae21eb9260d9d437b151e6998fff8bfff97a0fdd8d885f6d60bd0b78d88558248663785e32a346729b602460308301d0d96017f642eda824d616218bfffbffffc5fe4e5fcda3f5cedc9e7bd7483f8f052ad7ab19b5b30bbc9d32c0de3ad65f0e4312225f848dc47c906f7c5fffb3fffbbda4925981183b950dc85d8671604305e83d606fb0af83a727340892e6cd6b65f138e77a825ab0f75e088bfffd9fffdfb3e5876b0aabbc072b3679baf72b368707d35e0072fb2db737a236a9ffd5c3307ab445af0601abac53665fffc7fffd17762cc93b61c35bbf12cbe1a36bbd88c6adc743e8963b52981819acceabf68813c3e8783a45f086bccb01fffefffff1b12c070aed631217239bf74f49c4f2ce17618975d686d56a7c86ca3e4eab3cb7652fca18ca607f1dbd981fffe3fffe5ecf64575a5f812713b7ebca3c871f650fdec366667c3b9250da62f12bcb4c7433519f572299e37818d9ebffffdfffffcd83c4984b62a490541b199614ed95e96d011c2a9fdb413560b5a0d5f010bf403f9af4cab0ea473ca1eafffff7ffffb05dc40d757f8f099f7fdda48c0cd9d67d2d4465b7bdd71b8e96d8af889934b46c03af3f6ba24c52d227ab;

// Words of the memory of each rower.
localparam integer ADDENDS = 5;

// Width of its address.
localparam integer ADDEND_BITS = 3;

// The memories, rower by rower.
localparam [1399:0] ADDEND_TABLE =
    1400'h2aa0615503d2d86696c3000000c992064c9492562492b00000aed7dd76771964c0cb2600000dfbfbefdc2ed4d9f6a2c000005b9182dc8ce752bf3a5b0000048f0224781b14d9d8a3b000007ac3a3d61de9a2c74d16000005ed042f6824730ba39650000015b540adaa00162000b10000020d0a1068530d1198675000006c8583642cd89a9ec4c6000007106e38837c0f146078a0000096d464b6a353ab5a9d560000005a5382d29b5d25dae9100000;

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
