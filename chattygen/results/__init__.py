"""What was made: the SQLite record of runs, reports and exports (section 6)."""
