//! What the world calls public-key cryptography, on the batch engine.
