"""Configuration: pydantic models, importable without torch, transformers, trl or vllm."""
