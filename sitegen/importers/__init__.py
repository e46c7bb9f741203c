"""Turn foreign trees of results into values that `store` can hold. They read; they never write."""
