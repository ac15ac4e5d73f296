#!/bin/sh
# The program by which a step speaks to its job.
me=${0##*/}
here=$(CDPATH= cd -- "$(dirname -- "$0")/.." && pwd)

usage() {
  cat >&2 <<END
usage: $me step halt                       end the job after this step, with success
       $me tests glob PATTERN...           list files; ** is any number of folders
       $me tests split [options] [FILE]    pick this node's part of a list
       $me tests run --command=C [options] split a list and hand the part to a command
       $me continue FILE [--parameters=JSON]
                                           continue the pipeline with another configuration
options: --split-by=name|filesize|timings  --timings-type=filename|classname|testname|file
         --index=N  --total=N  --verbose
END
  exit 2
}

# expression PATTERN: the pattern as an expression for awk.
expression() {
  printf '%s\n' "$1" | awk '{
    n = length($0); out = "^"; depth = 0
    for (i = 1; i <= n; i++) {
      c = substr($0, i, 1)
      if (substr($0, i, 3) == "**/") { out = out "(.*/)?"; i += 2 }
      else if (substr($0, i, 2) == "**") { out = out ".*"; i++ }
      else if (c == "*") out = out "[^/]*"
      else if (c == "?") out = out "[^/]"
      else if (c == "{") { out = out "("; depth++ }
      else if (c == "}" && depth > 0) { out = out ")"; depth-- }
      else if (c == "," && depth > 0) out = out "|"
      else if (c == "[") {
        out = out "["; i++
        if (substr($0, i, 1) == "!") { out = out "^"; i++ }
        while (i <= n && substr($0, i, 1) != "]") { out = out substr($0, i, 1); i++ }
        out = out "]"
      }
      else if (c ~ /[A-Za-z0-9_\/ -]/) out = out c
      else out = out "[" (c == "\\" || c == "^" ? "\\" : "") c "]"
    }
    print out "$"
  }'
}

glob() {
  [ $# -gt 0 ] || usage
  for pattern in "$@"; do
    pattern=${pattern#./}
    case $pattern in
      /*) from=/ ;;
      *) from=. ;;
    esac
    find "$from" -type f 2>/dev/null | sed 's|^\./||' | E=$(expression "$pattern") awk '$0 ~ ENVIRON["E"]'
  done | sort -u
}

by=name kind=filename index=${STOA_NODE_INDEX:-0} total=${STOA_NODE_TOTAL:-1} verbose= command= list=

options() {
  while [ $# -gt 0 ]; do
    case $1 in
      --split-by=*) by=${1#*=} ;;
      --split-by) by=$2; shift ;;
      --timings-type=*) kind=${1#*=} ;;
      --timings-type) kind=$2; shift ;;
      --index=*) index=${1#*=} ;;
      --total=*) total=${1#*=} ;;
      --command=*) command=${1#*=} ;;
      --command) command=$2; shift ;;
      --verbose) verbose=1 ;;
      -*) echo "$me: $1 is unknown" >&2; usage ;;
      *) list=$1 ;;
    esac
    shift
  done
  case $by in
    name | filesize | timings) ;;
    *) echo "$me: --split-by is name, filesize or timings" >&2; exit 2 ;;
  esac
  case $kind in
    file) kind=filename ;;
    filename | classname | testname) ;;
    *) echo "$me: --timings-type is filename, classname or testname" >&2; exit 2 ;;
  esac
  case $index$total in
    *[!0-9]*) echo "$me: --index and --total are numbers" >&2; exit 2 ;;
  esac
  if [ "$total" -lt 1 ] || [ "$index" -ge "$total" ]; then
    echo "$me: --index must be below --total" >&2
    exit 2
  fi
}

# weights: the list with a weight before each entry, split by a tab.
weights() {
  case $by in
    name) sort -u | awk '{ print 1 "\t" $0 }' ;;
    filesize)
      sort -u | while IFS= read -r name; do
        size=$(wc -c <"$name" 2>/dev/null) || size=0
        printf '%s\t%s\n' "$((size + 0))" "$name"
      done ;;
    timings)
      if ! grep -q "^$kind	" "$here/timings" 2>/dev/null; then
        echo "$me: there are no timings of earlier jobs yet; entries count alike" >&2
      fi
      sort -u | awk -F '\t' -v kind="$kind" '
        FILENAME != "-" { if ($1 == kind) { t[$3] = $2; sum += $2; n++ } next }
        { name = $0; sub(/^\.\//, "", name); w = (name in t) ? t[name] : (n ? sum / n : 1)
          printf "%.6f\t%s\n", w, $0 }' "$here/timings" - ;;
  esac
}

# part: this node's entries. By name they are dealt out in turn; by weight each
# goes, the heaviest first, to the node that has least.
part() {
  if [ "$by" = name ]; then
    weights | awk -F '\t' -v i="$index" -v n="$total" '(NR - 1) % n == i { print $2 }'
    return
  fi
  weights | sort -t '	' -k1,1nr -k2 | awk -F '\t' -v i="$index" -v n="$total" '
    { best = 0
      for (k = 1; k < n; k++) if (load[k] < load[best]) best = k
      load[best] += $1 > 0 ? $1 : 0.000001
      if (best == i) print $2 }' | sort
}

split() {
  options "$@"
  if [ -n "$list" ]; then
    part <"$list"
  else
    part
  fi
}

run() {
  options "$@"
  [ -n "$command" ] || { echo "$me: tests run needs --command" >&2; usage; }
  mine=$(part) || exit
  [ -z "$verbose" ] || printf '%s\n' "$me: node $index of $total runs:" "$mine" >&2
  if [ -z "$mine" ]; then
    echo "$me: there is nothing to run on node $index of $total"
    exit 0
  fi
  printf '%s\n' "$mine" | ${BASH:-/bin/sh} -c "$command"
}

case "$1 $2" in
  "step halt") mkdir -p "$HOME/.stoa" && : >"$HOME/.stoa/halt" ;;
  "tests glob") shift 2; glob "$@" ;;
  "tests split") shift 2; split "$@" ;;
  "tests run") shift 2; run "$@" ;;
  "continue "?*)
    file=$2
    mkdir -p "$HOME/.stoa" || exit
    case $3 in
      --parameters=*) printf '%s' "${3#*=}" >"$HOME/.stoa/continue.json" ;;
      "") printf '{}' >"$HOME/.stoa/continue.json" ;;
      *) usage ;;
    esac
    cp -- "$file" "$HOME/.stoa/continue.yml" || exit ;;
  *) usage ;;
esac
