"""Hidden checks while people work, what follows from them, and raters whose answers a researcher excludes."""
