"""The rooms of scripts/verify_promise.py: the accounting of docs/privacy.md, written anew from that page."""
