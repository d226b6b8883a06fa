"""`remem serve`: all faces of one store on one port. `process` runs it, `doors` decides where it may listen."""
