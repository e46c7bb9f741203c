"""Charts: what each shows of a board, and its drawing. The only place that knows Altair, and in `cards`, Pillow."""
