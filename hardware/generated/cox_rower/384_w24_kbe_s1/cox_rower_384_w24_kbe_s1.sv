// Cox-Rower for a P of 384 bits.
// Written by sunzi-hardware-constants; not to be edited.
module cox_rower_384_w24_kbe_s1 (
    input  wire clk,
    input  wire reset,
    input  wire in_valid,
    output wire in_ready,
    output wire out_valid,
    input  wire out_ready,
    input  wire [815:0] x,
    input  wire [815:0] y,
    output wire [815:0] s
);
// Number of moduli in each base.
localparam integer N = 17;

// Width of a channel, in bits.
localparam integer W = 24;

// Moduli of each base that a rower serves.
localparam integer SHARE = 1;

// Moduli in a row; 1 for Kawamura's extension.
localparam integer COLUMNS = 1;

// t, the bits that the Cox keeps.
localparam integer KEPT = 6;

// Width of the largest k = 2^W - m.
localparam integer K_BITS = 8;

// Folds of a product.
localparam integer FOLDS = 2;

// Folds of a row sum.
localparam integer BUS_FOLDS = 2;

// k of every modulus, K_BITS each: rower by rower, base A then B.
localparam [271:0] K_TABLE =
    272'hb9b3b1ada79995938f87817d7b77756b5f59574d4b413f3b2f2d2721171109050301;

// Words of the memory of each rower.
localparam integer FACTORS = 37;

// Width of its address.
localparam integer FACTOR_BITS = 6;

// The memories, rower by rower.
localparam [15095:0] FACTOR_TABLE =
    15096'h0a32efe166807ae62f645bef28f7653c37299a558ce63c81118e99cd3ee68e2de738d9e62271f470eee109742b4df1f119d577f1d756ea9b4e754da7cbfcab9e4e13784fd1e4422789b0b3396e4ceea9137ecf6bf220b7238d6c866564e792fa1aaa114c160d7c84bccd333752e9c69e3e30dabb3dc38246b0e03b271a0e49348d4aa91994f231853118f5d2e5e76570507b49b3f9904211256e3824cef4a17f5ea25fd308c8e6511b8c7f84971236df6594e86adabb7497f7a1f2f16fc7117df6dbfff7d6a34f08e42f61396b6e48fa493d8991c8e38866394108c08709577d7a1f522b111f3b44126581a0b8e0ad3c808ab5eb1df504b1d20be21131706d2ad8e75982e8d0fbac1da9db7ac7574ce86cde2751436cbf86d97e33eba73df1b186b6d0114e8daf2453bf50219329f22a35a3bbd497a32c5f9072d24a3331e61fa9c21d5d8f2c328ac459b46263f99a67806eaac0a5ff867ffb3cbfb929f1a7df74cf7f90c3c99827bfc8184a7c451b46077311a831a82e2b3fe61099eea53dd9533192716339cdbbe2d269a05b2b960d063a3243898e9c32af01b0474e19bb6b755780d82f89661f4a9eefea244ef4d9ddb5706903d035a299e7cb4efa400b424cb8d7046ec6e6285c134d2fe5ea17f2f50ff74e872f06c5fc5804ca3183fd90b1cf5162fe2ce722b49490be768a36b14b9e55d43a66feac34fc930477b77dc3dd5456fd7f411aaa2b371c1cff2e4638ec139a48edf3631505b55cff309ea24dc86b2b24328d49068b24cff60835a5baed3ae7b6e715408971fe6a81f12afba14abec913ee9c1d359d3f28ab5c397e9182e5bf82835127eb92652a0d4b724aeb3e45ff9a4f8b2fbc7f16a5fef3f1fd5a9502f7a200fc60e92128803fa8ffeb794ff73bb6ed5c6db050dffa4552445fa514bca7bb699726dd3262370a1561f0ed6badcedf7c65d75b9c9e761d0c27fbe7af9328a3ed5e7ad42d70a5c845ecb836558c30f2ca28a2abc6614f074ec98da3d53fcbc5e1209f223246eafc8dd5f8530541567d22959f0bfb1d543f2c2b5e3d6e6567a4af19cacaf41feff0f502ee8c41c93b321e18e799ee73ccb296f9ff3023dffba0a9503bc96c04c774869f20d7a50f4c3a6f93f845bc7b49fd67cfdbb6d58594022f76b8baab292645bbbd1521fd61aec5fff36cef241cc7e6da53c76bcd1db09393a936a27318a4ea136b2a3fd2d63906494ee0d0ba0ec41f289cc6e96ae2a50920922c0adddc892093c738722ffc94326dfa3a7adea4726f628af4f7ddcd156697b6ea156056a91a4e0720d0e712d48ff3c29055cccdac0067ab006c1314259761b6dd9e38334dafa56794dc817a1302f485fa1697535cdd986ac5a9ae3f5b7343730a50ebda0add78adb35dcddb0f20aac105ecf27fffe72d1c567fe36be56c75de89a94b0aec11ffc2648db07bff0a7704ca2c254169aafc3628ac47261a684b6f4575c023ea52cc2c06ee4cddb3e04781dd1b7dd462724fa5063e9402975325e94125d159085f28786f569b9f8ef57c19dbf95592b5a081b321f657a8b63dd82cca6a8f344dc3487d8745bd0437691d9b88055c2c3dd31d8b29aaff7ea34a7d00fd8efa4c0fe2ec59c4687485b79764397839822071c5326c453abc09989043654706dfeeb6731ea11a174a63dff39b248a3e00f2c065fa383fcf4021fe76f3a0ec34a9adc54281c879ee4d840209d36427dc91ff23ca2e6dbf6af5963bca1aae49252e9ee2683d5e8bbdc2b39994ba7852ea56e45c53229de3a17408743f101ea616fde6e228a365a3df64c849ec8d73d8fa5c67123a05d42dc499aeb904143d50b7cd350719657c54168d68a7217f2a374daeb8f7edc5bc3226aed152524d5b203303944c2dd3b6e6ec49efeb2b97eff3de90083149d898c0572fde13a97c20c52426ee719db067cdea2eef9d41a8cff5db3ccb7d1b19a7a275582b7448fae03ba8bd227cc1655c7079a220f6e78ef344409571ef602afebefd7f1b48c90cbb91091843136f306601015a76b4c6d573c3a86d5bcfcd6e78dfdae5d0a57cb4d2a7222ad7bc73d9ef5f16af55af7877f5a8010e8957cc8a981ec66a0ccd880a372ed0528476561f6898b025878f4415012cb0adf63f67cf2a01a8800c7ec11070e3f0a4dc9f3ccf12cb00ed34d9b50e58fcaed9ef8ef6f5f554802f1ebd657e13aa9d260b51d9c6ffa732031c184ec1e956b910f1bf50cf2cf3b001496ec9f85cbe38951aaa4fb71b1c76ab9a1f3d7f8884bb59d5a47c25db0566ce7104840f699c7a55cf11fb36148cd002e1c53c69412919a0da9dd608a54f463876e04c724ac426f75a9ad6a67f48e51c8dc2044ce8d0f2d791b132854998e6b500dd8e7a67761c641b840d2ab0272360a3452e023af6651ba8d8899441eb1b2c29c99ef14830dfaca4390746f9d67bc1eaf21d87713624c54267f04a89905b4eea2f2fac8270bc2bb17ae75a07db070f91153fddd5706eeab853de7a2b1c84c68506155c873268456c6e08013c99bd5f398bee6678afb248ad3e3d93afd8dc10b882871a141bf725cfaae438d5f39b57ce6f6e8a36af2eae2dd5fb22e172b9aad53ee8ea051d9573b997ed62b1e389368be4a864e7a0b8dbdea12529ae673ae36f7e380c84c7f3798bc6f8c304a9;

// Words of the memory of each rower.
localparam integer ADDENDS = 3;

// Width of its address.
localparam integer ADDEND_BITS = 2;

// The memories, rower by rower.
localparam [1223:0] ADDEND_TABLE =
    1224'h3d319a8057d60000006aeefb91cd53000000efb53a291ae90000000d008949a83f000000e09b7611dedc000000aa0841abf2a1000000309feca60a82000000486cdd3b612600000032d03b23763c000000f66b5bd282a1000000e20ae67c01e40000004ba9936a0e320000004ddce28204a40000000ecb7e70c2000000004aa2ecbe34ca000000ac6cbf88aa1c000000af9cde701908000000;

    cox_rower #(
        .N(N),
        .W(W),
        .SHARE(SHARE),
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
        .ADDEND_TABLE(ADDEND_TABLE)
    ) core (
        .clk(clk),
        .reset(reset),
        .in_valid(in_valid),
        .in_ready(in_ready),
        .out_valid(out_valid),
        .out_ready(out_ready),
        .x(x),
        .y(y),
        .s(s)
    );
endmodule
