"""Selection of the stages that a change of files affects."""
