"""The importer of tables with a row for each round: for every runner without an importer of its own."""
