// Cox-Rower with inversion, for a P of 256 bits.
// Written by sunzi-hardware-constants; not to be edited.
module inverter_p256_bmi (
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
    7560'hbffffbf7ffffd5a2e1cba283be23e7486d30c5bc6b041e97901c3f7d4cbf7f3c107a1de4788ea671b2dc94dc65a38cc46f159129764bb1e53b74842a549751d64bad6f8f13640d36564033fd7b94050b8bc1e432fc63961fa5446ab566fde3ffffed7ffffda8ee8f5ac24cda89d1aeb53a35db7515e68e97435e5317287f47a6a5fd5272f646fa9bde36f73565d0d6696fab1779f65da595bbe2e79b81b00edc9de5b0272cb2b73eae253ec805ae8b7cddea779e6df29e3966cf295c68bffffd17ffffe1e825ef9d72db0557bef0c0bab6dc13730c4c5a6d75e8a9209f64675ff8385d9d988ee4d42083b9adf5c2e93006c392261056ce4abc6dd9a52f3e6871c58a5155427aaf1b76318e2c50369f9bdb4bcf98f881fc8015c467e3fffff27ffffe4f4b313466a31687f6ff8775761ea1b71bc7f6ff9ff04802e4e48e400ab6ab0033a66a50b85949c544ed2e6eaaaef73d3d46426636c2acc2e7aa672e11857e234e333aa7aa64e4b64a724c9603984615db069e45f94f9b183fffff57ffffeaf5e8ff921ead6c1ad6538042096eafe50189d7d05a939acb49086ed4484376ab1417a655bd7487c143c1366e7970bbc17ba5f51fac17f81ce3bec7b0e209a8cd63d0566cef33da8d9708e347763fb34b2721f42d1771bd7bffffe67ffffef4b86fd0a864e83a37d41d97ecea5831c4cd2fd9d6dea77c7a1f1b0b1c1c9e7b1588363d026270a684ec094cf05b16a0f7bd9371c22d41ef6e70292eb507bd8f0745eea57c1edd2be0e3dbcb3e18c7eb42ba804f440cada1bffffec7fffff329cb646d37390a7c0dea5b70f67b5591f9d005af7914213095647e8fac8fd1ecba9b34ff4a0f373d8c5bd0111a68679bbb5395670254186bee91e6ddd23cfb2ed6e8745b85c86c92c8d116e172dabe77450a50be3214efbbfffff57fffff965a05a4f5904f6b9b4c7f3b087fccb7007ce6de966ad01bbffc9814550cac6bd720fe1146f8083b5fccd04fc288f65d0c99f6c8f376e6a4e6f22d75e7e8a10be14896bc8b5e55147243d451c84302ebbe911d4612c7105c3fffffe7fffffc6fd040f99b65d2779c0d404c461ab7c4e9325c67bf93a75e1944ace6395d824ac1886cb0621c2a7cef166a3d723423ec958a57d064d20b0299f86de39b9860fc717d67aaa3cceaa8f3b2aae1740aab85d86216cc608fbd0bfffffe7ffffff78c0611aa9c72a16755abf8248e2dad348a870fa6af36db05b5a691740617b71c3e9aeb16d8efc5b63c278d12fffde105404b20d7fd0057006806166eda1813e7820383bb149bb686095484f1e56f61bffcdbfb5e48ca3c;

// Words of the memory of each rower.
localparam integer ADDENDS = 22;

// Width of its address.
localparam integer ADDEND_BITS = 5;

// The memories, rower by rower.
localparam [6159:0] ADDEND_TABLE =
    6160'h7a64b226c6b200c668f992066d89ea31432dc37b1036359009033699b24afaaa451688fe4f421584d211dc37b10903369907b03a55bf4b8eb86f67748a2bac2066d89ce90dfd3689bdd0000000f21a78daa686c617a3c9184df20f2faaeace7f8d985534363c26f8e110e2b43c930a2f366bffaa3a7578e7f8d98c26f8e16e71141dda04b9cff1b7d472c00484df20f5d43297e7d97bb0000000c944b4a58d6b7328fb625f9200984cb4afedc46ae8ac6b59a7c9004c8afcb241a8eb4deab35c0bad8072dc46ae87c9004cf47ecdff60ad4ab88d60fd04dbdcf920098e964930ad9c9560000000af2f43647fbd176a624cc8cc8c81e8cadd981976baa3fde6fc6646244bfd124e4c99cc07301ba299696f81976bac66462495c2b4581478b4032edadf36bde98cc8c81edff4370ab3169000000015a22b2aa1400b7898b98471d7257213709068548fd509fefa38eb7cc3dacc7584ca4d26d15daf55613a068548fa38eb7c7abe5cfe6e8c160d0a91e6908491471d7259cd66548efb28b0000000c3c45364817ab9c6a68d74535718a1299aa257cf2da40bd4b229ab8cb276f7036ca4f3b55931133e8152257cf2d229ab8cd6cf19f4a3d0f44af9e5aed9a59b45357187c6c2c43e2e7ac0000000c3c9f10171832aa5fe1c334e40772957ee27ca62e10b8c1959a7202e7690ef9c9df2f858c51ace7ab0457ca62e19a7202e22c8fd358b8641f94c5c2085799c34e40770b5ef205dadd0e0000000b806969d41ccbbcac00f5c16352fd754ecaf36b21cea0e656e0b1a9047adc2163c3f735a673ad510a7e7f36b21ce0b1a901e88f12e629a93e6d6447b6f3a34c16352fae41fd15d71b69000000069d15c770927826e521996c11bb033c87ef3a899aa38493c13608dd84eccedb558e096534daad510d4c43a899aa3608dd8156c3c4eddf7db751335405c818b6c11bb060c438daaa3d0d00000001c047587a66c93b046029e6253bf28f1d7787542b2bd33648f3129dea27b26600dd7a436bcb3a6c9bed087542b2f3129de5532226cb9a8040ea856790c1aece6253bf8b6c7875213c7d0000000;

// Whether it is BTMI.
localparam integer TERNARY = 0;

// t of the inversion.
localparam integer INVERSION_KEPT = 5;

// Bound on u + v, in half bits.
localparam integer INVERSION_BOUND = 1024;

// First factor of the inversion.
localparam integer INVERSION_FACTORS = 23;

// First addend of the inversion.
localparam integer INVERSION_ADDENDS = 3;

// P modulo 4.
localparam integer P_4 = 3;

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
    280'h48a2bac472c004d04dbdcf36bde96908491ed9a59b085799cb6f3a3405c818b90c1aec;

// -1 in affine form.
localparam [279:0] MINUS_ONE =
    280'hf82af0fc29241a21f25932625b1925329b99cd08726170752cbd302ad25b5d53b88c95;

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
