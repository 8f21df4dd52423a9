"""The measures, one file each under its name; what they share; and a metric, a measure with its parameters."""
