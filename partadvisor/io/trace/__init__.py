"""``review --trace``: the script is run on a scratch server with the user's schema, and watched."""
