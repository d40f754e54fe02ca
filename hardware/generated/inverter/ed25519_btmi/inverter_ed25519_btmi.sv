// Cox-Rower with inversion, for a P of 255 bits.
// Written by sunzi-hardware-constants; not to be edited.
module inverter_ed25519_btmi (
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
    8400'heaaaa5bd55550daaaaa71bffffbf7ffffd5a2e1cba283be23e7486d30c5bc6b041e97901c3f7d4cbf7f3c107a1de4788ea671b2dc94dc65a38cc46f15912976030e60655d79d2ec8ae606030e6d5d3a8da4bf6d5031a5a047c9f6e359ad17617e270fa5446a9a43079155554f2aaaa9e555553c3ffffed7ffffda8ee8f5ac24cda89d1aeb53a35db7515e68e97435e5317287f47a6a5fd5272f646fa9bde36f73565d0d6696fab17e9b30a00eddf5e9e0f6047995ac8533083841dbbd75d057d11f6def7e58799b2783d819e3966cd1b6fa4eaaaa71d555521aaaaa81bffffd17ffffe1e825ef9d72db0557bef0c0bab6dc13730c4c5a6d75e8a9209f64675ff8385d9d988ee4d42083b9adf5c2e93006cbe492c375b71be41b6cf22bcf34cb3e2b6746ea0a0906db17d9f158e804fc670af3cd3881fc8091571836aaaa93d555526aaaaa853fffff27ffffe4f4b313466a31687f6ff8775761ea1b71bc7f6ff9ff04802e4e48e400ab6ab0033a66a50b85949c544ed2e6eaaae37132c4c77326c8186397fcf385c91d9a3d6a699f44fcf377f4399a0a3b7cffe476663069e45fb3c15856aaaa98d555530aaaaa8d3fffff57ffffeaf5e8ff921ead6c1ad6538042096eafe50189d7d05a939acb49086ed4484376ab1417a655bd7487c143c1366e79754761870cfca40b8c4bad4debd80d90a10b44047992f16ca5203803bb31918874a5724721f42d4945f9795555412aaaaa5555554abffffe67ffffef4b86fd0a864e83a37d41d97ecea5831c4cd2fd9d6dea77c7a1f1b0b1c1c9e7b1588363d026270a684ec094cf05bf652a09013ff63eca54393b87073b29515974205c026b5740135aba00f7bc80623c7b3ba804f44b68dc6eaaaa92d55553faaaaa99bffffec7fffff329cb646d37390a7c0dea5b70f67b5591f9d005af7914213095647e8fac8fd1ecba9b34ff4a0f373d8c5bd0111a6b7fc233d629ce37e5f7435df751cbbeea386797dd48822b4ed80b904a208ac381a089c50a50bebff7df8eaaaa9dd555549aaaaaa1bfffff57fffff965a05a4f5904f6b9b4c7f3b087fccb7007ce6de966ad01bbffc9814550cac6bd720fe1146f8083b5fccd04fc288b27d3da25921dff95a690b85b2c6be391b227e70ede16cb3a98e078966381de838dc7a911d4612136d116aaaaa7d55554eaaaaaa53fffffe7fffffc6fd040f99b65d2779c0d404c461ab7c4e9325c67bf93a75e1944ace6395d824ac1886cb0621c2a7cef166a3d72382737d19df959bd25a058e2a88bde75c812726db78aba4934ae924e6a2db61ea8b6d8286216cc21007f3eaaaaa8d555553aaaaaa9bfffffe7ffffff78c0611aa9c72a16755abf8248e2dad348a870fa6af36db05b5a691740617b71c3e9aeb16d8efc5b63c278d12ff1bea747dfcb0469165f3fac0568bc607082b2b40af0af5839181c217bc465378773588fcdbfb59e0299a;

// Words of the memory of each rower.
localparam integer ADDENDS = 71;

// Width of its address.
localparam integer ADDEND_BITS = 7;

// The memories, rower by rower.
localparam [19879:0] ADDEND_TABLE =
    19880'h38acc8d0c55bf76503d23d9ee0d2ad9703c813ffa67b2f56e4ed84d82281442976b7f1f01991dc3c288742b7068165ffd26f0e0fee3f84adb7a14178b4a381853994958e28b32c8b81da175bccfa23cf8cdccc62ad9703cd9ee0d2813ffa6f01991d976b7f1c3c2887c1ab7f2ee02888955475c042e12aab7ffa7d7d703dbdb1e4f915adb9ea08ee55ef32eb329c25506451bf0034787d3dd69aa7866041c70a0a751eb3648c7aa0b7a1417e3f84ad8b4a381fa23cf8a175bcccdccc62ab7ffa7042e12ad7d703db1909df104f59af4132c052d1e7b9f5eb37e1e141874c8b66ffa4e803ebd6c5ebfe6aac3c2887ce90dfd3f9e2e700000002534b85329746e17d229c5b2acc3688d5ac75efe959120e019e836eaabe5fd3ef3e9fad479828e1dc111d4e55c2e247eabc782cd90adb74d183e03625a091f40d188b4e341745b96a5d9eef484842a2b2918cb9b688d5ac5b2acc375efe95d479828ef3e9fae1dc111c7eea73ba8c18ad55135c33dad3c4e9ff0e413d625fd0d07d0a6f9b3efaa79433032084065af14dc83da68f9346765bc2f83be518c716f3fac51d6db9b4656183e0360adb74d25a091f842a2b29eef484918cb9b4e9ff0e33dad3c413d625336efa2fd78e179f5b21e69650e08501de6f0ee062c0cba85843ff5e0a03c19a428f06e1dc1115d43297a6cc37900000002856da7c30d52a8da05e5f44dfb68f0477829baf3ac0452045afb9c6f5b21495c5fb5926f2c14c1a9397880ff9922c675bed597d754071e7eebd96a897412c1ffe435bab4bb8556b37abc18d4b86abe0621625c88f04778f44dfb629baf3a26f2c145c5fb59c1a93974e76b9bb3c03d9e92d31ee664ff81bd1f7c811b7ba58336a0f2e9e23bd7cede242a8eebee10715997833f021afd8ad82bf258ea818c3c45256cf50df185c90eebd96a54071e7897412c86abe06bc18d4b21625c81bd1f7ce664ff8811b7ba8547c73b950a251d3610f513eec148e654fe0d49ac03c023efcd38ef91cca9e98d6edbc1a9397e964930eb6e37c00000000fb33def76a7db27fbfa8a1e9c9989a10cf7158505342058d1bd79c3038edf97d7caeaae0e27e95c56b4a167a9a891eed0b9b0664339e38e1b557c4030cbfac5d4c49ad8c07f95434b50f311df3fc29732779da989a10cfa1e9c997158505ae0e27e7d7caea95c56b4ad09e80c552a4a94c12b6d17702fa0e589bb92e465588d73c4044b7270d6306eac3ff7d27b42dba328637cfa8eb64b1d214c69157c656e48f6e85dcde9fa121b557c4339e38e030cbfa3fc29730f311df2779da9a0e589bd17702fb92e465de1d8134be6f58028a9fb705410726759ab4ae2b5a46f3ccac3f69e14ceb356fc6881c95c56b4edff4370618ed200000004c479007c4988e1c45972a84613fd8480cd084a08804449ab344693964488c7f0490949045178c0471062c3bb7f5c3db0dfc39bc4883a3beb83c34ce83e2dae438bfd143abb8443cb46d03d31370393f7a03b385d8480cda84613f084a0889045178f049094c04710698305cb682e63dc832559502d676b031592802f604bc41a29ec439b78c3fa9b1840295484222378441b1743ead4a440a62d4429f060431ea003f2ce304125cb83c34c883a3bee83e2da70393f7d03d313a03b385b031592502d676802f604b436c6f58384306c33d1a10354dba8267d860238830e26cf46a2dece504cfdde231e72c0471069cd665437af635000000053aed2512e6d8b9476cbf0444ceac37cd2d82b4d93b4dac8c7412cf2334ad58a318d6024a8cb7e3e0cfad85eae49796b4a1926aa188f4aa9482cb0f0764b75398aa6ef8c2ab1b7fab1727c8b42a958a766890adcc37cd2d0444cea82b4d9324a8cb7a318d60e3e0cfaccdc8ce0da488b8c149342e08858ac78901ed4089b1606c16d53ec5956cebb0c69cbb885d4c1e450cc847732b7d366abe3f5a2c266570c51e700b85a638beb482cb0f88f4aa90764b75a958a7627c8b426890adcac789012e08858ed4089b7a52a08c9bca43db7e96f2ae89cd10c471671f067dedd0ffcd44f2412188e2c8c45ba0e3e0cfa7c6c2c42f7e8b20000000d403c3e33e7a00741fe97cc18dfa2bfcbbc8be0963c42dfb62411d7883f5b1fdbeea821c26f347c0acdb94aca1ef4907c534c8c778cc1bdaeca59814c8974384d6d96e4bab3d449e8ff9c97862dccfcf93cb3abb2bfcbbccc18dfa8be09631c26f34dbeea827c0acdbad4e7614d6a9ba0d325239d78ad95d40642fd5c880b45832e143c0f05474587ac6d4ea0c512ac6c35053a4826a60466468644a20fbc43172fc7b6095c5f3cbeca59818cc1bda4c89743dccfcf99c978623cb3abb5d406429d78ad9fd5c88024f2fef2cdde33151d3671d081abcddb2e8be05660fcd0e671662ecb9bb65eb4f7e6007c0acdb0b5ef20cf2fba800000004089d80dbeb377a52877a0c00d03a7622fa42c3900d777c7772d927d0e3a8837512dfd3e50200d9b17f79c4197a37a2f8000e038367b88fd0319f039e7b4fa332f880ce90e7769f247dd0ca9f79a07dfa3569400a7622fa0c00d0342c39003e502007512dfdd9b17f75ed1afdc3704f7fa330f4f5bf9f42c826009120ffa6e65b7d09c7183d30457739dcb00d53e0f7709f6fd0553a83a0b507a3c16680a2eebfa6c2bffd078d6030319f0367b88fd9e7b4fa9a07dfad0ca9f735694002c82600f5bf9f49120ffa97ce27acc572f72ebc18063451fd55eacfdecd8bf41e701d348b4d34abd59facf41cfcd9b17f7ae41fd1ce3f0cc0000000ee7a05ee6ee61ef605a9ef422c0eec971cee50b78ef9cb7bef23fd7eeab433ee8d14aef7e892ef05ceee1bbfde714343a7234b827216899719dcf57125151727115471f85b0717fa0c71617237252e6b71da2c77ec971cef422c0ee50b78ef7e892ee8d14aef05ceee4722cd74eae7173f972975274437435cfb74ae89f7051cf27fd914de0ca89670ac5ad7033a097fbae64e106e68708e2c470157207ff7436e0e8b7f706ffdb719dcf5721689971251517252e6b716172371da2c77435cfb752744374ae89f72e9cf8728f43d739ee6e73445b376cdd017782e77719309f7fe60b39d9ba02e8a134c9f05ceee60c438dba493ae0000000b1c10ca15fedf34d833a4e692aec4ad0815af0e53b1b645117fa2237e3dff5d7cef6a8b473c5918b1982584e1e0bc8bf06f4104b78d1fc02f15d928559b651c1f1624262f34d8a6d073237c7be5b00d6fbf3ea954ad0815e692aecaf0e53bb473c597cef6a818b198297eaa3e33acd18fc28764018de85ca098d165cbbab8507955e94567b20c9c2fb9d93771e170a08254dc6eeaad9952e8ac2b7267e85035f3387ba4e4ebf820af15d9288d1fc02559b6515b00d6f237c7bebf3ea95ca098d1018de8565cbbab5db38fe28e1edcc756d429285320a2b587a0c58cc101f3b41fe592c6456b0f7c34e0ac18b19828b6c787f1194e60000000;

// Whether it is BTMI.
localparam integer TERNARY = 1;

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
