"""Names and addresses by two small models, and what of their findings is plausible."""
