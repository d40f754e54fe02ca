// Cox-Rower for a P of 256 bits.
// Written by sunzi-hardware-constants; not to be edited.
module cox_rower_256_w24_kbe_s1 (
    input  wire clk,
    input  wire reset,
    input  wire in_valid,
    output wire in_ready,
    output wire out_valid,
    input  wire out_ready,
    input  wire [527:0] x,
    input  wire [527:0] y,
    output wire [527:0] s
);
// Number of moduli in each base.
localparam integer N = 11;

// Width of a channel, in bits.
localparam integer W = 24;

// Moduli of each base that a rower serves.
localparam integer SHARE = 1;

// Moduli in a row; 1 for Kawamura's extension.
localparam integer COLUMNS = 1;

// t, the bits that the Cox keeps.
localparam integer KEPT = 5;

// Width of the largest k = 2^W - m.
localparam integer K_BITS = 7;

// Folds of a product.
localparam integer FOLDS = 2;

// Folds of a row sum.
localparam integer BUS_FOLDS = 2;

// k of every modulus, K_BITS each: rower by rower, base A then B.
localparam [153:0] K_TABLE =
    154'h3df7ebaefd9af365c17eed7ad4e84b911214181;

// Words of the memory of each rower.
localparam integer FACTORS = 25;

// Width of its address.
localparam integer FACTOR_BITS = 5;

// The memories, rower by rower.
localparam [6599:0] FACTOR_TABLE =
    6600'hcedf3f6240945d853ac623b0a75fbb95cb2fc9d6c4827495976113762633b23e96bdc830bfbe75efef419e16275e95fb4b0431fbfb74a75ece6eebd4f3e9c3ce1770cb87f918a1e5f32b8036e21dbe366ab6d219a0e460648ebca6391c8af6a7c5e892ac66eb93c5eed02ba1652ce79bf48ead9b86f4dbcaab66a748c539a2585fed71aaa6f3c7448f76bd36b8d12bf572542a76543c5787377c91e19aa95930034306dbe53ec518579e843f5c357d93534799968a0bcc1b89761b547136a8e292addd30e49f1d55f998722044cd1c714a7d32aadb09c7534ab94df40703da67ddbef0731b94beaf11846e52f8d86041437b6c308ee941485fc5a487592fe9ce7ee8091325fb0452c4d3fcb04a3976575aaa278d05b18803cbb0912c75357a2597cc08d82d9ca63cd783043ffbe8368f20aeb3d250f536101b777276aa8529a124e1be22a420587b1842b98131293a12595e2abae167620395ae19a976c77e8a3c9c7ced1134a960262260ec656485ac1fa89c8e8365a1a6b5bf103b7544d188a19f9e9ad7726b5e3e318b2db7535ebb2e3d49548caf2ff603c90037b56b5e2cb1509a7aded5ac17d92ef4132a6f20a675e057205ab3ff2d3b0fbf2c5c209c0ba46b36bff43b4ff317f84aaed22627f326ed3fcc573f943840156c6e81895fed512dadc3f2e7eb1b2380871349e59d010e55ac6d1982a3bdf028d6224efafef17cb61a349001ae9f7a3cabf38c5de34f76e1406741b99c7ad9edc28019aa0ec947c2805246b301b55feb5ee655d14344e0bfc814c381fe660d0ce497d93a67f1ff209efd17bf02e81ad23f2d78fbb61b680055a729b41fc1e850fc007ede28051a92fe587c70c691c5d901a6e448121b084274f9ce18210815dcb9047d85878f740870c23f347baa1ee8274eb97f5246d41b68ad27a6d8628cebadb915e491799e070fc1b04ac2ec0547e726f780cf37e00d5deb1807cac2be54ce6783c351d0f55c5e118a791999e56e7db863139b7e352f661c02b41f5f30d63d12415ba4c412ec77da163bed0b53dc718b262181447852fcfae3b003f8de2735fb43827e79835c8d4e2cabccd8cab3542dcd50b61d006d2ce35880d6301ec77d3f7237b714b413d6ee1a73e8bea2434f5bb82b820ed47def1f8cf0b86670;

// Words of the memory of each rower.
localparam integer ADDENDS = 3;

// Width of its address.
localparam integer ADDEND_BITS = 2;

// The memories, rower by rower.
localparam [791:0] ADDEND_TABLE =
    792'h3b7e610104bb0000006e231137e9910000009ff9218feb560000004f3ee46094c900000012aab55c339d000000ad79332fb25c000000ae7f281fadf600000001ee07ee8f3d000000318eb81216d90000004743d92097960000009aa16d57041c000000;

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
