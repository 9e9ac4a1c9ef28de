"""The forge stand-in: the part of Gitea that a team uses, over real git."""
