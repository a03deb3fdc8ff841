"""What makes a study's sign-in link work: the person who made it may still make it."""

from annotation.members.member_links import is_backed

IS_BACKED = is_backed
