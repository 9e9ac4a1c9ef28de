"""The model gateway: the only way from a worker to a model. It holds the key, meters every request and keeps to a budget."""
