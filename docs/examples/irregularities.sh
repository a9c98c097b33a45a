#!/bin/sh
# Every irregularity of every table, one line each: topic, then the event as JSON. Arguments are mosquitto_sub's own, such as
#   ./irregularities.sh -h broker.example -p 8883 --cafile ca.crt --cert client.crt --key client.key
# Add `-i NAME -c` and the broker keeps what comes while this is not running.
mosquitto_sub "$@" -q 1 -t 'pitwatch/1/+/+/irregularity/+' -F '%t %x' | "$(dirname "$0")/one-line.pl"
