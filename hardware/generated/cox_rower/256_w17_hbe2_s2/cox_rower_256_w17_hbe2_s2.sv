// Cox-Rower for a P of 256 bits.
// Written by sunzi-hardware-constants; not to be edited.
module cox_rower_256_w17_hbe2_s2 (
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
localparam integer SHARE = 2;

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
    256'h998d9187856f7369675d635b55454b3f3d31372b21191f15130d0f0907030501;

// Words of the memory of each rower.
localparam integer FACTORS = 42;

// Width of its address.
localparam integer FACTOR_BITS = 6;

// The memories, rower by rower.
localparam [5711:0] FACTOR_TABLE =
    5712'hffb9ffd9ffef3ff6f79266869506d72c5cc5bdb97bbd066a452dab49f44ba60bf3a12c0c5ff520177d7a4bfb012eafc2c00e25c1f49d6a8d961819ec70233d80d4de2137df8eb80547d904030ecdff5cfe0c2ed746a9c262e63ff23ff7bffcbffe34d83389c0d2627537d488cd48f3e6bec5a650bb42a5056f1d8805417ca702960e2b30e09184c9b1dcdc098b405101dc46805fcbb28a1fbfab1a384346234ab52a762723f37bbe5bc0873a8633d129d3c34ffd1ffe67ff4bff9d4bbb99d3bdfc0d2b285c6b4d42649854efab2ecdc0dbce1cda5cab12e24a43ac2f33e003195bcd1c6292e7b0a8f662f5aeb3d97217eddb0ea5384c910197050e42560dbaf381597ba73e339f5c6cb2479fff77ffabffe0ffed499e61aa3f06ec7076ffdbe877b27ccb02513f13dd6fac1731396711f30d17864707468696002edf51366299cdc21bca22ad151a45b14191e881db9f814ed562b646ecafc16e7e848dc0c7409a0ec4e099ffe7fff0fffabffc99cd44309fb3f0206de6d0af3f5b9b4e859f70e4b7ddd3304ed01eac84ed27b5209daab8aa6427f4ee2d317ce3b3d30f3e91af4b3b0983fef2f82ae139edd17d41eab5a9894a15ab1789fdf4adeb4d5ef1bffcfffdffff5fff848875a644acc8383188c85d7290494306837899e735f0e61a7e0adf93de87bab48157a188949e73da79c90c588d28ec885f99f20415030c6eb993501dccf357ca307412e315b856e8974649651952aa0bbfff9fffb7ffeffff193bc714119c7adc56781034d569e8dec95b5ebeb85f030399c98e91d78be25bf3a01f7a5df0aa00ac69edf63ff1342fb625e07be2ba4557e1d12caef19351cb57702fe3a0ad1bab283387b2a3a2a58cdcffffbfff9fffffffef9389bb4338fde72b101f69f468a399cd8586e275e714630e88d97bc240bd9be2231d2a9e2ddc76ebccc37153c8d517d8a4e51d284d97d6f89149eb11e32833ede9865ad74ddb67192859b935dceb8ebdc;

// Words of the memory of each rower.
localparam integer ADDENDS = 9;

// Width of its address.
localparam integer ADDEND_BITS = 4;

// The memories, rower by rower.
localparam [1223:0] ADDEND_TABLE =
    1224'h51ff4fdc4a3ff9f75e8b829df5d1715378000038d0839f871a1073f4ee9a208e9dd3c3f600000683659e48cee0b3cba4d0df40749a1be8000016d093849ed97e7054868fd8a350c75b14600008359c8863067c910caca0041b95940083700004b72882b896e51057526e4142ba4cc827f00003a5508f6174aa51eb2caede3fb595dfc7dc00019bfe96a8b37ff2d50593c9c6b8b27b38d40000;

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
