"""Standalone modules for a student and a target after one gradient step."""
