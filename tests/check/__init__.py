"""Tests of the checks over traces."""
