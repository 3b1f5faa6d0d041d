"""Commands, one file each; ``main`` registers them."""
