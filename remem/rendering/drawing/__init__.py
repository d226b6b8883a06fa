"""Pictures of a part of the graph as files that need nothing else."""
