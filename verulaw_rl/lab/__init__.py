"""The reward lab: recorded episodes scored again, explained, swept and shown, without a verifier or a model."""
