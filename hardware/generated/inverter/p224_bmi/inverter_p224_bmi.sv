// Cox-Rower with inversion, for a P of 224 bits.
// Written by sunzi-hardware-constants; not to be edited.
module inverter_p224_bmi (
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
localparam integer FACTORS = 25;

// Width of its address.
localparam integer FACTOR_BITS = 5;

// The memories, rower by rower.
localparam [6299:0] FACTOR_TABLE =
    6300'h3ffffed7ffffda8b4f17c68ff50865d0d66ce8d73488ba600668bc80ba076e9c3920d68f6b1ae82615e4222e980761fc2a0b9284d50458cb78d3089e6e138ce1724c153868c9db5fbc02a73a91541161e871a5570c9a882bffffd17ffffe100fe6b3d3b725d62033f34e056aa15efbc33bf97dbd8fd46c13fdd49a8dd2f3b2eb0bc9794f033f5f6495787f011c1401e12b8014d807fd0a205fdc8704fe26c03fe833a68b204ae0059e827f3d0e0e523fffff27ffffe46f4f5b9f8e32eb2c544e607247204048020dfdbfb7f8db8a7faa4a6f9662ca977a3d1be9d5d54f07f9280e593dbc09193c7edcd127fd6657353d10d67edcbbd738922946f3985ff598746b056195895923fffff57ffffeac349ae96f78b3aae739d987a3844d982f7afca532c59ce625ace72fc933e8165b246ae9a455a05876d1c5dec1a4ae36a613388a42e63baaad81a834bcfea92a9bbb695867efedd2841ed7d8eb6b7aae16bffffe67ffffef4d51180cb8089bac980d2025011859301c7cc402531720af0d1be9fd33bfd8aa6cfe16523fe7fef909a8ec8ed0bb68ccc448bbbcada3335eb8b32a592e662a49733156df5c09dba21f407f0ceb054f289bffffec7fffff3d4a301370e9c624b7fbfe02bfb5c041f90ac9ff75a0afed7015fdae02601641f7c0dd1fa00a057c41dc2875fa04b57b2f7a2d9fbd45b3f9ba237dc374980a97c32ad85d260224a84ce8fd2f59a3d63a1bbfffff57fffff96224e1fef696b6ea720b4a34e0d2f5f611d1ccc159984321ccb042d023259b96e6d31c2c2bad8991499eab0b0c9bdb55e780909366e85652e4cf80a02424faf4b470d7d2d1bf22f534b51fead2411eb0c3fffffe7fffffcc0351f92a6f85d1323f1f0db3f041c53eb3148de86848bdd225aed4b710c7e1c431f8d1de7035a1471ebb729c6741177c53e7397b81ab72cb7b2e29938c5434e31522639d5b1d8e75642e139b85e1bc9bbfffffe7ffffff56f184e04aa590afb821fdfb025b8d50309b2c0366bf604b97f405ac3540c2add3154874c55295b5c38cc00069269eedafcec57df26672403334300000158d999c9008007685fff12ec018967130182fc;

// Words of the memory of each rower.
localparam integer ADDENDS = 22;

// Width of its address.
localparam integer ADDEND_BITS = 5;

// The memories, rower by rower.
localparam [5543:0] ADDEND_TABLE =
    5544'ha451356a272369a80f330a630343d13918ecf5a1a1d4f7168d31817bbac5272b8e6285be8324cbca425fcf5a1a1d31817b0b965ba800a9c39eb438f0f2f898a63034362e50feba90ddf0000000726cc47212b12e14f02b8c3ae7601095897bf53d3fb318ec961d73b0418126ff03f717e4048a192c2d88bf53d3f61d73b063c3fb10e0b6527ea7abd97659fcc3ae760a8410b5af0fe0200000009773790d93c5b413e1b4855aa96c6c9e2daae670fee90c6592ad54b68208d35c3d1b59fe770b4403ff11ae670fe2ad54b6dd15ae793b28f25cce2354e8dc9055aa96c809004002465a1000000076663d40b19f694cfecd7e1b283f858cf9e1a40b335c258a1f0d94097df99b912ad54e54922bce945e241a40b33f0d9409f743863b89f7673481666512b3a6e1b283fe529a9bce2290800000008b4d5f6e1bca9cde6ec8734de15070de54ec74d9f4c3ffbdf1a6f0a87e15da2d485248d13743327a68fcc74d9f41a6f0a812cd8ff663e5dd8e9b40b005ea0e34de1505c82bc01d334f70000000a96ade72509c9cb22d0982dcbf4d1284e4e8e23ce81b470ff96e5f99ddf7e0d5996cc2e6ba0be6258f738e23ce896e5f99d02958dd9b59e91c479eb9eb5baf2dcbf4d83f2140446fba70000000a5a59ec6a5568c1c460bbe0f5d4c352ab46f9da7d7abcb206707aea66d682993217f39e408959a8b85f9f9da7d7707aea672bbccf8b39b43f3b4fbdd05f411e0f5d4c464b37216971c4000000035683efd33b5a0f9c207b9795235699dad00770c8a2df7765cbca916cf82f5b6d5611593dcbf031afdaa0770c8acbca916f0a9e635bbf0180ee1914c204a9297952358863f2338c549300000008ba229d93b52577b7c329838f2e3c9da92ad1ed8e4b9b49b6c1c79702abe5e532d159f1a9867122ab62bd1ed8e4c1c7970feb5d37011760aa3db1cb8839873838f2e3e98aa52001da1e0000000;

// Whether it is BTMI.
localparam integer TERNARY = 0;

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
