// Cox-Rower for a P of 256 bits.
// Written by sunzi-hardware-constants; not to be edited.
module cox_rower_256_w17_kbe_s1 (
    input  wire clk,
    input  wire reset,
    input  wire in_valid,
    output wire in_ready,
    output wire out_valid,
    input  wire out_ready,
    input  wire [543:0] x,
    input  wire [543:0] y,
    output wire [543:0] s
);
// Number of moduli in each base.
localparam integer N = 16;

// Width of a channel, in bits.
localparam integer W = 17;

// Moduli of each base that a rower serves.
localparam integer SHARE = 1;

// Moduli in a row; 1 for Kawamura's extension.
localparam integer COLUMNS = 1;

// t, the bits that the Cox keeps.
localparam integer KEPT = 6;

// Width of the largest k = 2^W - m.
localparam integer K_BITS = 8;

// Folds of a product.
localparam integer FOLDS = 2;

// Folds of a row sum.
localparam integer BUS_FOLDS = 2;

// k of every modulus, K_BITS each: rower by rower, base A then B.
localparam [255:0] K_TABLE =
    256'h99918d8785736f6967635d5b554b453f3d37312b211f1915130f0d0907050301;

// Words of the memory of each rower.
localparam integer FACTORS = 35;

// Width of its address.
localparam integer FACTOR_BITS = 6;

// The memories, rower by rower.
localparam [9519:0] FACTOR_TABLE =
    9520'he4e09ad72f17c2ab735d23d13a2fd88c3d1ae96baae502a8bf6bc6b59ed51fe28be3bfb0789421e5ed134d2a916995e766173eb48a7236194e4cfafa99656aa7c2c19d141a26c185ea708337f4d3e8c008b27fc28a62911a0dc40e80f1f185939e6e8cb71b050cf8dc17c20744bab2a6f71b7d20a1f605b29ed53fe80a785125d2e4acee4cf8637690c867f8ff9e89e516ba362e620589f03f4a3498dec4253b4a139c9a915cf218918be93fdee3d87f5c7451e433c43ce0913784a753f6930ab6682c01c916287aaa566d742f6e6024b2a1251053b2c88aee52570e7544a72561039a7005056797e163523cff12f162289cefedef1629fc838788426b6d46a06de1326e945101d30fdef8ffbdd11f58fa571deeba80f454023eb6539877bb835bba5e816f4319f3c3490b981ad979b8177d233bf428fd6f6c3407576b6de4b18163b4249c31bf58a443d04e0033833d8e46136f3a4d71533d855ae2f7cfc5eb5ff76c520787d610c76f4fe31d34a17ce7c71b2dcedb7b3ee1b96d0cc59050b3cd366ffb350f613c604660d53bc4670f8f98f182fe72656f9e806835e384cb3d9b3d971f4f0f7aeb0bfe59f0008e376e1d840e10bd9971911ff99cfaa479c4cd88a722b7b3f745fa79fba22f81030e40a7b8c7100df94d5f022f4b519e91203c86868fcb131487e589ecd084b9f01f04b6c6e2c0649946f8f16165aa4bcadf69f0847288bb81883b17846d42eeb3eb233caebaf479ef6ce1a03d8eb0f7d65bf2fbc56116ba1249eeb16fcd800bf7b2f3a455ca45064fd40db313cb2e19582a28817103e26c25fe47dc06be230089c7a04ce0994b16f82548d2986c1b94ada173d5261ba9cadd9a83ac536153608d6a85811a6995ebab8ae1fe379e10c8ea4cbece03c6cd30c42b2823745b3b81c5dca8c476058307b3928708713fbad3550565ec0588d531591365d86b993cbbc14eb8a6164e2bda28964f43ec7062842c5509909680142f9d45f2893dc7b02dbf162f6252580a33fa27541aed5516758325c16e45fcbfa56def195a877a4dfe2b92115f5da3c3a51f8845c58171ebd3a5b18f0a83c2a140e877dcc597a189a8394d568dc48b6511d944a3b703134f0d58dd7b6a4b5e7b99c933f7733d7a62658b2e8c654a8200477fef71cd2a35dbe61d45b071caf9acff7b90a580b8410fbe50f7ca46cce29ca5279488f9be51833fd9791bc35939c52259479226af2036b112fad098902fad1312329ae4b28a0bb4754ad2814daeed126a0adca2a8a40502ad5fda75bde0fce41c1d2ae2d1dc59c9734f7a5f529fa1d8872da4bca88d968789e9964ed5a1e0398e398eacaa54d0ddc2f857697750670e8a9665d394a00d0c288e4a6e132b5a2c2b8254cb3650e418bef28e8872928f5d7084e8177c2ac1de58182822d9081ac8d9a35b3946cc8061592a8bf8c94fe3afc7a80dfe03735677d9518cdcd9afd581766cd407bf528a9f6d7148e6cd0d07f3eda683f6292741f8d9beb37ea63f92a9f12dce429bb5c306199c4ae1c765ce54ab81643642b8b2192aee85920b27fa6aa9bc250b373ae65b899f68adbf9b72b0aed13f95a2c120cf9290bb9c8cb55dce13deeee70ee7165aa0b77358b9adc8d8b18b0cc9dec84af34a452c8b99b1f0b362cae9480ef66ef66671acc721c9aeebdc;

// Words of the memory of each rower.
localparam integer ADDENDS = 3;

// Width of its address.
localparam integer ADDEND_BITS = 2;

// The memories, rower by rower.
localparam [815:0] ADDEND_TABLE =
    816'h28ffba2e000019f75a9bc00000e3429dd30000039fb0fd800008cee3a4d000002cf237d0000036cbf431d00004e0a9b1460000c19f2b2800000910c041b800012dcba4cc0000082ba09fc000074aa2caec000147acf8fb800019bfe2c9e000065aa338d40000;

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
