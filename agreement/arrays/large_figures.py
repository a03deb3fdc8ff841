"""Why a figure that a float cannot hold is undefined. This module loads nothing, for processes that compute nothing."""

TOO_LARGE = "the figure is too large for a floating-point number"
