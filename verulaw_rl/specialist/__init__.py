"""The frozen proof specialist: asked to complete a candidate's proof, and how a checkpoint is served as one."""
