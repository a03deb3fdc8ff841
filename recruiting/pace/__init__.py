"""The pace of work: expected minutes, pay and breaks, and what people's own time says about them."""
