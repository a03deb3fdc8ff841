"""What all starts of gunicorn have in common; gunicorn reads this file from the folder it is started in."""

logger_class = "config.gunicorn_logger.OneLineLogger"
