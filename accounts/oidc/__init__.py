"""Signing in by an OpenID Connect provider. Nothing in here is loaded unless an operator has set one."""
