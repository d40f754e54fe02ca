// Cox-Rower for a P of 384 bits.
// Written by sunzi-hardware-constants; not to be edited.
module cox_rower_384_w28_hbe2_s1 (
    input  wire clk,
    input  wire reset,
    input  wire in_valid,
    output wire in_ready,
    output wire out_valid,
    input  wire out_ready,
    input  wire [783:0] x,
    input  wire [783:0] y,
    output wire [783:0] s
);
// Number of moduli in each base.
localparam integer N = 14;

// Width of a channel, in bits.
localparam integer W = 28;

// Moduli of each base that a rower serves.
localparam integer SHARE = 1;

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
localparam [223:0] K_TABLE =
    224'h9b998f817d7b7769635f59534d4b3f39352d2723211b110f09050301;

// Words of the memory of each rower.
localparam integer FACTORS = 19;

// Width of its address.
localparam integer FACTOR_BITS = 5;

// The memories, rower by rower.
localparam [7447:0] FACTOR_TABLE =
    7448'hfffff71fffff7fa3467fdfda5344bec23b18b7fc6086e641bc1fef1ba3a42d7ec3681f69f4996e0e2282534a47cc02e220d570b8054142ee5564fcde46e088e08eedbfffff65fffff675553d19bbae059864184b814ad0875de921db8e24f90c01aa32e2e9147b2164511bd03d8f5890e8387722d1ac287987e3f55d05d83b9b11be41f527fffff89fffff9753b8cbcd63f847bf2782f22411c4acd02d2c7e5bbaba8f5c6dfe6c2043b5b8157300684ff9637c7cd576facb9d637e49fd26c5a142e6ea105d1345afffff83fffff853e3a051dd1c02fef91bdadf4fcb9353f262dcd7851166d5939cdba8e0238e7f04cb119baf2d12dd5e270e6965c513734031c73298ef814978581352fffffa7fffffadd0bc23342f09e927cd3ba13acc7b0a0af757921e89040554a6e3acd6ee6ca613a468ba031ebd4bf2ea1d97c2ece9fdd17ee0c92b20218bf48096cf0fffff9dfffffa1bc18fc5f4d9b2410650547384022390bff47d37fdab2c61f138d8fef5ef45ea91ab2d4833a76e8c4fdc5e6bd27b4108e8e659839ec31cccb5287fd2fffffc1fffffc76604bb0bfc13a95b58e4001237094d8a8e999d74908cec6acfa40460c47df43ca3495674f80423bd0dccd71d0ec7114dacf1776767aa58f0fa20ff5fffffb3fffffb51d323c182fcb4c7c6b042d7e1d8312786d17afc39b5cf51e3d8db0d2e996c1bcb2c84cdfff53938e96b8f7dea3952f644e14c97df6044906c4102c2fffffd9fffffdd3deb9713f74c86e4c953e6fbe832c311c9a2d4699442f33de7473ae7c5f0bd65f645fba1cca42de20bd707beae5cb3be93c072603ec44a0d35eb977fffffcbfffffd3ff48bf86c7cb8dbd50d4b70465ff7f282d9fe505b2feb23cf491592bcd06c26781b7adce3dd4fae407839f3324ac811104c590153695e51969845a3fffffefffffff1f0114ee599bf1ac2bf8ca49602c4bb0377066bac158710b9812a464d85f34237c5b21475e7c92fadc235281e1fb255c06dba37a88f0034a6d2c47e3fffffdffffffe50174c03e0444e4b816eb2320ed7b7aed10dd4cb09e6a6584fee21d2b7805de1d9817516b7afcbf277bed80b162321bd14e31d1a2fdbd1fd5eace24bffffffdfffffff39597965d840521dbd0b617dc9e6885a2bcbada8bf582500fe2ba76d6137be848a8dc2ffc440d298d277db67990c2d731c11964955657357776a7a8ffffff7ffffffbd262ef0009f7a28331b99454d88b567dcfdb9cd8e139b1c3748eaf556e6015f53d821f08a7703f4fdc0360273596b61a4ecc899b369b02331dba473;

// Words of the memory of each rower.
localparam integer ADDENDS = 5;

// Width of its address.
localparam integer ADDEND_BITS = 3;

// The memories, rower by rower.
localparam [1959:0] ADDEND_TABLE =
    1960'h8304e79c1826f0f4a006c7a500360000000599c675acce2fa6acb0f23565879000000063f8aafb1fc51ac0fd1d4607e8ea000000052ad2ac295695618d7bde0c6bdef0000000767b579bb3da8d70a153a3850a9d0000000b43bcc9da1de3be87237474391ba000000036a51b01b528d84ebaa89a75d51e00000009c427fdce213e2034cf6001a67b0000000026ac6959356334497bc83a4bde2700000007965c183cb2e0cd99724beccb9120000000278aee813c57747a59fe83d2cff4000000026e500c1372806458b485a2c5a3a00000008250109c1280829a6da93cd36d450000000c9c791864e3c8c644cdaa32266d50000000;

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
