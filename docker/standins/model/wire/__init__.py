"""The model APIs: each module reads a request into a Conversation and writes an Answer, whole or as a stream."""
