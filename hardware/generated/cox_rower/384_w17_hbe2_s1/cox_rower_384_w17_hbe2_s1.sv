// Cox-Rower for a P of 384 bits.
// Written by sunzi-hardware-constants; not to be edited.
module cox_rower_384_w17_hbe2_s1 (
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
localparam integer N = 24;

// Width of a channel, in bits.
localparam integer W = 17;

// Moduli of each base that a rower serves.
localparam integer SHARE = 1;

// Moduli in a row; 1 for Kawamura's extension.
localparam integer COLUMNS = 2;

// t, the bits that the Cox keeps.
localparam integer KEPT = 5;

// Width of the largest k = 2^W - m.
localparam integer K_BITS = 9;

// Folds of a product.
localparam integer FOLDS = 2;

// Folds of a row sum.
localparam integer BUS_FOLDS = 3;

// k of every modulus, K_BITS each: rower by rower, base A then B.
localparam [431:0] K_TABLE =
    432'h8ec46130581bfde6e772b55a6c755aa5469f4ca451a87429ccde693398cba5b2a92c8a3f1e8dc622b1087c32150983c1a09038140601;

// Words of the memory of each rower.
localparam integer FACTORS = 29;

// Width of its address.
localparam integer FACTOR_BITS = 5;

// The memories, rower by rower.
localparam [11831:0] FACTOR_TABLE =
    11832'hff7bffbec8a0705977e25296223f20b89efbc0daebc572c6d7e7b75954c40d29b6cc15f9abb77e1c551a814b28157efc757f1dfa5a77a1ab86db3a5e30bffb8ffddf07740a9e6509ce16dcbf1fb0a18b986a05faf3971d5aa0ad70f7f19b776eb15eeeaceb0c99b30ba1401bcbc0d5f298b39ba11445dd77db44597fe1bff195f2255f6a8a1ba72cae1be662b2b7ce98d985d261c034650520cd30de44dbc09cfb787d44a09a77f39133fb141dbc69d94f120620cf8d110755fefdff80d93a7af75e70a4387079c628a89c315d33d8b315b00d5e7268a22bdaa57c07582e0f2b5e1aee4214586768613731a107f978af1c58417a25a64ff96ffce63419d3657137a49f91c6aa57ea2ae662e1199542ae79379a97bee59e02c48a7a4f1d80411430a91e5607f7193cb19f6499bf3a03ceec2ac1d2ffc6ffe56166664c31ca5175f927372dcd4f62a8f774210c8778f6cf51e3e8dd6778dc368d5999e8236c6df2e06d280a703bdee1bb90ddf538beb166ee3ffebbff6172fdea8075fd13e2ec00eb2f88cbfee7d7d4704dcfc8c3a6a3024b955557dbc2d964d4c0372c2b828f0655f2f351193ee040fd9a169e9d29419ff55ffab977933e699772165f5a338a0caf64ffa5282d9438f4879b45674fc1acf70eca7034b844802f13dbf3d5065498973265471f401be5412099da97ffb9ffde732d1473f6ce10f712ee8737864fae289daaafe0053244b318a35ec56ee288d602aaf651d21b4265a77f7fc1429a8a8093520db6562264f0597ffd9ffedf81fe4c28473ceae0fd9bc157aa059eecee4cd6371182ed9d9f0560d6735c474715f15e08a08a87c735f9605a8b1d5f112034368da434bde609fff23ff9759e8f2105cbe9f1c470c2d60862c5ee7264c9dfa0ee3e33c3a64d8c7db38fe4a4f0d48248035bce54ca07aedd26e89b21f2484dc244e773c3bbff7bffc6c01ec2eed58f3b3ca82db733b937110db6129d20673687427fcff2c0e7b122cc1564cc61fad47707aed5c5788f5b6f86f9d372de2388c6657e8ffd1ffe96add31a564a66e11d31ee1dae6384535354ffa9dbdd7fb5062e36d88647fd20cb9d9773be400d02d4c0a863300a651350b54bc3cba2974e3671ffe67ff3b9180f436921d6208a536038645b756b3304b30eb517a4a130b7f77a806037ed8046f0436f29754d1da4e6342c1a43ecdb543755e4d628ee9873ff77ffc1c07161155f48581e677d3444fcd937a227e8a325381dd37128f491abf66a400f4832422acfce07a2e46e124ca2bd202a8900f49059aa7855ecdffabffdab57ccbbc3c743662962449b4332f9f7bf9121149a63bcc06d0cea6421b01a192a7c8c82600744d33f0dce0163dc0c709dbc9d1dea52c7ed19a2ffe7fff55f9acb9823e7fae61d141f76a5b9f6680ab62667d4100efc3f2a23b6db8ebd8c66f284d34f58984804d79e0c20c89fd32cfd48fbfa91fc5ecca7ff0fff92454478215ab44c7d5487c50389467e0f378689a858150b0542cd5b58f8d3b4846a2362cd973873b80496d71467b7c7b8ac53452a3986ce3926bffcfffeb1b672e4470e92ce2e4ad47c4328a4debd073705a054829e2746acd618debc2de53809ed4771f015325bc37094427285f57e615de4c4a1212085ffdffff0d64dabbab96695f979237ce506c38233e481b17e679d9def2906881da3abdfbdb936743e54471d40943074fae8c3496a9924cb5b73034926c46fff9fffde01b39368b2f70b404af56ca5b7a3ab19fd432848e34bec522917a276a08bf9d41eed06c926b2e59b57c32914d249c93b65f8198d8f53593201fffb7ffe2664dd2b2209360bceb7c2b1e9586a421cb4c67c44e6185628b082f760c4fdbc69eec711afc693cc5bbe89b9e333f52354c1fd3d3f6360889a87fffbffff9f6ee7d32dcbc50bd6c35364d1a72ea601f249fb72b4a0df2e0a4bbda5193e4ca732b52f206115cb895c2b613caffae93090e160962b513041dfff9fffd8c9c4977556d049cb40d57580d5817518110d34f8c381598c27bc749b4201d8f90f89daeaf4cbb2c6abc9ef150bf8f29c012265ca88b623a394;

// Words of the memory of each rower.
localparam integer ADDENDS = 5;

// Width of its address.
localparam integer ADDEND_BITS = 3;

// The memories, rower by rower.
localparam [2039:0] ADDEND_TABLE =
    2040'hee74fb7b11bdb4668000001046030de9d5fa3300002630098c0acad2b2b400018765e19f91b3046cc0000598616619ba246e8900005074941d20e7e039f80003bb1ceec70ea403a9000013329cca2cda8f36000000f5673d59f66f8d9be000077d87deda4476111d800037b60ded8ebadfadac0001a0826820c9679259e00008edf23b7ddfd377c1000056e7f5b45be0def6c000003dfc0f7fba302e8c000002ef00bbc640e190380000f19e3c6794b2f52ad0000182c660877c425f108000387d0e1f487a5e1e540000c1ca30728000800020000bede2fb7933584cd6000005d2e1742fe903fa4000032e47cb8ff1cd3c7340001b88a6e22e547f951c0000;

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
