"""The forms of an export, one a file; each turns finished dialogues into what some other tool reads (section 6)."""
