"""Events on their way to whoever watches a session."""
