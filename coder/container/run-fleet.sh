#!/bin/sh
# Brings the runner into the home directory once for each version, and keeps it running.
# It says with 0 that it was asked to end; whatever else happened to it, it is started again.
trap '' TERM
app=$HOME/.fleet/app
if [ "$(cat "$app/package" 2>/dev/null)" != "$FLEET_PACKAGE" ]; then
  mkdir -p "$app"
  until npm install --no-audit --no-fund --prefix "$app" "$FLEET_PACKAGE"; do sleep 5; done
  printf %s "$FLEET_PACKAGE" >"$app/package"
fi
agent=$(sed -n 's/.*"agent" *: *"\([a-z]*\)".*/\1/p' "$FLEET_PARAMETERS/fleet_role")
case $agent in
claude | codex | opencode | qwen | gemini)
  FLEET_HOME=$FLEET_STATE "$app/node_modules/.bin/fleet" agents install "$agent" || true
  ;;
esac
until node "$app/node_modules/fleet-mcp/dist/coder-runner-main.js"; do sleep 1; done
