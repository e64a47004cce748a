# shellcheck shell=bash disable=SC2154
# Shared by ./warpline and ./test; sourced, not run. Expects `root`, the source folder.
# Messages go to standard error; the output of tools goes to a log that is shown only on failure.

say() { printf 'warpline: %s\n' "$*" >&2; }

# run_logged LOG WHAT COMMAND...: shows the end of the log when the command fails.
run_logged() {
    local log=$1 what=$2
    shift 2
    if ! "$@" >"$log" 2>&1; then
        tail -n 60 "$log" >&2
        say "$what failed; the whole log is $log"
        return 1
    fi
}

# missing_packages [test]: those of cmake/debian-packages.txt that are not installed.
missing_packages() {
    local wanted
    wanted=$(awk -v all="${1:-}" '!/^#/ && NF && ($2 == "" || $2 == all) { print $1 }' \
        "$root/cmake/debian-packages.txt")
    # dpkg-query complains about packages it has never heard of; they are missing too.
    # shellcheck disable=SC2086
    { dpkg-query -W -f '${db:Status-Status} ${Package}\n' $wanted 2>/dev/null || true; } |
        awk -v wanted="$wanted" '
            $1 == "installed" { have[$2] = 1 }
            END { n = split(wanted, w); for (i = 1; i <= n; i++) if (!(w[i] in have)) print w[i] }'
}

# ensure_packages [test]: installs them as root, otherwise says how. A stamp makes later calls free.
ensure_packages() {
    local stamp=$root/build/packages${1:+-$1}.ok list=$root/cmake/debian-packages.txt missing
    [[ $stamp -nt $list ]] && return 0
    # Elsewhere than on Debian, CMake says what it does not find.
    command -v dpkg-query >/dev/null || return 0
    missing=$(missing_packages "${1:-}" | tr '\n' ' ')
    if [[ -n $missing ]]; then
        if ((EUID != 0)); then
            say "Debian packages are missing. Install them with:"
            printf '    sudo apt-get install -y --no-install-recommends %s\n' "$missing" >&2
            return 1
        fi
        say "installing $missing(log: build/apt.log)"
        # shellcheck disable=SC2086
        run_logged "$root/build/apt.log" "installing packages" install_packages $missing || return 1
    fi
    touch "$stamp"
}

# try_optional: installs packages that the build can do without, unless their command is there already. Never fails.
try_optional() {
    local stamp=$root/build/packages-optional.ok list=$root/cmake/debian-packages.txt package
    [[ $stamp -nt $list ]] && return 0
    for package in $(awk '!/^#/ && $2 == "optional" { print $1 }' "$list"); do
        command -v "$package" >/dev/null && continue
        if ((EUID == 0)) && command -v apt-get >/dev/null; then
            say "installing $package (log: build/apt-$package.log)"
            if install_packages "$package" >"$root/build/apt-$package.log" 2>&1; then
                # Builds that were configured without it look for it again.
                rm -f "$root"/build/*/build.ninja
                continue
            fi
        fi
        say "going on without $package: reports will have tables and no charts"
    done
    touch "$stamp"
}

install_packages() {
    export DEBIAN_FRONTEND=noninteractive
    # A list of packages that is fresh enough saves the download; an old one may point at files that are gone.
    apt-get install -y --no-install-recommends "$@" ||
        { apt-get update && apt-get install -y --no-install-recommends "$@"; }
}

# build PRESET TARGET...: configures when that has not been done, builds what changed. Ninja decides what
# that is, CMake files included; when there is nothing to do this takes a few hundredths of a second.
build() {
    local preset=$1 dir=$root/build/$1
    shift
    if [[ ! -f $dir/build.ninja ]]; then
        mkdir -p "$dir"
        say "configuring ($preset)"
        (cd "$root" && run_logged "$dir/configure.log" "configuring" cmake --preset "$preset") || return 1
    fi
    case $(ninja -C "$dir" -n "$@" 2>/dev/null) in
        *"no work to do"*) return 0 ;;
    esac
    say "building ($preset; log: build/$preset/build.log)"
    run_logged "$dir/build.log" "building" ninja -C "$dir" "$@"
}

# locked FUNCTION...: one at a time over all processes that share this source folder. The lock is not
# handed down to what runs afterwards.
locked() {
    mkdir -p "$root/build"
    (
        flock 9
        "$@" 9>&-
    ) 9>"$root/build/.lock"
}
