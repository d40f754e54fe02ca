// Cox-Rower with inversion, for a P of 192 bits.
// Written by sunzi-hardware-constants; not to be edited.
module inverter_p192_bmi (
    input  wire clk,
    input  wire reset,
    input  wire in_valid,
    output wire in_ready,
    output wire out_valid,
    input  wire out_ready,
    input  wire invert,
    input  wire [447:0] x,
    input  wire [447:0] y,
    output wire [447:0] s,
    output wire failed,
    output wire [15:0] outer_steps,
    output wire [15:0] inner_steps
);
// Number of moduli in each base.
localparam integer N = 8;

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
localparam [111:0] K_TABLE =
    112'h96fddb96ab53a3426c88f1624283;

// Words of the memory of each rower.
localparam integer FACTORS = 23;

// Width of its address.
localparam integer FACTOR_BITS = 5;

// The memories, rower by rower.
localparam [5151:0] FACTOR_TABLE =
    5152'hbffffd17ffffe11236f816bfbbf6e27fb725880ced2366b928ec02080bcce861df4f0490a7704eb9ef040504d229f66b0914ef21fd95c43de30531be7d9a8aecae1f991587b1453bc75c2faf84b25a7af3fffff27ffffe4ba6f38c8e40130c4a5f8ee9d5d548b1511d3b5a039ec838008de88007b660006d290007409ef3c0684777f2f69c122b5840a9948d47f2f5bbff68221991416048ad610799e071381cb23fffff57ffffea91e5b0e10e964a24da02d738a05a4a318b447bdef223def79c63afa6fd99fa6245c7d3a213471e4a4a443b9ba14e2322c1b9dd67d31e80ddec4072a6ef1d89d245757c3a9a97910bd7dbffffe67ffffeff1f7f749ce91ecd548fddb8cefdda113fdd54d9fba564c0695eec000473100038f4000d3250ba6a882748e0adf0aa209f780cf0d32aefaf19577d65aac6449b8fa8e1d2414d0122cac1bffffec7fffff300de051f25726fc9180002da401b734001b246005148c00a23abff94a4b7faf493ffcabb22ce32accded7580160eb002c0820112529ffa3e635535f8a7fe7fd5331f27bdc3dce327df6bfffff57fffff91b51fc40477c86c8e47f1b4da7f1a8fcff1763b3f1484eff18ac6f973a9c82d4aa500f88b029c0fd15241230b8387b34fdb6a526f48c2e0c94319a2a50c660f0995e4c84f574cf7f2743fffffe7fffffcdb4a82dba606e060ae0007f9e0009105000d4b200009de8091d9b81b766e06cc4c8fc1a3ff3ee9faba802eee91c7bbb3d859f3ecb06ede361bb78d8c890e45f2243891ef1e0c2134c7bbfffffe7fffffff7e7fa9a6c245a7a00ff7c16eff45dc3ff4f401feef19bfeb05bbfd94a08fbb2823eef29e6acc253dccac713b2d4f999be14cccff05174a23e666fd1c0017bc7ffd05915b033498ad64;

// Words of the memory of each rower.
localparam integer ADDENDS = 22;

// Width of its address.
localparam integer ADDEND_BITS = 5;

// The memories, rower by rower.
localparam [4927:0] ADDEND_TABLE =
    4928'hf1e6355792b60ff6befbc74529a8b7bce813f0213bbc95ae83a294d4d4d18eb5c16ba5d9aa552573df3e3f0213b3a294d444299581517e2c7e04276e04e59e74529a89dfcbce872f93c0000000513cc426c35c000de2c29af8fc197974e19946ddd7361ae00d7c7df0e558d110051d08a1fecf843abd21946ddd7d7c7df0daa0d9d95c6a5828dbbe73dcfd82af8fc19d3abae101a128d0000000b1802bb03a398092ed1da2236a612064da1728843901d1cc0911b51a68f282ebb15ec64a5f74dd9a8fa77288439911b51a4f46d7cd09ca8ee51087233200ab2236a61518c5faee6e8500000000fd5a8a1c1451647ff6e843ea8ba4de062cfa1f0b9260a28b21f545d2edb05b8b19ae7b704cb9b2efe8bba1f0b921f545d20a173880b276d943e1747db91d903ea8ba45367f0bfcc3c3f000000010b17d9947b746688d7773c9f7a8f261bea762bb724a3dba31e4fbd401899ef855395c596598d2d779be762bb721e4fbd4f700161079d75cec576e42ef6a323c9f7a8b4803e7040226b0000000b37230b160c8b99fd917a29a5a4a9e9f5e60139b948b0645514d2d252908c808ba321f156faef9f3c3b00139b9414d2d2553ad940e09481b02737282e1d6d029a5a4a158df3dd79cc9a0000000e5d0531e4246e3e4b30fde541b17f32f7a1f183953f21236df2a0d87ec7fe69ead401beb62a35ebf144ff183953f2a0d87d372f3e4d14e25e3072af9fa2200e541b17ecdc0d86ede3600000000a40e4534709bc1bb609462fb76ce8c328ec2f2e05aa384ddf17dbb6718206a1bb1be0c2f72b94a3c99192f2e05a17dbb674ff91e3d005d295e5c0b4d679b282fb76ce5047dde70005ec0000000;

// Whether it is BTMI.
localparam integer TERNARY = 0;

// t of the inversion.
localparam integer INVERSION_KEPT = 5;

// Bound on u + v, in half bits.
localparam integer INVERSION_BOUND = 768;

// First factor of the inversion.
localparam integer INVERSION_FACTORS = 19;

// First addend of the inversion.
localparam integer INVERSION_ADDENDS = 3;

// P modulo 4.
localparam integer P_4 = 3;

// P modulo 3.
localparam integer P_3 = 2;

// A modulo 4.
localparam integer RANGE_4 = 3;

// A modulo 3.
localparam integer RANGE_3 = 2;

// Whether A/a = -1 modulo 4.
localparam [7:0] NEGATIVE_4 =
    8'h9d;

// Whether A/a = -1 modulo 3.
localparam [7:0] NEGATIVE_3 =
    8'hef;

// 1 in affine form.
localparam [223:0] ONE =
    224'he04e59e3dcfd8233200abdb91d902ef6a322e1d6d09fa2200d679b28;

// -1 in affine form.
localparam [223:0] MINUS_ONE =
    224'h0856db2214fae9114d417a1bf9954a4851e252ddc42ae143788f5271;

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
