#!/bin/sh
# A Python without packages of its own.
exec python3 -I -S "$@"
