"""What every importer is made of: options, agents, the walk through a foreign tree, its doubts, bundles and merging."""
