#!/bin/sh
# Ask a table for something and print its answer: ask.sh SITE/TABLE VERB JSON [arguments of mosquitto_rr]
#   ./ask.sh toledo/RL-07 snapshot '{"id":"s1"}' -h broker.example -p 8883 --cafile ca.crt --cert client.crt --key client.key
#   ./ask.sh toledo/RL-07 acknowledge '{"id":"a1","by":"eye","sequence":1234,"note":"dealer told"}' -h …
# The table answers what its configuration allows. Another's answer may come first: `client` and `request` in it say of whom and
# of which question it is.
table=$1 verb=$2 question=$3
shift 3
# Who asks is said by the topic: the user name (-u), or the name in the certificate (--cert), as the broker knows him.
name='' before=''
for word; do
    case $before in
    -u | --username) name=/$word ;;
    --cert) name=/$(openssl x509 -noout -subject -nameopt multiline -in "$word" | sed -n 's/.*commonName *= //p') ;;
    esac
    before=$word
done
answer=$(mosquitto_rr "$@" -q 1 -W 10 -F %x -t "pitwatch/1/$table/request/$verb$name" \
    -e "pitwatch/1/$table/response/$verb" -m "$question") || exit
printf '%s\n' "$answer" | "$(dirname "$0")/one-line.pl"
