"""Name, description and definition of each figure, for pages and files; none of these modules loads numpy."""
