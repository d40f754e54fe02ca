// Sum of residues for the prime of secp256k1.
// Written by sunzi-hardware-constants; not to be edited.

// Number N of channels.
localparam integer CHANNELS = 8;

// Width of a channel, in bits.
localparam integer WIDTH = 66;

// q: leading bits of each gamma_i.
localparam integer RANK_BITS = 8;

// T, in bits.
localparam integer QUOTIENT_BITS = 72;

// Width of the constants of the quotient, in bits.
localparam integer CONSTANT_BITS = 55;

// Limbs of WIDTH bits in which a result is compared with p.
localparam integer LIMBS = 4;

// t_j, 8 bits each: m_j = 2^66 - 2^t_j - 1, and for t_j = 0 m_j = 2^66 - 1.
localparam [63:0] EXPONENTS =
    64'h0908060504030200;

// m_j.
localparam [527:0] MODULI =
    528'hffffffffffffff7fffffffffffffffeffffffffffffffffeffffffffffffffffdffffffffffffffffbffffffffffffffff7fffffffffffffffefffffffffffffffff;

// Factors for all channels: row 0 |M_j^-1|_m_j; row i = 1..8 |<M_i>_p|_m_j; row 9 |-p|_m_j.
function automatic [527:0] factors(input [3:0] index);
    case (index)
        4'd0: factors = 528'h232404aa5e31363c873aa4ca0d49099cd44e057c6186b6e510b7773dd32bc5056fdb828196b1c3323535aa88c14660aff879b069c56c6080167fffffffffdfffffff;
        4'd1: factors = 528'hfaa3a63706cb051afd3f081bef90dbf6bdbf02ad503e53feaf2394e04b6d33350bbd13cc55e25847eeeda365fbc3307ab13b321cddb5fb1749febe698f14b22f6a6b;
        4'd2: factors = 528'hfb2a079e73b2afb0fd819eb5728a119c3dea891fa6d2ee780f30048799d8c75963c064765e4fa11ac4ee7e587ef0dc942ebb69b57eb015d14b5ecc87376a914f74c3;
        4'd3: factors = 528'hfba5847acb99c5e6fdbf524aa04d8429be147593ab862a8b6f3c09aeee351aa83bc39a006677f670baef52730164e4bb843b9f961f56bb8f84beda365f9ecab96d9b;
        4'd4: factors = 528'hfc7d38621e13b3b2fe2c70067b5fff9cbe639880a61b07682f52da7da86a51bf6bc9b5347e2a16c486f0e68007e2abf7573c064760ddab4e077ef44f3002635124cb;
        4'd5: factors = 528'hfdb95f9a79750a4afed02319a9ed6d42beefae6dafbfd351af7bc01a4ccf46a9cbd4b69c91f75ee11ef3c09a127bf17cfd3cc011e3a0f38924ff2394d0b6cbd97f2b;
        4'd6: factors = 528'hfeb3612b67e14f7aff525259ba7b0e8ebfc45af5ef01aea4afbbeb57cc25721e8be6396cbe7a939a4ef851ce23750b8b493dea86e81123667fff6fc011d97c9c93eb;
        4'd7: factors = 528'hffa412fb1f302e9af6920a191848a656bfd4687dbb51be96afeceed51043c6db0bf8aa4ced5aee916efdbd0637985b5d113f5fc4ed9e05c821ffd3c393572d94106b;
        4'd8: factors = 528'hc4f78c4df6d5589b3fe7922910f070b6bfe9d0674667292eaff648d48abb1a810bfc40ccf679bcdaeefed6a63baef53f713fad6ceec5a658f9ffe91d93a8a9f8b66b;
        4'd9: factors = 528'hff0000003bf7fa72bfc000000fefbfccd3f0000003fffbcd827c000000fffff1a4cf0000004000009f49c000001000003b683000000400000f33fc000001000003d0;
        default: factors = 528'h0;
    endcase
endfunction

// Factors for the comparison with p: row k is limb k of <M_j>_p.
function automatic [527:0] cofactor_limbs(input [1:0] index);
    case (index)
        2'd0: cofactor_limbs = 528'hfa21ae2994414888fd2abb852cf304523db3dddb38584a3d8f206815a92685efc3bc3b593ca0e1c63ced6b94c8be078b9cbb23f1414be00de01ebad0b3f497a16823;
        2'd1: cofactor_limbs = 528'h002617409a4a56b38011a5d047cbd4cce00b2f742f0bdf493803301d0e4a39348e00d94f443fbda92b803808d14b3092c7e00e399467824aa558039c5d23027b3ece;
        2'd2: cofactor_limbs = 528'hffff9f3ffb8c2639ffffd7cffde8471e7ffff2f3fe610ed29ffffc9cff474947c7ffff233fb08bfed5ffffc84fe11075b9fffff203f638a2f78ffffc7cfce8b44ae7;
        2'd3: cofactor_limbs = 528'h000000400066682480000010003220c920000004002d39f6480000010013d113120000004007a8daf480000010026302bb2000000400aa425608000001002f5e7892;
        default: cofactor_limbs = 528'h0;
    endcase
endfunction

// |-p|_m_j.
localparam [527:0] MINUS_P =
    528'hff0000003bf7fa72bfc000000fefbfccd3f0000003fffbcd827c000000fffff1a4cf0000004000009f49c000001000003b683000000400000f33fc000001000003d0;

// |<-alpha M>_p|_m_j for all channels.
function automatic [527:0] corrections(input [2:0] index);
    case (index)
        3'd0: corrections = 528'h000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000;
        3'd1: corrections = 528'ha518f2e6bb8741e68e35509a9308955d36f8792a1e9f13b3403d3588f803a6a0ee568248078d1223c2dcc1c6014e1c793395ae6d2fd8818b46709db5b938a5353587;
        3'd2: corrections = 528'h4a31e5cd770e844d5c6aa13526112aba6df0f2543d3e2766807a6b11f0074d41dcad04900f1a244785b9838c029c38f2672b5cda5fb103168ce13b6b72714a6a6b0e;
        3'd3: corrections = 528'hef4ad8b43295c633ea9ff1cfb919c01794e96b7e5bdd3b1ac4b7a09ae80af3e2ca0386d816a7366b4c96455203ea556b9b410b478f8984a1d365d9212ba9ef9fa095;
        3'd4: corrections = 528'h9463cb9aee1d089ab8d5426a4c225574cbe1e4a87a7c4ece04f4d623e00e9a83b85a09201e34488f0f730718053871e4ced6b9b4bf62062d19d676d6e4e294d4d61c;
        3'd5: corrections = 528'h397cbe81a9a44b01470a9304df2aeae202da5dd2991b628249320bacd8124124a6b08b6825c15ab2d20fc8de06868e5e02fc6821ef3a87b86047148c9e1b3a0a0ba3;
        3'd6: corrections = 528'hde95b168652b8ce7d53fe39f7233803f39d2d6fcb7ba7635896f4135d015e7c594070db02d4e6cd6992c8aa407d4aad73682168f1f130943a6cbb2425753df3f412a;
        3'd7: corrections = 528'h83aea44f20b2cf4ea375343a053c159c60cb5026d65989e9cdac76bec8198e66825d8ff834db7efa5bc94c6a0922c7506aa7c4fc4eeb8aceed384ff8108c847476b2;
        default: corrections = 528'h0;
    endcase
endfunction

// floor(<M_i>_p / 2^(W-T)).
function automatic [54:0] quotient_constants(input [2:0] index);
    case (index)
        3'd0: quotient_constants = 55'h400bd79e24bfff;
        3'd1: quotient_constants = 55'h400aa42560bfff;
        3'd2: quotient_constants = 55'h40098c0aecbfff;
        3'd3: quotient_constants = 55'h4007a8daf4bfff;
        3'd4: quotient_constants = 55'h4004f444c4bfff;
        3'd5: quotient_constants = 55'h4002d39f64bfff;
        3'd6: quotient_constants = 55'h4000c88324bfff;
        3'd7: quotient_constants = 55'h4000666824bfff;
        default: quotient_constants = 55'h0;
    endcase
endfunction

// <-alpha M>_p.
function automatic [263:0] correction_limbs(input [2:0] index);
    case (index)
        3'd0: correction_limbs = 264'h000000000000000000000000000000000000000000000000000000000000000000;
        3'd1: correction_limbs = 264'h0000e100d1aa8b6affc601fd9e6390c185232ea4b9ab665a7f58866c2d0d786523;
        3'd2: correction_limbs = 264'h0001c201a35516d5ff8c03fb3cc721830a465d497356ccb4feb10cd85a1af0ca46;
        3'd3: correction_limbs = 264'h0002a30274ffa240ff5205f8db2ab2448f698bee2d02330f7e0993448728692f69;
        3'd4: correction_limbs = 264'h0003840346aa2dabff1807f6798e4306148cba92e6ad9969fd6219b0b435e1948c;
        3'd5: correction_limbs = 264'h000465041854b916fede09f417f1d3c799afe937a058ffc47cbaa01ce14359f9af;
        3'd6: correction_limbs = 264'h00054604e9ff4481fea40bf1b65564891ed317dc5a04661efc1326890e50d25ed2;
        3'd7: correction_limbs = 264'h00062705bba9cfecfe6a0def54b8f54aa3f6468113afcc797b6bacf53b5e4ac3f5;
        default: correction_limbs = 264'h0;
    endcase
endfunction

// p, limb by limb.
function automatic [65:0] prime_limbs(input [1:0] index);
    case (index)
        2'd0: prime_limbs = 66'h3fffffffefffffc2f;
        2'd1: prime_limbs = 66'h3ffffffffffffffff;
        2'd2: prime_limbs = 66'h3ffffffffffffffff;
        2'd3: prime_limbs = 66'h003ffffffffffffff;
        default: prime_limbs = 66'h0;
    endcase
endfunction
