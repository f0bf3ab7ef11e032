"""nova-compute that also finds the drivers in this folder.

Nova imports 'nova.virt.' + compute_driver and nothing else.
"""
import os

from nova.cmd import compute      # first: it monkey-patches
import nova.virt

nova.virt.__path__.append(os.path.dirname(os.path.abspath(__file__)))


def main():
    compute.main()
