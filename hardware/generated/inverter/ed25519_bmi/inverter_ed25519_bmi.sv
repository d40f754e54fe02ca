// Cox-Rower with inversion, for a P of 255 bits.
// Written by sunzi-hardware-constants; not to be edited.
module inverter_ed25519_bmi (
    input  wire clk,
    input  wire reset,
    input  wire in_valid,
    output wire in_ready,
    output wire out_valid,
    input  wire out_ready,
    input  wire invert,
    input  wire [559:0] x,
    input  wire [559:0] y,
    output wire [559:0] s,
    output wire failed,
    output wire [15:0] outer_steps,
    output wire [15:0] inner_steps
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
    140'hb35e9cd96fddb96ab53a3426c88f1624283;

// Words of the memory of each rower.
localparam integer FACTORS = 27;

// Width of its address.
localparam integer FACTOR_BITS = 5;

// The memories, rower by rower.
localparam [7559:0] FACTOR_TABLE =
    7560'hbffffbf7ffffd5a2e1cba283be23e7486d30c5bc6b041e97901c3f7d4cbf7f3c107a1de4788ea671b2dc94dc65a38cc46f15912976030e60655d79d2ec8ae606030e6d5d3a8da4bf6d5031a5a047c9f6e359ad17617e270fa5446a9a430793ffffed7ffffda8ee8f5ac24cda89d1aeb53a35db7515e68e97435e5317287f47a6a5fd5272f646fa9bde36f73565d0d6696fab17e9b30a00eddf5e9e0f6047995ac8533083841dbbd75d057d11f6def7e58799b2783d819e3966cd1b6fa4bffffd17ffffe1e825ef9d72db0557bef0c0bab6dc13730c4c5a6d75e8a9209f64675ff8385d9d988ee4d42083b9adf5c2e93006cbe492c375b71be41b6cf22bcf34cb3e2b6746ea0a0906db17d9f158e804fc670af3cd3881fc8091571833fffff27ffffe4f4b313466a31687f6ff8775761ea1b71bc7f6ff9ff04802e4e48e400ab6ab0033a66a50b85949c544ed2e6eaaae37132c4c77326c8186397fcf385c91d9a3d6a699f44fcf377f4399a0a3b7cffe476663069e45fb3c15853fffff57ffffeaf5e8ff921ead6c1ad6538042096eafe50189d7d05a939acb49086ed4484376ab1417a655bd7487c143c1366e79754761870cfca40b8c4bad4debd80d90a10b44047992f16ca5203803bb31918874a5724721f42d4945f97bffffe67ffffef4b86fd0a864e83a37d41d97ecea5831c4cd2fd9d6dea77c7a1f1b0b1c1c9e7b1588363d026270a684ec094cf05bf652a09013ff63eca54393b87073b29515974205c026b5740135aba00f7bc80623c7b3ba804f44b68dc6bffffec7fffff329cb646d37390a7c0dea5b70f67b5591f9d005af7914213095647e8fac8fd1ecba9b34ff4a0f373d8c5bd0111a6b7fc233d629ce37e5f7435df751cbbeea386797dd48822b4ed80b904a208ac381a089c50a50bebff7df8bfffff57fffff965a05a4f5904f6b9b4c7f3b087fccb7007ce6de966ad01bbffc9814550cac6bd720fe1146f8083b5fccd04fc288b27d3da25921dff95a690b85b2c6be391b227e70ede16cb3a98e078966381de838dc7a911d4612136d113fffffe7fffffc6fd040f99b65d2779c0d404c461ab7c4e9325c67bf93a75e1944ace6395d824ac1886cb0621c2a7cef166a3d72382737d19df959bd25a058e2a88bde75c812726db78aba4934ae924e6a2db61ea8b6d8286216cc21007f3bfffffe7ffffff78c0611aa9c72a16755abf8248e2dad348a870fa6af36db05b5a691740617b71c3e9aeb16d8efc5b63c278d12ff1bea747dfcb0469165f3fac0568bc607082b2b40af0af5839181c217bc465378773588fcdbfb59e0299a;

// Words of the memory of each rower.
localparam integer ADDENDS = 22;

// Width of its address.
localparam integer ADDEND_BITS = 5;

// The memories, rower by rower.
localparam [6159:0] ADDEND_TABLE =
    6160'h2281442813ffa66503d23c3c2887409ffd39f5eb3783228b4e1e1418b1909df104f59af4132c052d1e7b9f5eb37e1e141874c8b66ffa4e803ebd6c5ebfe6aac3c2887ce90dfd3f9e2e70000000abe5fd375efe9517d229ce1dc111baf7f248501de626e41edf0ee062336efa2fd78e179f5b21e69650e08501de6f0ee062c0cba85843ff5e0a03c19a428f06e1dc1115d43297a6cc3790000000f5b214929baf3a8da05e5c1a939714dd79d48e654faccbbfae0d49ac8547c73b950a251d3610f513eec148e654fe0d49ac03c023efcd38ef91cca9e98d6edbc1a9397e964930eb6e37c0000000038edf9715850527fbfa895c56b4b8ac26626759abdd194154ae2b5ade1d8134be6f58028a9fb705410726759ab4ae2b5a46f3ccac3f69e14ceb356fc6881c95c56b4edff4370618ed2000000064488c7084a0881c45972c0471060425044a8267d8bc220c26023883b436c6f58384306c33d1a10354dba8267d860238830e26cf46a2dece504cfdde231e72c0471069cd665437af6350000000334ad5882b4d939476cbfe3e0cfac15a6b810c4716228664271f067d7a52a08c9bca43db7e96f2ae89cd10c471671f067dedd0ffcd44f2412188e2c8c45ba0e3e0cfa7c6c2c42f7e8b2000000083f5b1f8be0963741fe977c0acdbc5f04a4cddb2e8b61a81cbe0566024f2fef2cdde33151d3671d081abcddb2e8be05660fcd0e671662ecb9bb65eb4f7e6007c0acdb0b5ef20cf2fba800000000e3a88342c3900a52877ad9b17f72161c8055eacfdb84fb77ecd8bf497ce27acc572f72ebc18063451fd55eacfdecd8bf41e701d348b4d34abd59facf41cfcd9b17f7ae41fd1ce3f0cc0000000eab433ee50b78ef605a9ef05ceee7285bc76cdd0177dd7327782e7772e9cf8728f43d739ee6e73445b376cdd017782e77719309f7fe60b39d9ba02e8a134c9f05ceee60c438dba493ae0000000e3dff5daf0e53b4d833a418b1982d78729ca2b587a412a6e30c58cc15db38fe28e1edcc756d429285320a2b587a0c58cc101f3b41fe592c6456b0f7c34e0ac18b19828b6c787f1194e60000000;

// Whether it is BTMI.
localparam integer TERNARY = 0;

// t of the inversion.
localparam integer INVERSION_KEPT = 5;

// Bound on u + v, in half bits.
localparam integer INVERSION_BOUND = 1020;

// First factor of the inversion.
localparam integer INVERSION_FACTORS = 23;

// First addend of the inversion.
localparam integer INVERSION_ADDENDS = 3;

// P modulo 4.
localparam integer P_4 = 1;

// P modulo 3.
localparam integer P_3 = 1;

// A modulo 4.
localparam integer RANGE_4 = 1;

// A modulo 3.
localparam integer RANGE_3 = 1;

// Whether A/a = -1 modulo 4.
localparam [9:0] NEGATIVE_4 =
    10'h162;

// Whether A/a = -1 modulo 3.
localparam [9:0] NEGATIVE_3 =
    10'h110;

// 1 in affine form.
localparam [279:0] ONE =
    280'hebfe6aaa428f0698d6edbfc6881ce231e728c45ba04f7e600cf41cfc8a134c9c34e0ac;

// -1 in affine form.
localparam [279:0] MINUS_ONE =
    280'h9b86a641f8f369ea7b8532f2254c9e5c39a3b7be77a8973b6e4212f256a691c6e15255;

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
