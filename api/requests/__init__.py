"""What each request goes through: who asks, what was sent, the same key again, and what is wrong with it."""
