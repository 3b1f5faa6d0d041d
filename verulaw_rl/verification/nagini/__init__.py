"""The Nagini adapter: Nagini 1.2 warm through a resident program of ours, and by its command line."""
