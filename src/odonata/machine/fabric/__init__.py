"""Fabrics: the switches, hosts, cables and routes of a cluster, and the files that tell them."""
