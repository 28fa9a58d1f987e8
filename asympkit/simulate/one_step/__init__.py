"""Simulate the real network after one large gradient step."""
