"""Anchors: a row of the audit chain kept outside the store, so that a store that was rolled back is noticed."""
