// Cox-Rower for a P of 256 bits.
// Written by sunzi-hardware-constants; not to be edited.
module cox_rower_256_w17_hbe2_s1 (
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
localparam integer COLUMNS = 2;

// t, the bits that the Cox keeps.
localparam integer KEPT = 5;

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
localparam integer FACTORS = 21;

// Width of its address.
localparam integer FACTOR_BITS = 5;

// The memories, rower by rower.
localparam [5711:0] FACTOR_TABLE =
    5712'hffb9ffde5e498836bc5bdfa0cf6ad3d3052c0c402eefec1e160c1f49b2c31c086a6fdf8e8fb23b37f0617a9c27fd9ffedfa1a5962e397b948a47d12f9d0dff53af484bab07129d6ab033ccf60109bb80548061d73f6ba362e63ff23ff97360ce9311488c7cd7942e82b78541652c1382458ee4b40588d0eca2d58d062354ec4deefc39d5129dff7bffc6e2703a9bed48fd8b4d0a94ec41ca70c56661326e04d101d0bf907efdc21aab52e47e16f00319f3c34ffd1ffe952eefefe085c6cc932acbade70cab14875b800c68e37b0adeb5dc85e75291019484afce0539f1c6cb7fe67ff3a674e695934d40a9df3703e6d2ae2485e66656f14970f66167b3b76cc264f050c1b7565ee9cfaa479fff77ffc12679f8376ffdb64f944fc7d60967102f0c1a1a76faa99cd944569168f443814f6c8d05b9ee0620ec5ffabffda86a8e383be8779604cf75b989df30d8e0ed80089b31c21b5a2a45064edced562d95ffa123a04ce099ffe7fff567351d9f8e6d0b736bdc38e9981eaccf6a6ae2bfa777ce39e7d2cec3797c39ed83d565285c4feeb4d7ff0fff930c271036af3f5d0b32df7276804ed013b499091698b3d3235e860ff1570d17d6b5316ac5fa56def1bffcfffeb221d566408c840928de2678730adf8f756e86239ed0c589910b8105375cddccf460ec56e4ba31952bffdffff0e9911c18dd72960d079cd4d3f13de8902aa527bce48d28ef33e40c309a81357c825c15ba24b28a0bbfff9fffde4ef0ce3d781053d1ad7af81818e91c4b7fde970056f63fdf6c6f8aff0e8f1932ee042b4619c3a2a5fffb7ffe3c5046e2b34d57d92bae17cce4d78be74037c2a34f6f1340bc0e9155965751cb5fc74eacad9518cdcffffbffffe4e21c7ed01f7147361b88a31997bdb37c4aa7bb75f153cfb144a137c4891e33bd30d376942cdceb9fff9fffdeed0f39589f4639b09d79c7446240b44638b772661a8d519ca3e5f5a4f58833ecb5ad9c65c9aeebdc;

// Words of the memory of each rower.
localparam integer ADDENDS = 5;

// Width of its address.
localparam integer ADDEND_BITS = 3;

// The memories, rower by rower.
localparam [1359:0] ADDEND_TABLE =
    1360'h51ff147ffa2e0e8b800004fdc73eeaa77da9bc00001c68471a19dd32774c00001cfc073f4411f0fd800001a0dc6773a4d0e93400001679059e4df4037d000002da13b65f4347d0c74000070939c156c519b14600008359e0cfab280aca00000488612218106e041b800025b9496e5a4dce93300000415c10570285609fc0000e9543a552caecb2bb000023d868f59e3fbf8fb8000337fccdff2c9e0b27800012d51cb544e35f38d40000;

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
