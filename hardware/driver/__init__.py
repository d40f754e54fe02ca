"""The steps of run.py, one a module."""
