"""The turn: a pure state machine, what each of its steps does, and the two drivers that perform them."""
