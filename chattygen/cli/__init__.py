"""The command line: one small file per noun."""
