"""Asking a person: questions, handlers, the terminal, and the reading of answers."""
