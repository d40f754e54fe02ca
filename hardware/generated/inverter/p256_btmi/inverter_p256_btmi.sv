// Cox-Rower with inversion, for a P of 256 bits.
// Written by sunzi-hardware-constants; not to be edited.
module inverter_p256_btmi (
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
localparam integer FACTORS = 30;

// Width of its address.
localparam integer FACTOR_BITS = 5;

// The memories, rower by rower.
localparam [8399:0] FACTOR_TABLE =
    8400'heaaaa5bd55550daaaaa71bffffbf7ffffd5a2e1cba283be23e7486d30c5bc6b041e97901c3f7d4cbf7f3c107a1de4788ea671b2dc94dc65a38cc46f159129764bb1e53b74842a549751d64bad6f8f13640d36564033fd7b94050b8bc1e432fc63961fa5446ab566fde155554f2aaaa9e555553c3ffffed7ffffda8ee8f5ac24cda89d1aeb53a35db7515e68e97435e5317287f47a6a5fd5272f646fa9bde36f73565d0d6696fab1779f65da595bbe2e79b81b00edc9de5b0272cb2b73eae253ec805ae8b7cddea779e6df29e3966cf295c68eaaaa71d555521aaaaa81bffffd17ffffe1e825ef9d72db0557bef0c0bab6dc13730c4c5a6d75e8a9209f64675ff8385d9d988ee4d42083b9adf5c2e93006c392261056ce4abc6dd9a52f3e6871c58a5155427aaf1b76318e2c50369f9bdb4bcf98f881fc8015c467e6aaaa93d555526aaaaa853fffff27ffffe4f4b313466a31687f6ff8775761ea1b71bc7f6ff9ff04802e4e48e400ab6ab0033a66a50b85949c544ed2e6eaaaef73d3d46426636c2acc2e7aa672e11857e234e333aa7aa64e4b64a724c9603984615db069e45f94f9b186aaaa98d555530aaaaa8d3fffff57ffffeaf5e8ff921ead6c1ad6538042096eafe50189d7d05a939acb49086ed4484376ab1417a655bd7487c143c1366e7970bbc17ba5f51fac17f81ce3bec7b0e209a8cd63d0566cef33da8d9708e347763fb34b2721f42d1771bd795555412aaaaa5555554abffffe67ffffef4b86fd0a864e83a37d41d97ecea5831c4cd2fd9d6dea77c7a1f1b0b1c1c9e7b1588363d026270a684ec094cf05b16a0f7bd9371c22d41ef6e70292eb507bd8f0745eea57c1edd2be0e3dbcb3e18c7eb42ba804f440cada1eaaaa92d55553faaaaa99bffffec7fffff329cb646d37390a7c0dea5b70f67b5591f9d005af7914213095647e8fac8fd1ecba9b34ff4a0f373d8c5bd0111a68679bbb5395670254186bee91e6ddd23cfb2ed6e8745b85c86c92c8d116e172dabe77450a50be3214efbeaaaa9dd555549aaaaaa1bfffff57fffff965a05a4f5904f6b9b4c7f3b087fccb7007ce6de966ad01bbffc9814550cac6bd720fe1146f8083b5fccd04fc288f65d0c99f6c8f376e6a4e6f22d75e7e8a10be14896bc8b5e55147243d451c84302ebbe911d4612c7105c6aaaaa7d55554eaaaaaa53fffffe7fffffc6fd040f99b65d2779c0d404c461ab7c4e9325c67bf93a75e1944ace6395d824ac1886cb0621c2a7cef166a3d723423ec958a57d064d20b0299f86de39b9860fc717d67aaa3cceaa8f3b2aae1740aab85d86216cc608fbd0eaaaaa8d555553aaaaaa9bfffffe7ffffff78c0611aa9c72a16755abf8248e2dad348a870fa6af36db05b5a691740617b71c3e9aeb16d8efc5b63c278d12fffde105404b20d7fd0057006806166eda1813e7820383bb149bb686095484f1e56f61bffcdbfb5e48ca3c;

// Words of the memory of each rower.
localparam integer ADDENDS = 71;

// Width of its address.
localparam integer ADDEND_BITS = 7;

// The memories, rower by rower.
localparam [19879:0] ADDEND_TABLE =
    19880'h0bb89c2e910c82c668f99b1babd28f12ee96c6b20057bce3935151507a64b22fdbf049430ea722066d89dba7738b8ffa4f9657d6681a999f5f01cb63c59fcd27abc060503f1d4a538efcdade1612fd83ff055aff8f12ee9b1babd26c6b200430ea72fdbf0492066d892ef0a83519876c0c48d9ae2ec5b59d9cbe3c0448cc73b007d51083942e606ab19b22e4f70a5a4d4628bbbfb44f49d0c80be25c1dd65b675bab0612d885e4445f01cb681a999f3c59fcd12fd83fcdade16f055aff9d9cbe3e2ec5b5c0448ccb24afaaa451688fe4f421584d211dc37b10903369907b03a55bf4b8eb86f67748a2bac2066d89ce90dfd3689bdd000000090420bf53f2ea817a3c912306b41e6b78ddaa686c6b5cb576797c35ff21a78d488fff8c12e42684df20ffa1cd96bdcdb7f817e9688ce1818509260114433ea1fa629ae3570365bf54b1b26accf2b0914aeeb9ee6e6b78dd2306b41aa686c6c12e426488fff884df20fba6d2d8f6bc4ef7e1e0c194e3e211c459f35894c0a452f75108e053acc912d6d7f41869ba4f6f5f55d586ab8c082e699f1a707e1ffd7d63d761bab839cc8a150926018ce181814433ea2b0914ab26accfeeb9ee61c459f394e3e215894c0a10e2b43c930a2f366bffaa3a7578e7f8d98c26f8e16e71141dda04b9cff1b7d472c00484df20f5d43297e7d97bb00000005407d2b3e819a828fb62583e32796e5cef658d6b73b3be7c79e38444c944b4ae399d150ea645af920098d52d23dbfa6ebaaa20b3705087caef82408d9fc08534e3d181f5d9954a6a09b64bf2668fcb96c7a455e96e5cef683e327958d6b730ea645ae399d15f92009870a7959862dcdc5b215d610f0ebde5e4778fb6aafb949a7b47f14431698e0aec475d02aeef97f99695fcf451250decaecd09d7612242c7dd4f38ee339b2b60ef8240805087cad9fc0858fcb96c64bf2667a455e9e5e477810f0ebdfb6aafb8afcb241a8eb4deab35c0bad8072dc46ae87c9004cf47ecdff60ad4ab88d60fd04dbdcf920098e964930ad9c9560000000c61e40498404686a624cca3b7c4f75d9cb347fbd17815149a53734feaf2f4365eeace5baa6c1d8cc8c81d9521e5ab742497d962adb6eba30890da945b2faf8948527b66a72dfc263217721eac6cdda9fe9ffca6275d9cb3a3b7c4f47fbd17baa6c1d5eeace58cc8c819c41875ca1f8116e638d9e10e7df85528a7b3308434fb831121da375f3fc3a02d51b5cff73b87d195beb0aeb3a7dd0d3d238c9343e884bb94440b2a1662b8e890da94b6eba305b2faf8cdda9fe721eac69ffca6285528a7e10e7dfb3308434bfd124e4c99cc07301ba299696f81976bac66462495c2b4581478b4032edadf36bde98cc8c81edff4370ab31690000000f4a54e3369f0547898b982620983681a4c7aa1400b579bdf6999593a15a22b289172690523be1471d72568cb11eaac4c62ecbe7a69a46591dc400d51e39c46cbc1a040dbb57589c7ec0fd3ce7779497efbb43333681a4c72620983aa1400b0523be18917269471d7255065d100e6c1cc925f854ed6f3fd7162ab22f68f6e2eb831770b1e5bb2ab99f603378aa22d2cee426e1291aebfdd3a87414fb50b9c32a0703f369e8813052cdc400d59a465911e39c4679497effd3ce77bb433337162ab2ed6f3fd2f68f6ec3dacc7584ca4d26d15daf55613a068548fa38eb7c7abe5cfe6e8c160d0a91e6908491471d7259cd66548efb28b0000000182396d6f65122c6a68d79994b2cf0d62e14817ab91b05d0e72474c3c3c45369c76ecdedf3f4045357180c9aae963dc29ebb1da538e0bca8e54d45d3c8ec350f7ce8a66be63fb83b6b290ee049e26b0bc39ac894f0d62e19994b2c4817ab9edf3f409c76ecd4535718d9c45d98282e243105db1d6e223885651c52e23a10125f22b69a09e0c0e219593d03eaeb11b9f425337715415cc6c82d81bdffdf496b278be82f7fe3f70fd6e54d45d8e0bca83c8ec35e26b0bc90ee04939ac89485651c5d6e22382e23a10b276f7036ca4f3b55931133e8152257cf2d229ab8cd6cf19f4a3d0f44af9e5aed9a59b45357187c6c2c43e2e7ac000000078633880f30ab3a5fe1c3e97d4d4804abff171832a5a9763bf164d4bc3c9f10cbb17879e1694c34e4077ef928bc865ffe71d2d71260aca23f77a1338e4785ed1c6b6f689429a3af945f42e0cd61545e9bac135ab804abffe97d4d4171832a9e1694ccbb178734e40776ea9682d7dbf570576dad8c753cfba1020a2342afab3fae224ac854de195c5d2514f89bbe269952afdc4962f0d52cfc800ff619aa074923cd9ae3e6707bb11f77a13360aca238e4785e1545e9b42e0cd6ac135abba1020a8c753cf2342afa7690ef9c9df2f858c51ace7ab0457ca62e19a7202e22c8fd358b8641f94c5c2085799c34e40770b5ef205dadd0e00000005c736ea1399bf7cac00f565d02b01cf67bdd41ccbb6f2ce762653383b8069697889a3c0a3d031c16352f118d8bac8b3db87fda2c51aea480d21097e8936e8b2447046db6d5446d20b392da3c0cbf571f2767d6ff1cf67bd65d02b0d41ccbb0a3d0317889a3cc16352f872ab4ed0046413e5105b74713c2e2bddcd2b978cf37007d2ee26cd0a54d1dd405d398f783896aea9da349b9f5e00e046b9293a515316b24e4ca10a9bf0617d21097e1aea4808936e8bbf571f22da3c0c767d6ffe2bddcd74713c22b978cf47adc2163c3f735a673ad510a7e7f36b21ce0b1a901e88f12e629a93e6d6447b6f3a34c16352fae41fd15d71b69000000012fbc84c0a6f0a6e52199153c26dc2e74f37092782177c856c527adc69d15c719bce3fbe669216c11bb000f8d3caea3fc25c4f2510339325b0e45ab5e8f83a057990eb324b9457ce67f07b9ef7ac639d95a0ec68c2e74f3153c26d7092782be6692119bce3f6c11bb09ee1663f1363d44c8c8f29a60a91f5b6fa6480bd2009fa4e0b7a576665509f50c3aac9b9e5d4f6790fde0e7b0b2bc2633860cfe2310bb69bb56517d631040cb0e45ab03393255e8f83aac639d907b9ef75a0ec68f5b6fa69a60a91480bd204eccedb558e096534daad510d4c43a899aa3608dd8156c3c4eddf7db751335405c818b6c11bb060c438daaa3d0d00000003fee9bcf81a4f1b0460290a0f626c23b15b7a66c93d43028d8c5bdc51c047589e50ef72df988ae6253bfeee866fa7141a75f3fcdfb9092d97134e1129609498329f433b55a7bcafe40b4d4abaddcf353d951f075c23b15b0a0f6267a66c932df988a9e50ef7e6253bf202eac76802f8fd85a5fc8bed1f3fc448604418d2b176b817cf9734c87c2e84e18c47e99b7fb651e3aeeabad0e863d8c20f3815b075cdd5205766e5bda221a7134e11b9092d92960949dcf353d4d4abad951f075fc448608bed1f34418d2ba27b26600dd7a436bcb3a6c9bed087542b2f3129de5532226cb9a8040ea856790c1aece6253bf8b6c7875213c7d0000000;

// Whether it is BTMI.
localparam integer TERNARY = 1;

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
