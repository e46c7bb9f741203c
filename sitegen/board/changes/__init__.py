"""What differs between two states of the same boards: rows, scores, ranks, and every record behind them."""
