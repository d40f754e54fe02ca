// The optimized form of two cubes.
// Written by sunzi-hardware-constants; not to be edited.

// D: the exponent is D q + r.
localparam integer SPLIT = 46;

// Width of moduli, bases and exponents, in bits.
localparam integer WIDTH = 256;

// Digits of q.
localparam integer Q_BITS = 251;

// Digits of r.
localparam integer R_BITS = 6;

// Number of elements.
localparam integer ELEMENTS = 12;

// The element that sends the result.
localparam integer RESULT = 5;

// Of each element, 4 bits: its number in the paper.
localparam [47:0] NUMBERS =
    48'hfedca8765420;

// Of each element, 4 bits: the number of its inputs.
localparam [47:0] INPUTS =
    48'h222211321111;

// Of each element, 4 bits: the number of its products.
localparam [47:0] STEPS =
    48'h222111311100;

// Of each element, 3 times 4 bits: the elements that its inputs come from; 12 and 13 are the
// coordinator's A and B, 15 stands for no input.
localparam [143:0] SOURCES =
    144'hfa9f87f83f62ff6ff0b43f21ff2ff0ffdffc;

// Of each element, 4 bits: the input that is the left factor of its first product. That of the
// others is the product before.
localparam [47:0] LEFTS =
    48'h001100010000;

// Of each element, 3 times 4 bits: the inputs that are right factors.
localparam [143:0] RIGHTS =
    144'h010010001000000000210000000000000000;
