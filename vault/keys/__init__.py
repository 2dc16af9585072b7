"""Where the vault's keys are wrapped: files, the environment, the OS keyring, passphrases and key services."""
