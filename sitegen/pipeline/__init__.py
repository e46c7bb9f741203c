"""What the commands do: the one place where the stages meet."""
