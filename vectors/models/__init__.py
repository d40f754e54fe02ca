"""Models of the algorithms that vectors/*.json are computed with, in plain integers."""
