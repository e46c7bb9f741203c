"""The importer of the job and trial folders that Harbor writes."""
