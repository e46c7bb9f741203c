"""What differs between two states of the same boards: rows, scores, places, and every record behind them."""
