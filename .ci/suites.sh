# shellcheck shell=bash
# Which suites run, in which order, and which are left out. `.ci/run` sources this file and defines a function
# `suite_NAME` for each of them.

# The run must end before this. A suite is left out when it would probably end later: a run that is cut off tells nothing.
limit_minutes=60

# Each suite that may be left out, with the minutes that it takes on a machine that has built and downloaded nothing yet.
# The server of `docker` is built by `coder`: with as many minutes, it has no time where `coder`, which comes before it, had none.
declare -A cold_minutes=([coder]=16 [docker]=16 [forge]=5 [sandbox]=4 [agents]=6 [faults]=9 [tools]=6 [ollama]=6 [browser]=5)
one_half=(coder docker forge)
other_half=(sandbox agents browser faults tools ollama)

# The suites that the last run on this machine left out, one name a line.
record=${FLEET_CI_STATE:-${XDG_CACHE_HOME:-${HOME:-/nonexistent}/.cache}/fleet-ci}/left-out

shown=()
declare -A began=() minutes=() result=()

# Runs a suite. When it fails, the run ends.
run_suite() {
  local name=$1
  shown+=("$name")
  result[$name]=failed
  began[$name]=$SECONDS
  "suite_$name"
  minutes[$name]=$(minutes_since "${began[$name]}")
  result[$name]=passed
}

# Sets `order`, and `due`: the suites that must not be left out this time, because the last run left them out. Without a
# record nothing is known of the last run: the halves take turns to come first.
plan() {
  local turn=${GITHUB_RUN_NUMBER:-$(git rev-list --count HEAD)} name
  order=("${one_half[@]}" "${other_half[@]}")
  if ((turn % 2 == 0)); then order=("${other_half[@]}" "${one_half[@]}"); fi
  due=()
  [[ -f $record ]] || return 0
  local others=()
  for name in "${order[@]}"; do
    if grep -qx "$name" "$record"; then due+=("$name"); else others+=("$name"); fi
  done
  order=("${due[@]}" "${others[@]}")
}

# Runs the suites that fit into the limit, and records the others. Fails when a suite is left out that was due.
run_planned() {
  local order=() due=() left_out=() overdue=() name
  plan
  for name in "${order[@]}"; do
    if ((SECONDS + cold_minutes[$name] * 60 <= limit_minutes * 60)); then
      run_suite "$name"
      continue
    fi
    shown+=("$name")
    result[$name]="left out"
    left_out+=("$name")
    if [[ " ${due[*]} " == *" $name "* ]]; then overdue+=("$name"); fi
  done
  write_record "${left_out[@]}"
  if ((${#overdue[@]} == 0)); then return 0; fi
  echo "Left out twice in a row: ${overdue[*]}. An earlier suite takes too long, or the machine is too slow."
  return 1
}

# A machine where it cannot be written has no record.
write_record() {
  mkdir -p "$(dirname "$record")" 2>/dev/null || return 0
  { printf '%s\n' "$@" >"$record"; } 2>/dev/null || return 0
}

print_table() {
  local name
  for name in "${one_half[@]}" "${other_half[@]}"; do
    if [[ -z ${result[$name]:-} ]]; then shown+=("$name"); fi
  done
  printf '\n%-10s %8s  %s\n' suite minutes result
  for name in "${shown[@]}"; do
    if [[ ${result[$name]:=not reached} == failed ]]; then minutes[$name]=$(minutes_since "${began[$name]}"); fi
    printf '%-10s %8s  %s\n' "$name" "${minutes[$name]:--}" "${result[$name]}"
  done
  printf '%-10s %8s\n' total "$(minutes_since 0)"
}

# Runs the tests of a script of package.json, by a command that is given behind it, if any. A test that fails is tried once
# more by vitest, a hook is not: when nothing but hooks failed, their files are run again, and named.
run_tests() {
  local script=$1 config=() files=()
  shift
  : >"$FLEET_FAILED_HOOKS"
  if "$@" npm run "$script" -- "${tries[@]}"; then return 0; fi
  mapfile -t files <"$FLEET_FAILED_HOOKS"
  if ((${#files[@]} == 0)); then return 1; fi
  if [[ -f test/${script#test:}/vitest.config.ts ]]; then config=(--config "test/${script#test:}/vitest.config.ts"); fi
  "$@" npm exec -- vitest run "${config[@]}" "${tries[@]}" "${files[@]}" || return 1
  printf '%s: a hook\n' "${files[@]}" >>"$FLEET_RETRIED"
}

# Removes directories. A process that still writes there must not make the run fail.
discard() {
  rm -rf "$@" || echo "Not removed: $*"
}

minutes_since() {
  echo $(((SECONDS - $1 + 59) / 60))
}
