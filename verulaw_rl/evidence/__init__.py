"""Evidence: everything known of one candidate, as plain data, and rewards as pure functions of it."""
