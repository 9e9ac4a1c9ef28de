"""The team's services as a worker calls them: board, chat, forge. Every failure is a ToolError with a sentence."""
