// Sum of residues for the prime of ed25519.
// Written by sunzi-hardware-constants; not to be edited.

// Number N of channels.
localparam integer CHANNELS = 8;

// Width of a channel, in bits.
localparam integer WIDTH = 66;

// q: leading bits of each gamma_i.
localparam integer RANK_BITS = 8;

// T, in bits.
localparam integer QUOTIENT_BITS = 71;

// Width of the constants of the quotient, in bits.
localparam integer CONSTANT_BITS = 44;

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
        4'd1: factors = 528'h005c414c02eb8e9b0002cee613aade46c000026594a82e8fb000000f73ea4d992c0000004b5ab758f33fffffff1cd86df13fffffff552af2f9ffffffffb044ed8e6b;
        4'd2: factors = 528'h005338b161c96b3100028afea16ca06c400002374b95fc291000000e94b8548584000000479f209dc93fffffff276d0beebfffffff8358da1b5fffffffd25d4660c3;
        4'd3: factors = 528'h004aeb8bd64a936700024c12ebf79779c000020ab682495c7000000dbcfdbe1c5c000000440214c5bf3ffffffe9177ffc43fffffff645fad74bfffffffd46538a19b;
        4'd4: factors = 528'h003c6b6fdc63c5330001dccd3535e3ecc00001b68ed0da793000000c23830a438c000000454e6d5d8b3fffffff45338c973fffffff72a346377fffffffd844cd68cb;
        4'd5: factors = 528'h00272aa3622ca3cb000135de08ed3392c0000121969f1ee2b000000831e5bd4dec00000030bd8d02233fffffff687bb43d3fffffff8c71bdd4ffffffffdf48f3e32b;
        4'd6: factors = 528'h00165c307deff8fb0000b11c3a1098dec00000a6c9ca6b35b0000004c5dd4502ac0000001d05f0cb533fffffffa0fc06893fffffffb5e6742fffffffffea971337eb;
        4'd7: factors = 528'h00062dfc8709381b000030fbaf50c8a6c000002e5b372127b00000015633c33f2c00000008424622733fffffffe40570513fffffffe9be6bd1fffffffff96f34346b;
        4'd8: factors = 528'h0003247b8a66e19b000018e96ae6b306c000001797c813bfb0000000ae5df8e52c00000004380cebf33ffffffff1a172b13ffffffff487c4a9fffffffffc9a7ada6b;
        4'd9: factors = 528'hff7ffffffdfbfc83dfdffffffff7dfc919f7fffffffffddeeb3dfffffffffff6ec677fffffffffffda64e00000000000001c180000000000003bfe00000000000012;
        default: factors = 528'h0;
    endcase
endfunction

// Factors for the comparison with p: row k is limb k of <M_j>_p.
function automatic [527:0] cofactor_limbs(input [1:0] index);
    case (index)
        2'd0: cofactor_limbs = 528'hffffffff1ab723c8ffffffff91350b223fffffffa59966f18fffffffdd48b23cc3fffffff5332dbd7cfffffffce46bc9ecbfffffff1f09dec41fffffff9d5c0ad523;
        2'd1: cofactor_limbs = 528'h000000000e930ef3800000000710a2dce00000000604d0cd380000000298bed58e0000000122a7f96b800000007da83fd7e0000000335518c95800000015c3f21fce;
        2'd2: cofactor_limbs = 528'hfffffffffcef0679fffffffffe7baf2e7ffffffffe90e9d69fffffffff53b568c7ffffffffb3b5b315ffffffffe1dcb849fffffffff66bee4b8ffffffffcf595cbe7;
        2'd3: cofactor_limbs = 528'h0000000000657d64800000000031e61920000000002d2b4a480000000013cd68120000000007a7f034800000000262c80b2000000000aa33aa08000000002f5acd92;
        default: cofactor_limbs = 528'h0;
    endcase
endfunction

// |-p|_m_j.
localparam [527:0] MINUS_P =
    528'hff7ffffffdfbfc83dfdffffffff7dfc919f7fffffffffddeeb3dfffffffffff6ec677fffffffffffda64e00000000000001c180000000000003bfe00000000000012;

// |<-alpha M>_p|_m_j for all channels.
function automatic [527:0] corrections(input [2:0] index);
    case (index)
        3'd0: corrections = 528'h000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000;
        3'd1: corrections = 528'h06648f707525aee4c032aed658f9adb93000300868180ace4c00016366102667930000089edfdf5564ffffffe27bf73d98afffffe85bdce45f3bfffff8f8b4d6fb92;
        3'd2: corrections = 528'h0cc91ee0ea4b5dc980655dacb1f35b7260006010d030159c980002c6cc204ccf260000113dbfbeaac9bfffffc4f7ee7b31dfffffd0b7b9c8be87fffff1f169adf725;
        3'd3: corrections = 528'h132dae515f710cae40980c830aed092b900090193848206ae400042a32307336b9000019dc9f9e002e7fffffa773e5b8cb0fffffb91396ad1dd3ffffeaea1e84f2b8;
        3'd4: corrections = 528'h19923dc1d496bb9300cabb5963e6b6e4c000c021a0602b393000058d9840999e4c0000227b7f7d55933fffff89efdcf6643fffffa16f73917d1fffffe3e2d35bee4b;
        3'd5: corrections = 528'h1ff6cd3249bc6a77c0fd6a2fbce0649df000f02a087836077c0006f0fe50c005df00002b1a5f5caaf7ffffff6c6bd433fd6fffff89cb5075dc6bffffdcdb8832e9de;
        3'd6: corrections = 528'h265b5ca2bee2195c8130190615da125720012032709040d5c80008546460e66d72000033b93f3c005cbfffff4ee7cb71969fffff72272d5a3bb7ffffd5d43d09e571;
        3'd7: corrections = 528'h2cbfec133407c8414162c7dc6ed3c0105001503ad8a84ba4140009b7ca710cd50500003c581f1b55c17fffff3163c2af2fcfffff5a830a3e9b03ffffceccf1e0e104;
        default: corrections = 528'h0;
    endcase
endfunction

// floor(<M_i>_p / 2^(W-T)).
function automatic [43:0] quotient_constants(input [2:0] index);
    case (index)
        3'd0: quotient_constants = 44'hbd6b364bfff;
        3'd1: quotient_constants = 44'haa33aa0bfff;
        3'd2: quotient_constants = 44'h98b202cbfff;
        3'd3: quotient_constants = 44'h7a7f034bfff;
        3'd4: quotient_constants = 44'h4f35a04bfff;
        3'd5: quotient_constants = 44'h2d2b4a4bfff;
        3'd6: quotient_constants = 44'h0c79864bfff;
        3'd7: quotient_constants = 44'h0657d64bfff;
        default: quotient_constants = 44'h0;
    endcase
endfunction

// <-alpha M>_p.
function automatic [263:0] correction_limbs(input [2:0] index);
    case (index)
        3'd0: correction_limbs = 264'h000000000000000000000000000000000000000000000000000000000000000000;
        3'd1: correction_limbs = 264'h00000000ce71406afffffffe731a3ac180000001e19f9d2aaffffff895e1870323;
        3'd2: correction_limbs = 264'h000000019ce280d5fffffffce634758300000003c33f3a555ffffff12bc30e0646;
        3'd3: correction_limbs = 264'h000000026b53c140fffffffb594eb04480000005a4ded7800fffffe9c1a4950969;
        3'd4: correction_limbs = 264'h0000000339c501abfffffff9cc68eb0600000007867e74aabfffffe257861c0c8c;
        3'd5: correction_limbs = 264'h0000000408364216fffffff83f8325c780000009681e11d56fffffdaed67a30faf;
        3'd6: correction_limbs = 264'h00000004d6a78281fffffff6b29d60890000000b49bdaf001fffffd383492a12d2;
        3'd7: correction_limbs = 264'h00000005a518c2ecfffffff525b79b4a8000000d2b5d4c2acfffffcc192ab115f5;
        default: correction_limbs = 264'h0;
    endcase
endfunction

// p, limb by limb.
function automatic [65:0] prime_limbs(input [1:0] index);
    case (index)
        2'd0: prime_limbs = 66'h3ffffffffffffffed;
        2'd1: prime_limbs = 66'h3ffffffffffffffff;
        2'd2: prime_limbs = 66'h3ffffffffffffffff;
        2'd3: prime_limbs = 66'h001ffffffffffffff;
        default: prime_limbs = 66'h0;
    endcase
endfunction
