"""Live: a doorbell that may be lost, and one hub per web process that reads the change log once for all its sockets."""
