// Cox-Rower for a P of 256 bits.
// Written by sunzi-hardware-constants; not to be edited.
module cox_rower_256_w28_kbe_s1 (
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
localparam [139:0] K_TABLE =
    140'hc77ecd39b2dfb96ab53a3426c88f1214181;

// Words of the memory of each rower.
localparam integer FACTORS = 23;

// Width of its address.
localparam integer FACTOR_BITS = 5;

// The memories, rower by rower.
localparam [6439:0] FACTOR_TABLE =
    6440'hac4873d8d250232f0c5618a76edd81e0b4ae168848d3da45f323deb9573e1c2e23f9c8d554659b1d2791ec7499a484dbdd2950fec20228d4bb1d2351819e9f14a87f6d68ba90a3fe20896f2ba27b62aca75c26703a066d3c5f98da08314525acb81bd52da6d9ce07efe373c2d24cf0b1820c4eb14c4e143fdf7c8c0207df76e959c740615e25d5e26dc755f07df29e84002a166926e2712eaf1357b2e84e0d26c2ae001d198003482801824a3ffbc813a2c538bffe7f77ffeb671610b1068b971c5fff1a564add2989bd0ec9d3777a2858b4dd0d56e4a28578e32aea2f20553157d2c0e59d9096e95456f9f602fe5ecad361bdc55534912fcedb5171c3065535b767ae145337c0f3e69d092572b879f3325c1bbc1f647d7787fb640a65f0736a9e63f2ac3343b8ebb97adbc1afdc75daca5586416586f24d29701eb9c735fee7106054994a6965f0952ec2ae9fdcbdf2bb0aba4069c5a3834e2bbca8f35b811a0dadc5f7830ac49759b085acd90bb2427f8b095bd7cccd21416540ec7c17bb768903ce561f858ababddbb2a4e8753c1066543d313a2358fad4996f95a2e2760730af07fe313a3f79d8b7eff50f7dfd10ab9559d8b744ebc7cfe1b23b7c228a9ad0dc5dda1b8be1e52a3caa840a038d6adf446b56fac880112479b02e98091f0e922c1120302966771bc07607e93406052c80855eac120f848241f23b1d86d07f3f58d9f6f8238b93f1b5522934032ae067dacf1cdbeea71b7dd5034f2fe9690455b830171e8437c9359b0d002b86032c8b2b3f3a830e549567efa80c6604265592208004cf4cab244bb8edab9805b5dcd536d266a9b6925bb26798fb0dd2928b3d871ca8fb71cc1dbc7239c96ea935dc73096b1c0cbd9da0217b63818d8765d2ff75e92491c6ff404a7d4b301922cb74b5724825b42de535880df77e12096d0d61c47273c771adf5dfc27dc0149c608be0707668780a2cfa50d914dc9ca1cdd1b229b85167d2885e443bc2f2219dc070ed83851de1bf9e53a4f9339d9f820c23f659c65f47ebb3f041985ad4de0b5a9bd16b537a5ad4de8c8a407f085835e23323df98e27dacbd8a7873cd69cd7fd9accaa7791954ef257fd9ae780265162ddaba81febbf4;

// Words of the memory of each rower.
localparam integer ADDENDS = 3;

// Width of its address.
localparam integer ADDEND_BITS = 2;

// The memories, rower by rower.
localparam [839:0] ADDEND_TABLE =
    840'hb121db238b609300000005c269457f3cf0900000005003048baf4dfe000000092260d6ff6cbf00000000d855e016f5f3650000000c4e8fdc5efd77f00000000d8bb239e5fd2c0000000300b6c99c7e66400000008711ca1e86eef90000000b5a9bd0ffb35ce0000000;

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
