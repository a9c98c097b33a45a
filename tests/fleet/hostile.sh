# What a hostile board answers orders with; the file `way` beside the folder of its keys says how.
case $(cat "$(dirname "$0")/way") in
flood) while :; do printf '\033]0;owned\007\033[2J{"result":"done"}'; done ;;
hang) sleep 600 ;;
escape) printf '{"result":"put_back","reason":"\\u001b[2J\\u202eowned\\nB-01: done"}\n' ;;
no-json) printf '\033[2J\033[1;1HB-01: done\n' ;;
deep) head -c 60000 /dev/zero | tr '\0' '[' ;;
lie) printf '{"result":"done","package":"0.2.0+git.901.bbbbbbb","previous":"1;reboot"}\n' ;;
esac
