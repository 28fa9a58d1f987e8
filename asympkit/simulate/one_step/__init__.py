"""The real network after one large gradient step."""
