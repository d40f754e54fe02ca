// Cox-Rower with inversion, for a P of 384 bits.
// Written by sunzi-hardware-constants; not to be edited.
module inverter_p384_bmi (
    input  wire clk,
    input  wire reset,
    input  wire in_valid,
    output wire in_ready,
    output wire out_valid,
    input  wire out_ready,
    input  wire invert,
    input  wire [783:0] x,
    input  wire [783:0] y,
    output wire [783:0] s,
    output wire failed,
    output wire [15:0] outer_steps,
    output wire [15:0] inner_steps
);
// Number of moduli in each base.
localparam integer N = 14;

// Width of a channel, in bits.
localparam integer W = 28;

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
localparam [223:0] K_TABLE =
    224'h8f817d7b7769635f5957534d4b3f3b39352d2723211b110f0b090503;

// Words of the memory of each rower.
localparam integer FACTORS = 35;

// Width of its address.
localparam integer FACTOR_BITS = 6;

// The memories, rower by rower.
localparam [13719:0] FACTOR_TABLE =
    13720'h3ffffe07ffffc01244bcfb7286e0599ec42c654417828818980d805860a20425407518f23f1a2ee136a5d48b2582af2ac8a8437dbb4cc217fe0b80f0665d0938a856e330b06b0a21526562c796d98ddae4cc2bf7fb4fe1c8288502af01c5b074ab7d443f0cfc3f410411953459686dd1b84de0d794ff90cb2edbdbffffa47ffffc377c2147cc56a751b6afe5122df6d76e900c13d1802e0d017e724a7d009e8c01476e8e21cbcdad97f2b28c104a51fad3a1b71f605e5acf7b4cc76269981f9fccfc0b0eae600d01eeab5f186874bf352aae5948454061c4172b980345fa38f6043d66e6585d1b153cb31143152230e6631105be6d3ffffe67ffffccee8e220134ae0d2aaf9201de73052ab7fbef1a800e9a9efeb87b972d96bb30c789056eb96bfc12d3dd0f942352261ee5b1c32b62f939e8c0399b4b1b4712ab431af5eecd3b254a2629eb79c9bb4ef13b7fb34e700c2fceaa958781a7789a0e6d2479fd6b3ded852c6df4dbbb6bea1ca0372397cbffffb97ffffd12956dafdf3c46ade51e2afd4fd36bca3cb36bd6dae0d70c1786b85dc84083712ce81f44b1019ff84c0f0a676407b243bc0a5880a0ab9008f543b8d4b513bd1a258ade8962c3e31ebd40bb4e97eda87f2fe91a2e8ec5f94bf0bc1cf031ebd4748d174f62fc74c3a41025769d173275bf7d966bc1bffffbf7ffffd5327d7e57b6f41a42cf6528ae0ca1f4eaee48d1d30e4eaf35958a862872e2c9b7a61305ce31e955cb8b116edd0e9fdc07563a8f984238b555e1a6d9b42e7d28e54cf46a7438e4135ed9fc5e36ca7650904c073f0dac5e335abe76a2a883ab3cc93b4ec028b9bde8c1135de78399edc56182f63c13ffffed7ffffda19d11fba3d89e1b4fac79d8d8d30aeaea961ef060563635a7c6c6b4eababd2f13131774e4e5063eee1797087cd7ec1f4f84b0533ac4c4c24a2fa0242a8a87030ec1b4cd502f3a313058e93915bb9d9eaa9e27c4579a86fa2ad1909d73b39793e99fb4ca24831ce8278e789ed3ac0056f103c748bffffd17ffffe1ef11f47337e033183575e8a978e3904c5d9523de91231aa6660d5d78f6b9bb31bd2c2a3e544d104a32076a1c1869e3ed6eee72a8e3fb64174891f6a76a9eb0857f2863bfea9dd9fdfc615fcaae83ec014ea035079c0235ac4015189300fd27a80d2f6200a8c9ee9525a7008b124aed0f7a0ba1b3fffff27ffffe4da55345d3be2e4ab7884376fa4e369b7b0f5f1b5b65cd3e86d4b608fddea7fecd3e97d1960b2522157c9d9901ace8f00eabf6c92715a4f9ceb22f7809507242a2ffc893bd318121c6c617491da2438d8ca2ffcf6ba0059ed16dc11e4d559caba0035d9e8bb4595c2b6f45b6d82a1a54c27e71153fffff57ffffead65442fab749dad6cb9c2471fd4907b3b620112b756a0b543018662d6854e27df9152fc73e534f6578b67b2bc5b1037552d11e80371c0541e8f4099adf50429f9c4e0ea8d7c70a0485593e775cd187e6d5d462f4e92f7628b6841a3df57282ae5008a415f12bc417e386f1f49f093facf440483bffffe67ffffefc33ff0dbbce9fba689e8261724aad61f05e3908b9a4d13d27f6b64b65b41290ed6c98fe73b775908ba09dee8ba818c4868129364edba91bcbea0274b2fc91008ea0ad96fb5248d5f0f04f99925c2dcedd9f3324a7eeedc57ccc97644cd1a8c199b1e60ccd8fe70a45b408890a5cf118bd8a91d9bffffec7fffff37ebc50bdfd86beb6518fbb33bf8b8cd62515066f727e670e4f9a8f3a789a72b34e7acef258361e269cc7c4d39a989e76e69630a493eaf03a71b2e9d35f8779065e5dd47f5f4cf8ba864b547f052fef911131b197d7e1de4afc3be91e967faa0787ece02828e281e1fbece4e485db8e2fcc427f7bfffff57fffff9b2ded9dfa7d61021c8d18f8c470bee810127c9fb8e561d174308911f4812d00edeb1b26453995b42f0809ae96057234678c6e5cb54f8f1e2f52bc703ce1c383b7f72df06526b4a4abce2e3605d60945bf67b661c10de8a7f3870e0ec9932d437a29cae9d2d2aba74ac18f1e1e958e876001846b3fffffe7fffffc8e0d17d5f01dfb73032180071f67a80877e780a59d270ba54312158b180e1db0b45d55a4152c4681f0e08226d18867475119d1d56f31714c53fe000a57b4be5c0f9ded52dd71256a28187ab3980112bec5021a32d504a1de3f735702f38c9846d52811b54b6dc95689f72559a58b217d069688ebfffffe7ffffff7cbc6e9c2daa70a6d7bf36b86446e3d83f068a54c462f40dbe3f98ea3631bb1211b5e4d328e456c63762b544275846d790e7bf93c9efe4f95243dea7eef19189ba2bb93287b431bb33ce5699003e2a00b82227c65612c5e6fe534795319b4288976dbf94d215ef40da4217e47fbc70e5dc64fc6;

// Words of the memory of each rower.
localparam integer ADDENDS = 22;

// Width of its address.
localparam integer ADDEND_BITS = 5;

// The memories, rower by rower.
localparam [8623:0] ADDEND_TABLE =
    8624'h9aa06249427e6596500fa987838fce6441cc7ebc5dca13ef2cc3c187b482520ae09d61b031ff6b25a28bc7ebc5dcc3c187187cd373a0c85b8fd793b4fa0af0987838fe6aeda035658790000000b9a2e398f04710f28e94a5618bff0e96877e3f80d34782388ab0c5c2641cb58397e42f9d08669009291ee3f80d3ab0c5c2482fb9a6075232c7f0221226f6ef5618bff245beda607e8ea0000000befd7c5e66a4232e9b59f76cc6b2839746cab040caf3351dd3b66359214a64d48b72ab90e83bed9194d1ab040ca3b66359035ee01e9749ed56081fd8a174bf76cc6b2560fd360c6bdef0000000f666960f5c9bb3f5fe042f6324d1fb4d6c8fab091bfae4daafb19239f8da014f83d267f8716f6f8a5b85fab091bfb192397be0dcb972e044f561295d56e99af6324d1af5b7173850a9d0000000af89a976397e72d23dd0c40e3bfd0f17cc4c32604831cbf39a071dd3df50b82935ef5d0204e4e70aace8c326048a071dd385990b7ddb98cc864c0e7bc5301740e3bfd9d5e6b274391ba00000002e194700ae9df56bf9aafcd097694794895246521a8574ed4e684b8ebad6e5c97a77e1f8b749b59c71a2246521ae684b8e8042ac53102a6548ca43470e2197cd09769a8a8508a4e46650000000cbfb4f52ab43660b21400eb8e45bd6342a834ed119155a1b3f5c720e5117beeafd0a20903daba70aab5434ed119f5c720eea8bbd1122749069da2321f0c4cdeb8e45b90b4f1907d807300000007d1a00ec672cf0adffdfa958cf04325388c7bac56e63396784ac678257b6c4da10f92f889ca397029b437bac56e4ac6782204797a1fc36b3f758adc694b221958cf049a7d3338bff44e0000000d4795448570bcb4a739ad0f7678f4cbe193fdb57edc2b85cf87bb3b1109bb82c1931dc8695fbe4b98da0fdb57ed87bb3b171223c178e305efb6b007baeb1690f7678f39f2aaea4bde270000000c259280722861d378df9ffcf38fe43df601f3ae97bb9142fd7e79c7f031c452b2eb7cc785114e3db6ad0f3ae97b7e79c7f53e445c568d9c4e75d319b8c231cfcf38fe422e86aeccb91200000006d0ba206e8f195c363465183775060efe7862735edb7478bd0c1bba866fdc4c68813c1bd55691122997c62735ed0c1bba8bf9f64bfb656d0c4e6bdaf80fe0e18377509cf5a623d2cff400000008da7f806b1fa08214d135d77a853a1eab4f7f625d7358fd04ebbd42217c956ff540fe8ab6e715619be427f625d7ebbd422472e88788b13d1fec4baed1f7e72d77a853e468cf0a2c5a3a000000045dd3a93f6e12cec3dca5990d827795679172e75141fb7096cc86c0f5f99d9d592ab2005fa6a2b2ca21b72e7514cc86c0f943731cd15b23fe5cea28f80f622990d82733a3aac46d52d80000000c3fcf4e1cc0d91547f8d08c3e40ffdddd4556a1b888e606c7c61f20660ed64bb9b148bf16ffca292eb0c56a1b88c61f206740c72627a6b2dad437104f18e828c3e40f3dfc9f57bd036d0000000;

// Whether it is BTMI.
localparam integer TERNARY = 0;

// t of the inversion.
localparam integer INVERSION_KEPT = 5;

// Bound on u + v, in half bits.
localparam integer INVERSION_BOUND = 1536;

// First factor of the inversion.
localparam integer INVERSION_FACTORS = 31;

// First addend of the inversion.
localparam integer INVERSION_ADDENDS = 3;

// P modulo 4.
localparam integer P_4 = 3;

// P modulo 3.
localparam integer P_3 = 2;

// A modulo 4.
localparam integer RANGE_4 = 1;

// A modulo 3.
localparam integer RANGE_3 = 2;

// Whether A/a = -1 modulo 4.
localparam [13:0] NEGATIVE_4 =
    14'h2962;

// Whether A/a = -1 modulo 3.
localparam [13:0] NEGATIVE_3 =
    14'h3aef;

// 1 in affine form.
localparam [391:0] ONE =
    392'h4fa0af0226f6ef8a174bfd56e99abc5301770e21971f0c4cd694b221baeb169b8c231cf80fe0ed1f7e72f80f6224f18e82;

// -1 in affine form.
localparam [391:0] MINUS_ONE =
    392'he14fc2e89c210f63818a516f6067c57478c2930d88b810428c1cebe76401d884124f03385f077dcfd2343a0ba2cc96399c;

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
