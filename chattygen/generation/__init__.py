"""Dialogue generation in three stages with assertions (section 5)."""
