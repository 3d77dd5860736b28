"""Generated from proto/hashlane/v1/hash_service.proto."""
