"""Mails are sent by workers; a killed one may send its mail once more, and no more."""

from datetime import timedelta

from config.background.kinds import Work
from recruiting.mail.mail_sending import forget_address, send_mail
from recruiting.mail.mail_tables import OutgoingMail
from recruiting.mail.own_address import WORK_KEY

WORK = Work(
    WORK_KEY, OutgoingMail, send_mail, "calls", lease=timedelta(minutes=3), attempts=2, ended=forget_address,
    patient=True,
)  # fmt: skip
"""Only killed workers use up attempts."""
