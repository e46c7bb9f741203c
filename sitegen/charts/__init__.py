"""Charts and share cards: what each chart shows of a board, and how both are drawn. Only this package knows Altair."""
