"""What turns phrases into vectors or text: encoders and generators."""
