#!/usr/bin/env bash
# gantt_in_terminal.sh WARPLINE: the chart of the steady state has colours on a terminal, and only there; NO_COLOR and a
# dumb terminal take them away; no line is wider than 80 columns.
set -euo pipefail
warpline=$1
question="'$warpline' predict fa4_fwd --seqlen 2048 --quiet --gantt"
failed=0

# on_terminal VARIABLE=VALUE...: what the question prints to a terminal.
on_terminal() { env -u NO_COLOR TERM=xterm-256color "$@" script -qec "$question" /dev/null </dev/null; }
colours() { grep -c $'\x1b\[' <<<"$1" || true; }
check() { [[ $2 ]] || { echo "wrong: $1"; failed=1; }; }

shown=$(on_terminal)
check "colours on a terminal" "$([[ $(colours "$shown") -gt 10 ]] && echo yes)"
check "none with NO_COLOR" "$([[ $(colours "$(on_terminal NO_COLOR=1)") == 0 ]] && echo yes)"
check "an empty NO_COLOR asks for nothing" "$([[ $(colours "$(on_terminal NO_COLOR=)") -gt 10 ]] && echo yes)"
check "none on a dumb terminal" "$([[ $(colours "$(on_terminal TERM=dumb)") == 0 ]] && echo yes)"
piped=$(eval "env -u NO_COLOR TERM=xterm-256color $question")
check "none in a pipe" "$([[ $(colours "$piped") == 0 ]] && echo yes)"
check "--color always in a pipe" "$([[ $(colours "$(eval "$question --color always")") -gt 10 ]] && echo yes)"
plain=$(sed -e $'s/\x1b\[[0-9;]*m//g' -e 's/\r$//' <<<"$shown")
check "the same text with colours and without" "$([[ $plain == "$piped" ]] && echo yes)"
wide=$(tail -n +2 <<<"$plain" | awk 'length($0) > 80' | head -n 1)
check "80 columns: $wide" "$([[ -z $wide ]] && echo yes)"
exit $failed
