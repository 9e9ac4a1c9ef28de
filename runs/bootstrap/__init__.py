"""Getting a forge and a chat ready for a team, over their HTTP APIs. Every step is "ensure": doing it again changes nothing."""
