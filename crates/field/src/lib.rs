//! Arithmetic modulo `P` on numbers held in residues.
