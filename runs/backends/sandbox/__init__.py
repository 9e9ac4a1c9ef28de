"""The sandbox around an agent we did not write, on `local`: own user, home, processes, files and network. See README.md."""
