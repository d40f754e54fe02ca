// Cox-Rower for a P of 384 bits.
// Written by sunzi-hardware-constants; not to be edited.
module cox_rower_384_w20_hbe2_s2 (
    input  wire clk,
    input  wire reset,
    input  wire in_valid,
    output wire in_ready,
    output wire out_valid,
    input  wire out_ready,
    input  wire [799:0] x,
    input  wire [799:0] y,
    output wire [799:0] s
);
// Number of moduli in each base.
localparam integer N = 20;

// Width of a channel, in bits.
localparam integer W = 20;

// Moduli of each base that a rower serves.
localparam integer SHARE = 2;

// Moduli in a row; 1 for Kawamura's extension.
localparam integer COLUMNS = 2;

// t, the bits that the Cox keeps.
localparam integer KEPT = 5;

// Width of the largest k = 2^W - m.
localparam integer K_BITS = 9;

// Folds of a product.
localparam integer FOLDS = 2;

// Folds of a row sum.
localparam integer BUS_FOLDS = 2;

// k of every modulus, K_BITS each: rower by rower, base A then B.
localparam [359:0] K_TABLE =
    360'h80bbdeae970b5db6d162af586b956a653e9549a051e773a98cd25d269048a3b1c89c5e210e844360f0480c0a01;

// Words of the memory of each rower.
localparam integer FACTORS = 50;

// Width of its address.
localparam integer FACTOR_BITS = 6;

// The memories, rower by rower.
localparam [9999:0] FACTOR_TABLE =
    10000'hfff11ffefffff17fff0b42384c2970b054ac2970be2e74039a158939f675d0df2aba009b53328444cc983a432ad3d47a692708e23d369aa3e628f9e24ed8b07a5f2f57dd22119ba64c543b1bd29e19cdccfe57b14c3ad91cce58f89961a82b1132ab383a1aeda116f9b1cf6d8a76b39894c2246525c4a549ce03b72c36fff29fff1ffff2ffff25d0bd856bb12c80a1537436398087c8f57a76283c515be74002d0af5e9e4d18cf98e4d1676533ab7a437c90e474c2711dd3594559072adbaa044cf70570bb243a865aebca119ab00dac05a37c1814c31a737884e26a11427991ea1302657f10be3e4ffcba008d5f31018872be7999d2ce5583f9fff43fff3bfff47fff3d8096f843bc82c3ec0f5374816d8c1d6f814bb110f5d0eac5182ceeeee79eaa4c9c13e30fa10cbb2f23545bf30f32b44b3b2a2d33717b409605f4f9c74a81180ffa33b0a666fd9b993407fd36fc3fe8df2d1233bdff386856767cfb81f0b8937d5a3f2aea7db94b64e1eaec0ec4d303c96cdbf2fff67fff53fff6bfff61a2d5b393afecd145efac5b82b51c1f4a719635eaf71f854e8b6c6f6fbaffeb39c09b40528d121b8e6c41f403491f5df8aeaebd51881b211ce88080aa08a42bf1667c0298d8be0605e083e9f7ba280e7b8f684dba1f1e38f9559fe7b21a5a2c425a17684fe837c399c3e9fe575b7fc8b3f49b57fff7ffff6dfff89fff71172c5fc1cf5ce6405cbc5af79d8243c8529055b0058dcf734f9d3ecc29f322f18969acf65087f7da5ac9e6775a049163b2fc389ac859c9578600aa79d4f34b5ac1e0c9c40b21be43684514bb093ed65e357a2ea1782b9fd809a7dc42acebe7e835141bc144136e78e0146e272503fcbef81515fff9dfff8bfffa3fff97f40b9ca4a1dfea512fad81ab6ecbfe0d64d29eb4e2359e5e98a0bcd2016018680537322511fe5e98dba5087acc0476ff1f6142e98b385ce7adba47cffce29d72b2d321701b9eaa6dcb2d0521b8e9bd121b6b71ec7b7e68b3f1216176876b70b88eb3b3d608cdd248f19a9b863b71452ed70acdfffbffffb3fffc5fffbb88c18a98ce3e83db4ae0a1e4b2ce39d0b25009e7415258bdfc144ec736776e17092bca513b025cf4d2f8272f8caa487cd5427cdb4b3acbe9b5c2419ac064a770a989de9696c377a87d10f52d6ab8678569077cec012a5564f0d61294b675dc768fd46ad5a2c95dc4ad60bc14dd09fd601b8942fffd9fffc7fffdffffd182df6fb17437a7609f01988d4b627555f8047de72e9ead35febd6a0656cb81955df5d655452c0f6681955322d72e2358cfd41e697cad7480b130747456c46e5d32e14c205d8f89fcb89276354ed199b6547e63e5d3c3dcfc97d193945a94b21c1c4e3c669fd8f000d05febb48a08cedb9087ccfffeffffe3ffff1fffe528511df59919315fb682e62548f4d0357b503faf05d7332110d2236df7595e36b2d2bfc6946eb6d60979a1b8075026ee006867466d26620ae5060cf926d3e85b3e1196c9aea3cb45d9daa72c18325885c10253d40f529dbbf5380ba320025f8ba2bfc707a5d05805e55be6e9d475d57e158e6cffffdffff7fffffffffbc85b42818424f71f98a70c57585fe1db2bc867cdf36c81601f57521f8f0faee0bb2df038a042b2263f2d74ce351d99768dd4ac64bb8d9dea6007114f270092625c783b89a11c4e012016c1677da85c70ab230fb296220903c4bc3a10475a0f94fbc05ccb76d285e6e2754f6a99cb91fa2cdbf1;

// Words of the memory of each rower.
localparam integer ADDENDS = 9;

// Width of its address.
localparam integer ADDEND_BITS = 4;

// The memories, rower by rower.
localparam [1799:0] ADDEND_TABLE =
    1800'h41da909aada0e5a84ce273b551cbddb9d2a8e57700000588b815bf02c45c0adf86efcbb0334b77755819a00000ec9aeb39de764d759cef4e66e35d77273379ae5d00000dc638764d96e31cbb2222fe708bc4917f38c5dd8000006e15e2c7b5370af9639f52134af9532909ad7c69000006c83ae668f3641df33194c7eaa85b0263f5542d800000863472f0fcc31811787e5f0d0d2bae2f868695d7000004bcfbe9126a5e6674893460f37cc59a305dbe619000007b02bfbe0fbd808fdf007431571bafba17cb8dcf00000d9975e4572eccb8722b94b4f2f371625a7979b8b00000;

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
