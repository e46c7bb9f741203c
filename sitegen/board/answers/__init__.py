"""What each page says first: a sentence that follows from the data, in a module for each sort of data."""
