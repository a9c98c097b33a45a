#!/bin/sh
# Every irregularity to a SIEM by syslog (RFC 5424 over UDP): syslog.sh SERVER PORT [arguments of mosquitto_sub]
# Severities become those of syslog: critical is "critical", alert "error", the rest "warning" and "notice", facility local0.
# A line above 8,000 bytes is cut: logger would send the rest as a message of its own, with a priority of its own.
server=$1 port=$2
shift 2
mosquitto_sub "$@" -q 1 -t 'pitwatch/1/+/+/irregularity/+' -F '%t %x' |
    "$(dirname "$0")/one-line.pl" 8000 |
    sed -u -e 's|^[^ ]*/critical |<130>|' -e 's|^[^ ]*/alert |<131>|' -e 's|^[^ ]*/warning |<132>|' -e 's|^[^ ]*/notice |<133>|' |
    logger --server "$server" --port "$port" --udp --rfc5424=notq --tag pitwatch --msgid irregularity --prio-prefix --size 8k
