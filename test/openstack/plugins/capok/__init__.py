"""Plugins that the services of the development cloud load."""
