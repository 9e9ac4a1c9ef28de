"""The scripted model: a deterministic, seeded server that speaks the model APIs and works by local rules."""
