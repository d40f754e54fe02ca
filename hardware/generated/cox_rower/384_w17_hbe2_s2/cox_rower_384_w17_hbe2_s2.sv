// Cox-Rower for a P of 384 bits.
// Written by sunzi-hardware-constants; not to be edited.
module cox_rower_384_w17_hbe2_s2 (
    input  wire clk,
    input  wire reset,
    input  wire in_valid,
    output wire in_ready,
    output wire out_valid,
    input  wire out_ready,
    input  wire [815:0] x,
    input  wire [815:0] y,
    output wire [815:0] s
);
// Number of moduli in each base.
localparam integer N = 24;

// Width of a channel, in bits.
localparam integer W = 17;

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
localparam integer BUS_FOLDS = 3;

// k of every modulus, K_BITS each: rower by rower, base A then B.
localparam [431:0] K_TABLE =
    432'h8ec26230581bcdfee772b4daac755a8d529f4ca352287429bce66933974c65b2a914963f1e8c46e2b108643e15098341e090380c0a01;

// Words of the memory of each rower.
localparam integer FACTORS = 58;

// Width of its address.
localparam integer FACTOR_BITS = 6;

// The memories, rower by rower.
localparam [11831:0] FACTOR_TABLE =
    11832'hff7bffb8ffdf7feef2281c1dd20b2e153c7e256509d4b1070b68fc872fc5713df614fbc098b9ad75e350215cb7ebccdafd2e3a7b75daa08aa636b87034a5fc676d996eed15f9eb15d5dbb7756f8713ac32a351336614b28ba140abe00debf1d2f036fe3abe53fa5a0b39bbd0dd08aae1b11777674aefb6e30bc4597fe1bfefdff8cffc057c8964e9abed75eea8a1be70ad39621c3ab86e1e71ccc5451532b7c9c3174c6ae99e617562cc4c382b6003464d5e782901345334c28af6bc89d4af9bc080758e7db9707a1f50ad78941335dca77f22145c899c33b7ec50184d3b78e63429d9507f978903c57988327161f1a202f4507545a64ff96ffc6ffe73ff2b8d060599ba6cac98671379ca5124fcbafc471ac9cdd4afc5b9aa2ae4f62b317147bb466550842855d90ef79378f6ccd4bda8f1fb967a377c058cef148a7dc369278e6acc601067a0a28606d8da91e5f2e2b03e3694dc64829c3963277bdf649e1bb8df9c86ef80f3d4e2dd855d62cc1d2eee3ffebbff55ffb0ffd5dcbf65de4d500e7cd35fd197729f170b2fb003b68ce65f114194cbfef64f73ebfd29751c00b659b9f871e88c3a879b351822b3892e53f06aaaad9ee3dbc2eca76cb201a5f530011206e5805e26b829dbf37832ea8317cbd52626a232e64d3ee05471207efa00e685af9503d3a241329419da97ffb9ffd9ffef3ff6fccb4607fa8e7e98506ce1473cc7b895707bba1f66f26f0c2af54fae2059d44ed7677aabf9335800a66e23244b02ed98c50ecf8d7b115836ddc4ce6b88d64474415578af8d9475782243694115265a07c73bfbfafcbf050816a1351563ab809371122906c1a1bd958a36904c9e697b0597e609fff23ff7bffcbffe3567a3007be42085dd9cbe958f3f8e259e55c30a0b6dac10e67722c5f3711739306db132764a74f41dc0ce63e336874e1d313fe53631fcb0fb671cf60fe4b22cc27868ab2520933187006b75a8fce55707a6503f6ae2bb755e234dd16b6ddb21f86f9924269b977091788e9cee118cfc3ba57e8ffd1ffe67ff4bff9dab74e460234ade86d4a66921d708e91045c7b814d83b5cc70c838455b755a9ab59983fea12cc3b7bbd6a27fb57a4a03170985bdb627dde8c8ff00c0d20cb7ed9ceca0237dcefc10d8801be52e02d4d4d1e0542d2738cc00d0b14ca23487350b6cdb6a5e0a1baf2e8d79352e9cc51d3671e9873ff77ffabffe0ffed701c4d5f3c22a97785f485c743c0f333149df4d8912889fb6864d9372f9fd113bdfcba28c48454a70134c5dd37bcc08947b6865246ba9907ecd43602400fa192a41953e4508ab20989f9c00e887a2ed33f237086e709328058f57a43818c2a8909db807a64e8e41677a9454f0d8fd95ecd19a2ffe7fff0fffabffc97e6b115117304f0423e7fdab45730e63ea4507d21f2ed4aa071b9f61467f4055079bd899e1a24fa8350b000ef950b21f942a1688edb56d5b71d1f1abd8c3b48737943511134d58b35eb132e70848073b826bce24b683085c519913ef6f8d32cfb8afea4629a2efea4a8e63f8b0d9cecca3926bffcfffdffff5fff846d9d59365c88d77570e93966967172fcbd2b5048dff8861ca0e8a4cc382f5e819f25cdc006c5b40afccf0829fd9de13a379482b359a20731bd34757c2dfdfbd29c05c9b27b51d0f9ee3e288e01533d4092de1a1839c2513eba84e5186905f576a99f30a9265b79316dcc94240692520846c46fff9fffb7ffeffff1806c9993726d1a564b2f7209345a0305e72bd5adf0994b763d27a3ad86a58cfe10e550ca5319c91c7889c4bec61856914914585e89a0bded410c189bf9d7dbc60f774f7641b21c46a4d65f8d2e59b3cc5abe19df44a4536e78e493867ea93b62354efc0c0fe96363f4fdaa6b26c11320189a87fffbfff9fffffffee7dba3271cfa612eeadcbd56d0285ea4e59b0d503556c9a6b019a72f58175300a8c0bc926434df6e51f1874a0d8159f9704613e92eef1d2b4a3368413e4c1d8f5399487c6d4bc76ba40c25e9955cb9b2c64ae155e4ed84fbc5495ff17f1ee93129c0487089131825972a256a216c47041da394;

// Words of the memory of each rower.
localparam integer ADDENDS = 9;

// Width of its address.
localparam integer ADDEND_BITS = 4;

// The memories, rower by rower.
localparam [1835:0] ADDEND_TABLE =
    1836'hee7481047dbd9018646f6fa7568cd1f46600004c6030eca98c0e19fd65688d98acad11b300001661941d22cc3283a5ba240e7e374481cfc0001dd8e9994bbb1f328a1d489b5183a9336000000f56777d85eacfef6dd9be111d9b37c223b00006f6c34104ded86820f5d6e4b3deb6b4967800023b7d5b9f476feb689dfd3be0dbbe0f7b6000001efe177803dfc2ef17460c81c2e8c190380000f19e182c5e33d304352cbdf10aa55abe21000070fa18394e1f43072c3d2c00058795000080002fb78174b5f6f42e853358fe90266b1fd2000019723dc4572e3db88be39aca8fbc737951c0000;

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
