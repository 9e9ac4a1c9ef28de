"""The chat stand-in: the part of Mattermost that a team uses."""
