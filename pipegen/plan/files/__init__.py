"""Files of jobs: artifacts, caches, and who reads them."""
