#!/bin/sh
# How the floor stands now, from what the broker retains: the state of every table, every alert, every device not on line.
# Waits two seconds for the broker, then ends. Arguments are mosquitto_sub's own.
retained=$(mosquitto_sub "$@" --quiet -W 2 -F '%r %t %x' \
    -t 'pitwatch/1/+/+/status' -t 'pitwatch/1/+/+/alert/+' -t 'pitwatch/1/+/+/device/+')
[ $? -eq 27 ] || { echo "the broker does not answer" >&2; exit 1; } # 27: the two seconds are over, as they should be
printf '%s\n' "$retained" | "$(dirname "$0")/one-line.pl" | sed -n -e '/^1 [^ ]*\/device\/.*"state":"online"/d' -e 's/^1 //p'
