"""The books: what releases lock, and what happened from one to the next."""
