"""What the tables read from the database beside the answers."""
