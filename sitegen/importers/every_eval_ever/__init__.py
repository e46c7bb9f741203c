"""The importer of records in the schemas of Every Eval Ever."""
