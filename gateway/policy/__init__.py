"""The grant policy at run time: loading it, deciding by it, explaining it."""
