// Cox-Rower for a P of 256 bits.
// Written by sunzi-hardware-constants; not to be edited.
module cox_rower_256_w24_hbe2_s2 (
    input  wire clk,
    input  wire reset,
    input  wire in_valid,
    output wire in_ready,
    output wire out_valid,
    input  wire out_ready,
    input  wire [575:0] x,
    input  wire [575:0] y,
    output wire [575:0] s
);
// Number of moduli in each base.
localparam integer N = 12;

// Width of a channel, in bits.
localparam integer W = 24;

// Moduli of each base that a rower serves.
localparam integer SHARE = 2;

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
localparam [191:0] K_TABLE =
    192'h817b7d77755f6b59574b4d413f2f3b2d2717211109030501;

// Words of the memory of each rower.
localparam integer FACTORS = 34;

// Width of its address.
localparam integer FACTOR_BITS = 6;

// The memories, rower by rower.
localparam [4895:0] FACTOR_TABLE =
    4896'hffff85ffff7fffff89ffff83882d5ccedf3f950f432c64f0942cccbbb1a617473d00874cb2d44f4d13b17ed6336428a57b6daa35b3cfccd341202088437dda59e13c8f624381a13e20bd752a9d680de79e27b00a4339b140a3bf3ad3d373aed0a8bf81d77849ffffa1ffff8bffffa7ffff9536e21d578737f89b4493cd7491629376d1c33a84773e1f8efced429b89cb881fb4baf9c10ce6e36899ec2c8151a138af187c61b3c6918837e481a1090cebe073b033d625e6e3e9a7bb02596fc352b1b52399ff886b3406d6605fffffb5ffffa9ffffbfffffb3bef073fbe83616ca36537923cb8f34215b86027f43cbd9faae2bcf098897f8ad8999b522b08b80710389d0f8dd3169949d95ab04efe19103c9c49bf60022b437cec305bb2500e870efe744d9ae196e26abb4f26b6d451d0a9c29ffffd1ffffc1ffffd3ffffc5a6b5bf36bff44a3aaf1bf701831ad84fe64ce30427ec7e26f0dd5c11f3e4a45616ed3fccd1657bf43e6cc96c5df32394f287e4585e3e9094eb470d609bc80ac151c7c5582b1235d27bdb7489860ac4b4f6bc5059688cee0aa68cffffe9ffffd9ffffefffffdf5de34fe850fc7601f8b1f1338a3d7a2d81471db2bc0f2709301cbb41524d66a838318eb8af9b93e5c436e00084064c7e76f8352c5f326383f16c76ec802521369a75a30a742f3c199764da6d34eafc06d696db625f6ee9dafb23fffffdfffff7fffffffffffbc1b04a81447861e47c0411ac992d578be122e4855406f0a01f2bddf560fb2f6446d50b6c631cd8f9acafe89aaeb4174fdb3a77dac7eb2cc3b80b5d20a9cb8edaf4c777d48796f467cefb3c15c107c81ac3e68f9f9ed72317497f;

// Words of the memory of each rower.
localparam integer ADDENDS = 9;

// Width of its address.
localparam integer ADDEND_BITS = 4;

// The memories, rower by rower.
localparam [1295:0] ADDEND_TABLE =
    1296'h82d9a85a1e19416cd4ad0ed1fddaef020976feed370104bb00000011f12302144e88f85c010a276fd3221fd70b37e9918feb56000000ce6973aaa2f6e7349355517bc12992b8673a6094c95c339d00000021a2377c798990d0febe3cae5f64b83f5bec2fb25c1fadf60000008d7a7ea31c1446bd3f518e0add1ea1242db2ee8f3d1216d9000000f6446a5e92657b2235af4932412f2cae083820979657041c000000;

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
