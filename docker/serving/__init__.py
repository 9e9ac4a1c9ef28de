"""How a service of the team runs: configuration file in, a bound port, a ready file out, a clean stop on SIGTERM."""
