"""Contracts: what crosses a boundary has its type here. No I/O."""
