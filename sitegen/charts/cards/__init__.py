"""Share cards: pictures of a row or of a board, which other sites show where somebody links to it."""
