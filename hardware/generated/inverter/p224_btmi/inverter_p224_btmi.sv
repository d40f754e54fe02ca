// Cox-Rower with inversion, for a P of 224 bits.
// Written by sunzi-hardware-constants; not to be edited.
module inverter_p224_btmi (
    input  wire clk,
    input  wire reset,
    input  wire in_valid,
    output wire in_ready,
    output wire out_valid,
    input  wire out_ready,
    input  wire invert,
    input  wire [503:0] x,
    input  wire [503:0] y,
    output wire [503:0] s,
    output wire failed,
    output wire [15:0] outer_steps,
    output wire [15:0] inner_steps
);
// Number of moduli in each base.
localparam integer N = 9;

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
localparam [125:0] K_TABLE =
    126'h29cd96fddb96ab53a3426c88f1624283;

// Words of the memory of each rower.
localparam integer FACTORS = 28;

// Width of its address.
localparam integer FACTOR_BITS = 5;

// The memories, rower by rower.
localparam [7055:0] FACTOR_TABLE =
    7056'h155554f2aaaa9e555553c3ffffed7ffffda8b4f17c68ff50865d0d66ce8d73488ba600668bc80ba076e9c3920d68f6b1ae82615e4222e980761fc2a0b9284d50458cb78d3089e6e138ce1724c153868c9db5fbc02a73a91541161e871a5570c9a882eaaaa71d555521aaaaa81bffffd17ffffe100fe6b3d3b725d62033f34e056aa15efbc33bf97dbd8fd46c13fdd49a8dd2f3b2eb0bc9794f033f5f6495787f011c1401e12b8014d807fd0a205fdc8704fe26c03fe833a68b204ae0059e827f3d0e0e526aaaa93d555526aaaaa853fffff27ffffe46f4f5b9f8e32eb2c544e607247204048020dfdbfb7f8db8a7faa4a6f9662ca977a3d1be9d5d54f07f9280e593dbc09193c7edcd127fd6657353d10d67edcbbd738922946f3985ff598746b056195895926aaaa98d555530aaaaa8d3fffff57ffffeac349ae96f78b3aae739d987a3844d982f7afca532c59ce625ace72fc933e8165b246ae9a455a05876d1c5dec1a4ae36a613388a42e63baaad81a834bcfea92a9bbb695867efedd2841ed7d8eb6b7aae1695555412aaaaa5555554abffffe67ffffef4d51180cb8089bac980d2025011859301c7cc402531720af0d1be9fd33bfd8aa6cfe16523fe7fef909a8ec8ed0bb68ccc448bbbcada3335eb8b32a592e662a49733156df5c09dba21f407f0ceb054f289eaaaa92d55553faaaaa99bffffec7fffff3d4a301370e9c624b7fbfe02bfb5c041f90ac9ff75a0afed7015fdae02601641f7c0dd1fa00a057c41dc2875fa04b57b2f7a2d9fbd45b3f9ba237dc374980a97c32ad85d260224a84ce8fd2f59a3d63a1beaaaa9dd555549aaaaaa1bfffff57fffff96224e1fef696b6ea720b4a34e0d2f5f611d1ccc159984321ccb042d023259b96e6d31c2c2bad8991499eab0b0c9bdb55e780909366e85652e4cf80a02424faf4b470d7d2d1bf22f534b51fead2411eb0c6aaaaa7d55554eaaaaaa53fffffe7fffffcc0351f92a6f85d1323f1f0db3f041c53eb3148de86848bdd225aed4b710c7e1c431f8d1de7035a1471ebb729c6741177c53e7397b81ab72cb7b2e29938c5434e31522639d5b1d8e75642e139b85e1bc9beaaaaa8d555553aaaaaa9bfffffe7ffffff56f184e04aa590afb821fdfb025b8d50309b2c0366bf604b97f405ac3540c2add3154874c55295b5c38cc00069269eedafcec57df26672403334300000158d999c9008007685fff12ec018967130182fc;

// Words of the memory of each rower.
localparam integer ADDENDS = 71;

// Width of its address.
localparam integer ADDEND_BITS = 7;

// The memories, rower by rower.
localparam [17891:0] ADDEND_TABLE =
    17892'h503b363f867349a80f330521a350fa46336a27236953f933dfc25323a4513564e5c376fe04310a6303435f332cb075f2feb70729861122b8093e2ebb16a2d162f12a50b1d2d8b3492be5d542de0cfc2c5b5282abfa46336521a350a272369fe043104e5c376a6303431836253700a220c0622391bf422d6c4c246c42021357b7317ffe32fdaf8b2e4599630401c2337a9ee31d5b752f103a1324abcd30a55d832a0580311adac2f7093e2eb61122b8b16a2d10cfc2c55d542deb5282ab6c4c2461bf422dc420213bac5272b8e6285be8324cbca425fcf5a1a1d31817b0b965ba800a9c39eb438f0f2f898a63034362e50feba90ddf000000053433c291964cc14f02b8a484edbe2d7fe5212b12ef5c69f43419b3d726cc4702018a9855b656c3ae760dd50d081ba3e519efdbfe2e928606ce596aab38a747fd4379be27483fc7a58d8c0f1ef0f68fdb4dbc0e5e2d7fe5a484edb212b12e855b65602018a9c3ae760f6f32b0b8a01a635463f99976921161cb74d7c9a2b984a065d69d16f59f6f5be98bb7e27decc76631dd13acd6d679207e0b7738ea470854cca622f908b54426ce596a2e92860ab38a740f68fdb8c0f1ef4dbc0e5161cb749976921d7c9a2b418126ff03f717e4048a192c2d88bf53d3f61d73b063c3fb10e0b6527ea7abd97659fcc3ae760a8410b5af0fe0200000006b98378c34eba813e1b4829cf5548185d84d93c5b4e8066f73fbcf609773790ad6119cfdf410355aa96c5d511e6b507a16059a9b61b883c2733ebf2caf5422d9bf5653175dce892c5fe9f1a00aefacf7147637da8185d8429cf554d93c5b4fdf4103ad6119c55aa96c64f7a600d41230bcae290e165ddf90d2e78391c6486474aafbc2b2df0cbe27f22abc8b7a624bbd218cebe0e2e2e3899697904fec7a63d8d3f6d083a4e870a3733ebf21b883c2caf5422efacf719f1a00a47637da90d2e78e165ddf391c6488208d35c3d1b59fe770b4403ff11ae670fe2ad54b6dd15ae793b28f25cce2354e8dc9055aa96c809004002465a10000000bdee6c62ede0e24cfecd7293ab5e9a2a54d0b19f699486fc905769e576663d452a225b70c2e50e1b283f1850ad289404c1a7610b6839cf3df48c92c657c348eee93a85fd8dc4d0c87b3ad0463acb2522f3c14c4b9a2a54d293ab5e0b19f6970c2e5052a225be1b283f4eeed38ddff31cbfde727258763b0766a46967702a6b1f8ccdc0f2bbfa2feb0d66bd37475b753b84b14241b81cfb2a7bbe23975daffd34341df40568ee3a45f48c92c839cf3d657c348cb2522fad0463a3c14c4b0766a46258763b967702a7df99b912ad54e54922bce945e241a40b33f0d9409f743863b89f7673481666512b3a6e1b283fe529a9bce229080000000a7032d16f9791bde6ec875093e2b1928475e1bca9cfa24962c2b8fac8b4d5f6fd727776c49b0634de150f388d38bc1d3822af47119d1989265adedc2e4252646aa3ec0f3ea36d7d305d49f8201b8cf56d8163bb719284755093e2be1bca9c6c49b06fd7277734de150b233943e99f2f97ac7f8d0554ff7967dc68cde961e4d4601615da66084b19ccf6d6b4dbf6b19787ff7e1a0676a768fbcf1319033ba3b54bc128c84bdb20e7265adedc9d198922e42526b8cf56d49f82018163bb7967dc680554ff7cde961e7e15da2d485248d13743327a68fcc74d9f41a6f0a812cd8ff663e5dd8e9b40b005ea0e34de1505c82bc01d334f70000000ac56422a67f7acb22d09830b75882ae09122509c9cb5186d3af41a5da96ade727f52d733a2bc32dcbf4dcf5eee6c988270d535b5c53c004c4de93d64812760d821197d24a521cc738ab4afdd9b56ab68750d4a112ae091230b75882509c9c33a2bc327f52d72dcbf4d70f1e9a76c8b106b1b22479b414b6e0685f73dd4d5bdda984b803d0ec3b15fa423baea3c64e74368e1fec69cc35c0c5fbfbaef349397983945271253f504af4de93d653c004c481276056ab6874afdd9b50d4a116e0685f79b414b73dd4d5ddf7e0d5996cc2e6ba0be6258f738e23ce896e5f99d02958dd9b59e91c479eb9eb5baf2dcbf4d83f2140446fba700000002285c3628c57b11c460bb5dd5f966415b116a5568c99262f69f65e71a5a59ece7358c7dab61d1e0f5d4cfd0774503472cff6c7bca3857ab43e9762f44d71aa73a7e1479e798f802750ac1b73e5b537cefbb7786a6415b115dd5f966a5568cdab61d1e7358c7e0f5d4c191914d12d95d21f58cc88fb980d9c38f0395f93880fc69c516065400986e4a4b16d2551568a0579641b86670858ca6c0092e677bd476656c7f6f60ce36adb3e9762f3857ab444d71aab537cefc1b73e5bb7786a9c38f038fb980d95f93886d682993217f39e408959a8b85f9f9da7d7707aea672bbccf8b39b43f3b4fbdd05f411e0f5d4c464b37216971c40000000cc30d709e9fa65f9c207b2e5dbbf00cc8b4d33b5a0908aa0562f96fa35683ef6a03f2ac5265409795235dd97fbbb006cb00b292cf3fc4e0a1233affe4a27eba1f1c50746094546cf63a7b6b175d68d78ba8fc48000cc8b42e5dbbfd33b5a0c5265406a03f2a9795235239ad4a512c055f609a36e7f49d68cd23c0ba636cb54e469a275338f82759a5b7114e089801d55beeeca193e32febad01bbe1bd10f2b784b4dd9e6a2048b5f1233aff3fc4e0ae4a27ebd68d78b7b6b175a8fc4808cd23c0e7f49d6ba636cbcf82f5b6d5611593dcbf031afdaa0770c8acbca916f0a9e635bbf0180ee1914c204a9297952358863f2338c54930000000db958203baed1a7b7c329d382866339bd6093b5257cb6f8ac2b88da68ba229de3a87da2375dec838f2e39afda50fb16f473ae455992eaa96f303f8d531d4878ad7adceaf0fd34b0a4cda310a0ae2de01942f7513339bd60d38286693b52572375dece3a87da838f2e3b26c1bd5252cc612856b7a2462496278c3a025f743bb499381b62e325b30441b33697e134fe78736936fab239c40b3cebe6b563b5c35c8f20329f0463433fbf303f8d92eaa96531d487e2de019a310a0a42f75136278c3aa246249025f7432abe5e532d159f1a9867122ab62bd1ed8e4c1c7970feb5d37011760aa3db1cb8839873838f2e3e98aa52001da1e0000000;

// Whether it is BTMI.
localparam integer TERNARY = 1;

// t of the inversion.
localparam integer INVERSION_KEPT = 5;

// Bound on u + v, in half bits.
localparam integer INVERSION_BOUND = 896;

// First factor of the inversion.
localparam integer INVERSION_FACTORS = 21;

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
localparam [8:0] NEGATIVE_4 =
    9'h162;

// Whether A/a = -1 modulo 3.
localparam [8:0] NEGATIVE_3 =
    9'h110;

// 1 in affine form.
localparam [251:0] ONE =
    252'h0f2f89897659fc4e8dc90512b3a6005ea0e9eb5bafd05f411c204a928839873;

// -1 in affine form.
localparam [251:0] MINUS_ONE =
    252'h3d30e3beff74c45cc76487239d05695d892bce22d0f18c6876d259d87ee4d53;

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
