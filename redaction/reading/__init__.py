"""How a text reads: folded, projected, and with its encodings seen through, always with the way back."""
