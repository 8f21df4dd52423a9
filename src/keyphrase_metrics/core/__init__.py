"""What every metric is built on: documents as arrays, parameters, signatures, matching, explanations."""
