"""From a data set to a verified model file, and how well the file reads. Open `fit` first; it names the other steps."""
