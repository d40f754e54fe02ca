#!/bin/sh
# Compiles a crate of the workspace so that it uses the instructions of ADX without asking whether the processor has them:
# cargo calls this instead of the compiler, as scripts/taint.sh and `make division` tell it to.
exec "$@" --cfg sunzi_assumes_adx
