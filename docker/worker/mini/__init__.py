"""`mini`: our own minimal ACP coding agent. One prompt, a shell, the tools of one MCP server, any OpenAI-compatible endpoint."""
