"""E-mail, if the site sends any: invitations, reminders, news of batches and notes; each person chooses what comes."""
