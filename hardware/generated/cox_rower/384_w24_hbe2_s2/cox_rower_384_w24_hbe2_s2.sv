// Cox-Rower for a P of 384 bits.
// Written by sunzi-hardware-constants; not to be edited.
module cox_rower_384_w24_hbe2_s2 (
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
localparam [287:0] K_TABLE =
    288'hd5b9bdb3b1a7ad99958f9387817b7d77755f6b59574b4d413f2f3b2d2717211109030501;

// Words of the memory of each rower.
localparam integer FACTORS = 46;

// Width of its address.
localparam integer FACTOR_BITS = 6;

// The memories, rower by rower.
localparam [9935:0] FACTOR_TABLE =
    9936'hffff47ffff2bffff4dffff43516ef90a32ef6e05cad6b096f09e3caf6f8c4b99cac00275a4101be5da7011073977f9b2197d2f1062f105dacae41a04770c5e2e085e709da5775c8526274e4558d0a691fcfba9ba3cf25c832a29ea03210f183e28b2b220990f703f814bb8fcf2007566a71fd399d31cce834248c833e426dfd4660cb30450c0615e1b8bffff59ffff4fffff67ffff539e3e30577d7aa31b77aacdc71429af6790705f08c13ea45657b7e1a2d73ccfe7cdbbc7cc78bc086efdaaee61279f8b3fed6b553549a03639fc9c8f6e849712c2c05fa1256c7758663829be39ef69e075653b06d27436cd2d1e75ffea6c9e87a75db04d815612a711d77640e56982004cbc21508faf626b2c23f76f1e8b68ffff71ffff6bffff79ffff6df99a67fa400b0e3ae9219b44d4bade9347b7cca6bdc8a881de162c60dd7efadcf598371cca2854ff5e7ce59144843325630e8b79aa0ad6b2bcfd770ca9f6bac67af34c90bd8f4c9906831d208ee5c5f0bd23838e13fbb9cf005b1da8d6702e9b4a4d766bd866fa0ec9384bcb1d2c68c8a8a378420f827e1f2b3e19577f22ffff85ffff7fffff89ffff83f60835370a15ed87ddf52262f7f7cbd5fdbfb1a14d0bde6724becf89e3c5a3a13baa848ea513f5c1a3e3a10c456c0fa15fd838fda0bdbc0f1d44df018fe61f6d40c3075a2ee855eab9aa6c4f6c4228803fd4c0f43c05b7cfb179aea3a992be487da98dfabbf060b8abddafc728bf36b048f8b17054d87380d48acdee0fa6ffffa1ffff8bffffa7ffff9573ccb2dddc89f1201a5b2c842c04dc7ce324eba06ffc596d088ea78d1fa60e653a4ebeef96e1ff3d188247e312dc5c8d1768c828f3ec50b5e217dc607bf8b4546baac95db015b8b3451ab8dc0b121c49df7baef2a9d8092b28b1af7a594f940d6a09e797df6efd205c9872c9cfcc040a86b81a26ef1e59aad2823dc88809ffffb5ffffa9ffffbfffffb3ecf27fca6a8fe9193fc45ca222342cf3e9d11c90cae52649e1bebc0070a54123f0ebd8b4f0b4dc6866836a27f2b77c2b147f6d548c30b0eedad8ceb22cbe9eb9f15d123aade1b520c0b9d5f5c711ad829c8ed6693456420b26d709840c9fccb8d7fbafa401f1e82bf348abd8409f8dcafefa8bb05b18db5c51bbb0862d35ffffd1ffffc1ffffd3ffffc56427dc4d5b20fad8cea6c5e989999d14f9c8b83344e7bd4d64f7944eba0b3202454ea5f0d7ea34c0b19224ce357a5eedc0521e418a48947e51912f560de64fe7ae84cafa7af72c2d36ec8f16717f5fac961f855b7a16b26ad16557a3fa47d17b05a35a30157fe7ce6c80e8bc303cbf3d6a39ef58dc8a19224157ec867b87ffffe9ffffd9ffffefffffdfc6d573bd657eb2c3b8ce9a9fb4c5ca8ba7614af989d3585ff840b7f1dbdc72f3a636cd97065736b012a5d39d65bc664283b2cf829d1d4f2dd69a3a885109674fa6c81f29bb92bcb4a12c8708223ee10663e6b9b1b849520f342a57fb9b96f1406575ca6a6d26738257b65eaf4347efd4da4cbd81aa7574290f96aa1763dffffffdfffff7fffffffffffb8dc204c68506ae9988ce2c244ddcdbdf2d49731fe9d7c2d93319cfd44571d69db4b754117b2d02ccc8e094f46e4d9aeb7cf44096de865e3093108a50f36124e0c74f8328d226f2a023084a74e57dd34a1c983b53ff117247a886a3ba8e5895152973f45d1f55049f1d3caf7b1bbaae1c0642964a1f2047e0d8cf22030c3b;

// Words of the memory of each rower.
localparam integer ADDENDS = 9;

// Width of its address.
localparam integer ADDEND_BITS = 4;

// The memories, rower by rower.
localparam [1943:0] ADDEND_TABLE =
    1944'h1367c9bec73589b386df6341c4a3bc00b0656251de8057d6000000953a96a2c9474a9d4bd16457239b575235d291cd53291ae90000004bb55720fbd9a5da62907da993507e23bdb849a83f11dedc0000001a1a2f4a7df48d0cd9253efa57e5c34c157fabf2a1a60a8200000005bfe8c6357602dff4631abb76c24c46ec783b612623763c0000002da082a3238a16d0415191c5a50599f803c8d282a17c01e4000000f7e5f0ce05457bf2f8e7028cd41c640409776a0e328204a400000031d41bb67efd98e9fddb3f76e184007c69ab70c200be34ca000000cf4423242f2de7a20f921796115441e0321088aa1c701908000000;

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
