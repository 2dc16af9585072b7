"""Tools: what a model may call, what fills their arguments, and how they run."""
