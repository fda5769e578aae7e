#!/bin/sh
# The start and the end of what runs in a workspace. "start" checks the image, brings the repository, and starts "run" in
# the background, which brings the runner and keeps it running. "stop" asks the runner to end.
# What is missing is told to Coder: an agent that fails with a sentence is better than one that starts for ever.
own=$HOME/.fleet
baked=/opt/fleet
recipe='coder/image/Dockerfile of Fleet has a recipe.'

# Coder takes 160 characters.
tell() {
  echo "$1" >&2
  message=$(printf %s "$1" | tr '\n\t' '  ' | tr -d '"\\' | cut -c1-150)
  body="{\"app_slug\":\"fleet\",\"state\":\"failure\",\"message\":\"$message\",\"uri\":\"fleet://status/0?failed&attention\",\"icon\":\"\",\"needs_user_attention\":false}"
  to=${CODER_AGENT_URL%/}/api/v2/workspaceagents/me/app-status
  for _ in 1 2 3 4 5; do
    if command -v curl >/dev/null; then
      printf 'header = "Coder-Session-Token: %s"\n' "$CODER_AGENT_TOKEN" |
        curl -fsS -m 10 -o /dev/null -K - -X PATCH -H 'Content-Type: application/json' -d "$body" "$to" && return
    else
      wget -q -T 10 -O /dev/null --method=PATCH --header='Content-Type: application/json' \
        --header="Coder-Session-Token: $CODER_AGENT_TOKEN" --body-data="$body" "$to" && return
    fi
    sleep 2
  done
}

fail() {
  tell "$1"
  exit 1
}

check_image() {
  for program in git node npm; do
    command -v "$program" >/dev/null || fail "The image of this workspace has no $program on the PATH. $recipe"
  done
  node -e 'const [major, minor] = process.versions.node.split(".").map(Number); process.exit(major > 22 || (major === 22 && minor >= 18) ? 0 : 1)' ||
    fail "The image of this workspace has Node $(node --version); Fleet needs 22.18 or newer. $recipe"
  mkdir -p "$own" "$FLEET_DIRECTORY" && : >"$own/runner.log.test" && rm "$own/runner.log.test" ||
    fail "The home directory $HOME of this workspace cannot be written to: is its volume full, or owned by another user?"
}

bring_repository() {
  repository=$(cat "$FLEET_PARAMETERS/repository" 2>/dev/null)
  if [ -z "$repository" ] || [ -e "$FLEET_DIRECTORY/.git" ]; then return; fi
  part=$own/repository.part
  rm -rf "$part"
  # A repository that wants a password must not wait for somebody to type it.
  problem=$(GIT_TERMINAL_PROMPT=0 git clone --quiet "$repository" "$part" 2>&1) ||
    fail "The repository cannot be cloned: $(printf '%s\n' "$problem" | sed '/^$/d' | tail -n 1)"
  rmdir "$FLEET_DIRECTORY" 2>/dev/null
  mv -T "$part" "$FLEET_DIRECTORY" || fail "The repository cannot be put into $FLEET_DIRECTORY: there are files in it."
}

# The one of the image, the one that an earlier start has installed, or one that npm installs now.
bring_runner() {
  app=$baked/app
  if [ "$(cat "$app/package" 2>/dev/null)" = "$FLEET_PACKAGE" ]; then return; fi
  app=$own/app
  if [ "$(cat "$app/package" 2>/dev/null)" = "$FLEET_PACKAGE" ]; then return; fi
  part=$own/app.part
  until
    rm -rf "$part" && mkdir -p "$part" &&
      problem=$(npm install --no-audit --no-fund --fetch-retries=0 --fetch-timeout=20000 \
        --prefix "$part" "$FLEET_PACKAGE" 2>&1)
  do
    printf '%s\n' "$problem"
    code=$(printf '%s\n' "$problem" | sed -n 's/^npm \(error\|ERR!\) code //p' | head -n 1)
    # Another version of the runner is better than none; the fleet says which one it is.
    for app in "$own/app" "$baked/app"; do
      if [ -s "$app/package" ]; then
        echo "npm cannot install $FLEET_PACKAGE (${code:-no reason given}): $(cat "$app/package") is used"
        return
      fi
    done
    tell "npm cannot install $FLEET_PACKAGE (${code:-no reason given}) in this workspace. It tries again. Put it into the image: $recipe"
    sleep 10
  done
  printf %s "$FLEET_PACKAGE" >"$part/package"
  app=$own/app
  rm -rf "$app"
  mv -T "$part" "$app"
}

bring_agent() {
  agent=$(sed -n 's/.*"agent" *: *"\([a-z]*\)".*/\1/p' "$FLEET_PARAMETERS/fleet_role")
  case $agent in claude | codex | opencode | qwen | gemini) ;; *) return ;; esac
  adapter=$FLEET_STATE/adapters/$agent
  if [ -L "$adapter" ]; then rm "$adapter"; fi
  if [ ! -e "$adapter" ] && [ -s "$baked/home/adapters/$agent/current" ]; then
    mkdir -p "$FLEET_STATE/adapters"
    chmod 700 "$FLEET_STATE"
    ln -s "$baked/home/adapters/$agent" "$adapter"
    return
  fi
  until
    problem=$(FLEET_HOME=$FLEET_STATE npm_config_fetch_retries=0 npm_config_fetch_timeout=20000 \
      "$app/node_modules/.bin/fleet" agents install "$agent" 2>&1) || [ -s "$adapter/current" ]
  do
    printf '%s\n' "$problem"
    tell "The coding agent $agent is not in the image, and npm cannot install it. It tries again. $recipe"
    sleep 10
  done
}

# The runner says with 0 that it was asked to end; whatever else happened to it, it is started again.
keep_running() {
  pause=1
  while :; do
    node "$app/node_modules/fleet-mcp/dist/coder-runner-main.js" &
    echo $! >"$own/runner.pid"
    wait $! && return
    sleep "$pause"
    if [ "$pause" -lt 10 ]; then pause=$((pause + 1)); fi
  done
}

stop_runner() {
  pid=$(cat "$own/runner.pid" 2>/dev/null) || return 0
  # The pid may by now be of another process.
  grep -q coder-runner-main "/proc/$pid/cmdline" 2>/dev/null || return 0
  kill -TERM "$pid"
  for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    kill -0 "$pid" 2>/dev/null || return 0
    sleep 0.5
  done
}

# Not the project, which may be moved into its place.
cd "$HOME" || exit 1
case $1 in
start)
  check_image
  bring_repository
  setsid sh "$0" run >>"$own/runner.log" 2>&1 </dev/null &
  ;;
run)
  trap '' TERM
  bring_runner
  bring_agent
  keep_running
  ;;
stop) stop_runner ;;
esac
