"""What every response says to browsers, whatever its status."""

HEADERS = {
    "X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Referrer-Policy": "same-origin",
}  # fmt: skip


def lacking(response) -> list[str]:
    """Name the headers that a response should have and does not."""
    wrong = [name for name, value in HEADERS.items() if response.get(name) != value]
    policy = response.get("Content-Security-Policy", "")
    parts = ("default-src 'none'", "script-src 'self'", "img-src 'self'", "frame-ancestors 'none'")
    if not all(part in policy for part in parts) or "unsafe" in policy:
        wrong.append(f"Content-Security-Policy: {policy}")
    return wrong
