// Cox-Rower for a P of 384 bits.
// Written by sunzi-hardware-constants; not to be edited.
module cox_rower_384_w24_hbe2_s1 (
    input  wire clk,
    input  wire reset,
    input  wire in_valid,
    output wire in_ready,
    output wire out_valid,
    input  wire out_ready,
    input  wire [863:0] x,
    input  wire [863:0] y,
    output wire [863:0] s
);
// Number of moduli in each base.
localparam integer N = 18;

// Width of a channel, in bits.
localparam integer W = 24;

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
localparam [287:0] K_TABLE =
    288'hd5bdb9b3b1ada79995938f87817d7b77756b5f59574d4b413f3b2f2d2721171109050301;

// Words of the memory of each rower.
localparam integer FACTORS = 23;

// Width of its address.
localparam integer FACTOR_BITS = 5;

// The memories, rower by rower.
localparam [9935:0] FACTOR_TABLE =
    9936'hffff47ffff4d516ef96e05caf09e3c4b99caa4101b110739197d2f05daca770c5e709da526274ea691fc3cf25cea032128b2b2703f81f20075d399d34248c8dfd46650c061ffff2bffff430a32efd6b096af6f8cc00275e5da7077f9b21062f1e41a042e085e775c854558d0fba9ba832a290f183e20990f4bb8fc66a71f1cce8333e4260cb3045e1b8bffff59ffff679e3e30a31b771429af5f08c157b7e1cfe7cd78bc08ee6127ed6b553639fc849712a1256c3829bee075657436cdffea6c5db04da711d7698200508faf23f76fffff4fffff53577d7aaacdc76790703ea456a2d73cbbc7cc6efdaa9f8b3f3549a09c8f6ec2c05f77586639ef693b06d22d1e759e87a78156127640e54cbc21626b2c1e8b68ffff71ffff79f99a670e3ae9d4badecca6bdde162cfadcf5ca2854e59144630e8bd6b2bca9f6ba4c90bd06831dc5f0bd13fbb91da8d64a4d76fa0ec91d2c6878420f2b3e19ffff6bffff6dfa400b219b449347b7c8a88160dd7e98371cff5e7c84332579aa0afd770cc67af38f4c99208ee523838ecf005b702e9b6bd866384bcbc8a8a3827e1f577f22ffff85ffff89f60835ed87ddf7f7cbb1a14d24becfa3a13ba513f5a10c455fd838bc0f1d8fe61f075a2eb9aa6c28803f3c05b7aea3a97da98d60b8ab28bf36b17054d48acdffff7fffff83370a15f52262d5fdbf0bde6789e3c5aa848ec1a3e36c0fa1fda0bd44df016d40c3e855ea4f6c42d4c0f4cfb17992be48fabbf0ddafc7b048f8d87380ee0fa6ffffa1ffffa773ccb2f1201a2c04dceba06f088ea70e653a96e1ff47e3121768c850b5e27bf8b4c95db0451ab81c49dfa9d809af7a596a09e7fd205ccfcc041a26efd2823dffff8bffff95dddc895b2c847ce324fc596d8d1fa64ebeef3d1882dc5c8d28f3ec17dc60546baa15b8b3dc0b127baef22b28b14f940d97df6e9872c90a86b81e59aac88809ffffb5ffffbfecf27fe9193f22342c1c90cae1bebc4123f0f0b4dc6a27f2147f6db0eeda2cbe9e123aadc0b9d5ad829c34564209840cd7fbafe82bf3409f8d8bb05b51bbb0ffffa9ffffb3ca6a8fc45ca2f3e9d1e526490070a5ebd8b4686683b77c2b548c30d8ceb2b9f15de1b520f5c7118ed6690b26d79fccb8a401f148abd8cafefa18db5c862d35ffffd1ffffd36427dcfad8ce89999db8334464f794320245d7ea3424ce35c0521e947e510de64fcafa7a36ec8f5fac967a16b257a3fa05a35ae7ce6c303cbfef58dc4157ecffffc1ffffc54d5b20a6c5e914f9c8e7bd4d4eba0b4ea5f0c0b1927a5eed418a48912f56e7ae84f72c2d16717f1f855b6ad16547d17b30157f80e8bc3d6a398a1922867b87ffffe9ffffefc6d573b2c3b8b4c5ca4af989f840b772f3a6065736d39d6583b2cf4f2dd65109671f29bba12c87e10663b8495257fb9b6575ca7382574347efbd81aa0f96aaffffd9ffffdfbd657ece9a9f8ba761d3585ff1dbdc36cd97b012a5bc6642829d1d9a3a884fa6c892bcb408223ee6b9b10f342a96f1406a6d26b65eafd4da4c7574291763dffffffdffffff8dc204ae99884ddcdb731fe93319cfd69db47b2d0294f46e7cf4405e3093f361248328d223084ad34a1cff1172a3ba8e2973f4049f1d1bbaae964a1fd8cf22fffff7fffffbc68506ce2c24df2d49d7c2d9d44571b75411ccc8e04d9aeb96de86108a50e0c74f26f2a074e57d983b5347a8865895155d1f553caf7b1c06422047e0030c3b;

// Words of the memory of each rower.
localparam integer ADDENDS = 5;

// Width of its address.
localparam integer ADDEND_BITS = 3;

// The memories, rower by rower.
localparam [2159:0] ADDEND_TABLE =
    2160'h1367c989b386c4a3bc6251de000000bec735df634100b0658057d6000000953a964a9d4b239b5791cd53000000a2c947d164575235d2291ae90000004bb557a5da6293507e49a83f00000020fbd9907da923bdb811dedc0000001a1a2f8d0cd957e5c3abf2a10000004a7df4253efa4c157fa60a8200000005bfe802dff476c24c3b6126000000c63576631abb46ec7823763c0000002da08216d041a50599d282a1000000a3238a5191c5f803c87c01e4000000f7e5f07bf2f8d41c646a0e32000000ce0545e7028c0409778204a400000031d41b98e9fde1840070c200000000b67efddb3f767c69abbe34ca000000cf4423e7a20f11544188aa1c000000242f2d921796e03210701908000000;

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
