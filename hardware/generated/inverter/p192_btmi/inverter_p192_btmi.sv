// Cox-Rower with inversion, for a P of 192 bits.
// Written by sunzi-hardware-constants; not to be edited.
module inverter_p192_btmi (
    input  wire clk,
    input  wire reset,
    input  wire in_valid,
    output wire in_ready,
    output wire out_valid,
    input  wire out_ready,
    input  wire invert,
    input  wire [447:0] x,
    input  wire [447:0] y,
    output wire [447:0] s,
    output wire failed,
    output wire [15:0] outer_steps,
    output wire [15:0] inner_steps
);
// Number of moduli in each base.
localparam integer N = 8;

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
localparam [111:0] K_TABLE =
    112'h96fddb96ab53a3426c88f1624283;

// Words of the memory of each rower.
localparam integer FACTORS = 26;

// Width of its address.
localparam integer FACTOR_BITS = 5;

// The memories, rower by rower.
localparam [5823:0] FACTOR_TABLE =
    5824'heaaaa71d555521aaaaa81bffffd17ffffe11236f816bfbbf6e27fb725880ced2366b928ec02080bcce861df4f0490a7704eb9ef040504d229f66b0914ef21fd95c43de30531be7d9a8aecae1f991587b1453bc75c2faf84b25a7af6aaaa93d555526aaaaa853fffff27ffffe4ba6f38c8e40130c4a5f8ee9d5d548b1511d3b5a039ec838008de88007b660006d290007409ef3c0684777f2f69c122b5840a9948d47f2f5bbff68221991416048ad610799e071381cb26aaaa98d555530aaaaa8d3fffff57ffffea91e5b0e10e964a24da02d738a05a4a318b447bdef223def79c63afa6fd99fa6245c7d3a213471e4a4a443b9ba14e2322c1b9dd67d31e80ddec4072a6ef1d89d245757c3a9a97910bd7d95555412aaaaa5555554abffffe67ffffeff1f7f749ce91ecd548fddb8cefdda113fdd54d9fba564c0695eec000473100038f4000d3250ba6a882748e0adf0aa209f780cf0d32aefaf19577d65aac6449b8fa8e1d2414d0122cac1eaaaa92d55553faaaaa99bffffec7fffff300de051f25726fc9180002da401b734001b246005148c00a23abff94a4b7faf493ffcabb22ce32accded7580160eb002c0820112529ffa3e635535f8a7fe7fd5331f27bdc3dce327df6eaaaa9dd555549aaaaaa1bfffff57fffff91b51fc40477c86c8e47f1b4da7f1a8fcff1763b3f1484eff18ac6f973a9c82d4aa500f88b029c0fd15241230b8387b34fdb6a526f48c2e0c94319a2a50c660f0995e4c84f574cf7f2746aaaaa7d55554eaaaaaa53fffffe7fffffcdb4a82dba606e060ae0007f9e0009105000d4b200009de8091d9b81b766e06cc4c8fc1a3ff3ee9faba802eee91c7bbb3d859f3ecb06ede361bb78d8c890e45f2243891ef1e0c2134c7beaaaaa8d555553aaaaaa9bfffffe7fffffff7e7fa9a6c245a7a00ff7c16eff45dc3ff4f401feef19bfeb05bbfd94a08fbb2823eef29e6acc253dccac713b2d4f999be14cccff05174a23e666fd1c0017bc7ffd05915b033498ad64;

// Words of the memory of each rower.
localparam integer ADDENDS = 71;

// Width of its address.
localparam integer ADDEND_BITS = 7;

// The memories, rower by rower.
localparam [15903:0] ADDEND_TABLE =
    15904'h48d924c9af349df6befbccb458601d5faf0792b60f4db1eb39fcc104f1e6355c66cbf9223875774529a835760b08790301e35be20b7e26c409fc95465c84733a4ed178c68f68de831b9b309a5d0ed55bb60ef80c1d5faf0cb45860792b60f2238757c66cbf974529a8f699779a47f52852652d7fb723e09fa68c14d8c6703f2797e9141bcfed0d6eec193f9213ae2226f79d4144005e5961a836e834a87bcbb32b1886e896aa10da09fc954b7e26c465c84730ed55bbb309a5d60ef80c9fa68c1fb723e04d8c670d4d18eb5c16ba5d9aa552573df3e3f0213b3a294d444299581517e2c7e04276e04e59e74529a89dfcbce872f93c0000000e574169bd056e20de2c2943c71791b586f26c35c00a21a15079ab6c9513cc428721192d7fe6a0af8fc19f2dc206ca6d77f1b4acc6512f21628c078f799dc9daf821ed87137665ea4cdf948922fe56673dbcf7cb61b586f243c71796c35c00d7fe6a08721192af8fc19362882c5e972b38705d3af2ce7daa1f12ccca5fd536c281d443b974d9496c5bca7b1aba20c724f2e9c3228ce1bb005f734d7f0c740dd51fd5eb270b3643c8428c078f512f216799dc9de56673d948922fbcf7cb6a1f12ccf2ce7daca5fd53e558d110051d08a1fecf843abd21946ddd7d7c7df0daa0d9d95c6a5828dbbe73dcfd82af8fc19d3abae101a128d0000000a74f270bbb130692ed1da1805a162c67aac03a398088bc18f9d1e225b1802bb3698af70dd49cb2236a61219b62135fd6b70d3958b9251d9aa6b3e307defd040308540176a5d62bcc66cb0e4e7b8820d4f9c82de52c67aac1805a1603a39800dd49cb3698af72236a6121001e10c9e14bf83c088026d1002b3122c16cf196e475432f8d74c8d01339c552bbd8698dc6e40c9b42c5e2351da443e7eea647d73becb94afab8d5f5cc23a6b3e309251d9a7defd048820d4fb0e4e7b9c82de52b3122c026d10016cf19668f282ebb15ec64a5f74dd9a8fa77288439911b51a4f46d7cd09ca8ee51087233200ab2236a61518c5faee6e850000000028e4004d1d11617ff6e846a322e4131f464c145164ab805c4546d744fd5a8a1e795d0195bba243ea8ba41e728bec75fa1b758573e5fc0b9e08add1eb6d3a1ea10ee7e49fbffef2e915bdd245bb8b4a2de343745e131f4646a322e4c14516495bba24e795d013ea8ba4fe3c5b5554f458ac622d880d8b98d2b2e7529c5d1823ab461cc985be7abe2e164f97410de68c1bc0c5c1a647a214f34ba1f821cfee25d15e9082e81397000108add1e5fc0b9eb6d3a1e8b4a2dedd245bb343745ed2b2e7580d8b9829c5d18edb05b8b19ae7b704cb9b2efe8bba1f0b921f545d20a173880b276d943e1747db91d903ea8ba45367f0bfcc3c3f0000000835025a9e12d3d688d777af3e229ca00d0c947b746db2c1f8f5eecdb10b17d9576228b21dccc53c9f7a823e03c73ea2eaa091d8e44fce3966a90e79350b8b37bbc365967ee48b14192bf7f23ddc26ce17dd2f8faca00d0caf3e229947b74621dccc5576228b3c9f7a80b20fe6f05e4e8d59ba0562fcf84988254a7dbfa67d398303ee5ade6b8d5820ff862d21a48dd0e4c37ef2b742bc4636d9f60f9882a7aa3347224d6e8ce78516a90e794fce396350b8b3c26ce17f7f23dddd2f8fa988254a62fcf847dbfa6701899ef855395c596598d2d779be762bb721e4fbd4f700161079d75cec576e42ef6a323c9f7a8b4803e7040226b0000000ace9d30b9fa8e69fd917a231d46f302e025160c8b99950b9fa661755b37230b36b66001c94e9429a5a4afb4e374085ef39ee3d7be7181ab37e926696470efde7b51e3f4c5d9901d695e851ac446af94d8780a08e302e025231d46f160c8b91c94e9436b660029a5a4accf6cadbfe60f7b2d5541b95db1cd37f288c66e6d2d41c052e12cc08c70b49c4a4f79157603473d3ebdbc082ec1cd93a77daa462d5de892243c71b650d7d6c7e926697181ab36470efd6af94d8851ac44780a08ed37f288b95db1cc66e6d22908c808ba321f156faef9f3c3b00139b9414d2d2553ad940e09481b02737282e1d6d029a5a4a158df3dd79cc9a0000000901be783b84bf3e4b30fd8f8d45e3af61d9e4246e38efea443a677bfe5d053190aa89239d8da5e541b179490f483ff9cc3e9281cd940252e3f6b2a9e8997b39373b143edc88fea45601951f9623e4de75e9b6be73af61d98f8d45ee4246e339d8da590aa892e541b1743e037998775feed0e88342c2f459994a32ee2bcb792566e03dbf45be6ed96591c7cc63d30a41e65ef4b91392ac3ca2027e80ad9992e50fa3c1360de77c37f3f6b2a9940252ee8997b33e4de75951f962e9b6be79994a3242c2f45ee2bcb7ec7fe69ead401beb62a35ebf144ff183953f2a0d87d372f3e4d14e25e3072af9fa2200e541b17ecdc0d86ede3600000000567f0a5f19d801bb60946e22831d7d46a7c4709bc16dd159808efcf7a40e453cad5e2a9498f6f2fb76cef935cd694544355e1757a84def511ffd6b0e9c07f210881ccaba692846c50876d8ca5e374fba3d26e2ff7d46a7ce22831d4709bc19498f6fcad5e2a2fb76cec2b42e12795b858c77426da067d410436927524f3327da6bfc2f8e1b8cbbf60b3839374ea209618651db3f2cbb2da4b30e7569a6d9c3144465f45890112ce81ffd6b084def51e9c07f2374fba36d8ca5ed26e2ff1043692da067d47524f3318206a1bb1be0c2f72b94a3c99192f2e05a17dbb674ff91e3d005d295e5c0b4d679b282fb76ce5047dde70005ec0000000;

// Whether it is BTMI.
localparam integer TERNARY = 1;

// t of the inversion.
localparam integer INVERSION_KEPT = 5;

// Bound on u + v, in half bits.
localparam integer INVERSION_BOUND = 768;

// First factor of the inversion.
localparam integer INVERSION_FACTORS = 19;

// First addend of the inversion.
localparam integer INVERSION_ADDENDS = 3;

// P modulo 4.
localparam integer P_4 = 3;

// P modulo 3.
localparam integer P_3 = 2;

// A modulo 4.
localparam integer RANGE_4 = 3;

// A modulo 3.
localparam integer RANGE_3 = 2;

// Whether A/a = -1 modulo 4.
localparam [7:0] NEGATIVE_4 =
    8'h9d;

// Whether A/a = -1 modulo 3.
localparam [7:0] NEGATIVE_3 =
    8'hef;

// 1 in affine form.
localparam [223:0] ONE =
    224'he04e59e3dcfd8233200abdb91d902ef6a322e1d6d09fa2200d679b28;

// -1 in affine form.
localparam [223:0] MINUS_ONE =
    224'h0856db2214fae9114d417a1bf9954a4851e252ddc42ae143788f5271;

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
