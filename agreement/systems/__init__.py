"""Systems: their means and places, wins against each other, strengths, and what else sways the answers about them."""
