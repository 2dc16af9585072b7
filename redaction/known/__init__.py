"""Sealed values found again, however they are written, and what keeps that from being used to guess them."""
