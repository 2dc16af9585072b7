"""The command line: ``sealgate demo | redact | restore``."""
