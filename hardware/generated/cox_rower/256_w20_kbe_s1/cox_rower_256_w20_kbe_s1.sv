// Cox-Rower for a P of 256 bits.
// Written by sunzi-hardware-constants; not to be edited.
module cox_rower_256_w20_kbe_s1 (
    input  wire clk,
    input  wire reset,
    input  wire in_valid,
    output wire in_ready,
    output wire out_valid,
    input  wire out_ready,
    input  wire [519:0] x,
    input  wire [519:0] y,
    output wire [519:0] s
);
// Number of moduli in each base.
localparam integer N = 13;

// Width of a channel, in bits.
localparam integer W = 20;

// Moduli of each base that a rower serves.
localparam integer SHARE = 1;

// Moduli in a row; 1 for Kawamura's extension.
localparam integer COLUMNS = 1;

// t, the bits that the Cox keeps.
localparam integer KEPT = 5;

// Width of the largest k = 2^W - m.
localparam integer K_BITS = 8;

// Folds of a product.
localparam integer FOLDS = 2;

// Folds of a row sum.
localparam integer BUS_FOLDS = 2;

// k of every modulus, K_BITS each: rower by rower, base A then B.
localparam [207:0] K_TABLE =
    208'h9995938f81777569635d4d45413b392f27211d1b110f09050301;

// Words of the memory of each rower.
localparam integer FACTORS = 29;

// Width of its address.
localparam integer FACTOR_BITS = 5;

// The memories, rower by rower.
localparam [7539:0] FACTOR_TABLE =
    7540'h9d3edc56fc13be6cc50007e5ce901fa32791a8ccbdbec589caf37139515eeda15646ca36d8f15f060673e448fb03a81704f64e9406c51881cf4f583e4f7ddfa86f590277588b3be55b6b94c8d81a203cb9afdedb4ef3caf9337a440b1ee65472331bca52ad8ffa9c7d35665065937cced36656cee82bd5e348084571dc23b549d0f4c8664e4b86192581171ea55e6a5f421c0826b2c5c5b24236709d1f7b885babf56643a467460cd9044bfad90eb1cb9f3dceed0c54f7f515e74e175b53a3cb7fbdbab34fb097a8dd67457ec8f0554821fba60d78cee8cd30d018dfdd2ee031be0637cf389fb42c964864fe6b81623dc91a7d095f7f35cf02f87c72c7f99c9d0c0f9cf35659dab2945594a9f17624be59e9afc739d19375b6f264f8bbcdf1d5a5d7a0fddb2e120c578128344a0d0e4355a6f91f3a2b4d191790beeca8a8cfbc94a65c4b08b7841dc2d14ad37a41835be1a78c445a93380be9c2846dcf85bd672f00e334a435d9c9b50b8fe4e5af69bfda297d0e7fb497ee5f42338e0bbda04b240385b78db002592d3935647f9a52a8e2b92f692bf1de7e748e3164a6b47973906abe0b4556aab85c5ad0b48901012f5cd9f6da49251e790f330dd5df1a994e5c3eb1530ebfbfcac9ddc855e6a751deb1ecfc9503b3f8ca1bd29a11403f0e00ea66568e4964ba4cc3b6d2dfe1d609727b20a12a696ff042894956cb3e58e7a608ae519413dd12e459868953580c967b041c6ac79a67695affcc2f2d9626f2f4d6d94a84630c2fff995539bffe48003c4ccaa9ffd51998e1248a49d768db4b5970582d057762c989da953b7cf1f1aa856ffc81bfb4654f1e53c990250a80932ab0c12270eb178d98a71303ba71e6aa917495c7ada67dc79cf730c0bbecc5df662efb38a9237bfc13fca14087db12c086d4fdadc05e71d360ebaa0011595a1b5724459d9a1c9adf8f27c395dd242ac9a0ec4d88ce56905d4d366fbaf72c4e73b1340d20bbb12389d80a5f94b626252fcaf72b53cf26ecf64f7bba1eda3f54d7a9de8d5a1231dd153bdf528cafb39dde9a5b5cba5ae5ded1e07136cb38e7fbec1a9d22df94ed09f01aad78bbf3a606ea33eacfc2a22a0759f81d2e0356720cd83c91b11a2b62c66e3ec6d8a672b9489bbf1506f89cf3586e6b11b413d97d7c9f4ac5553ab106fe0f5d671a0e38b371c35bbb7111f169c68925e1271a36558a62ac53a3f6f988d005dc433b0bc6f58f60616c5ad0bb888deb17d9ef17710fb3de37ac66f58cbd631947088501883645ee0647d2055a9c21e77ec87ae2db3d0fd49d3c99a7935ed747128b67d807b8460;

// Words of the memory of each rower.
localparam integer ADDENDS = 3;

// Width of its address.
localparam integer ADDEND_BITS = 2;

// The memories, rower by rower.
localparam [779:0] ADDEND_TABLE =
    780'h750de2492b00000237b10cb2600000b92a9f6a2c000004a9d0f3a5b00000bc53dd8a3b000007318374d16000002800ca3965000007de06000b100000f6bb79867500000343adec4c600000bd3596078a00000d04fea9d56000007ac63dae9100000;

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
