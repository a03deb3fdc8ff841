"""What the API adds to the apps below it: nothing but its addresses, which `config/urls.py` names."""

from config.part import Part

PART = Part()
