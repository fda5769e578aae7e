#!/bin/sh
# Starts `coder agent` detached, in the workspace's own directory. The variables come from main.tf.
set -eu
umask 077
mkdir -p "$WS_DIR/home" "$WS_DIR/log" "$WS_DIR/project" "$WS_DIR/fleet" "$WS_DIR/parameters"
cd "$WS_DIR"
for name in ai_prompt system_prompt fleet_role fleet_task_id fleet_spec fleet_origin fleet_public_key; do
  printenv "$name" | head -c -1 >"parameters/$name" || :
done
# The runner says with 0 that it was asked to end; whatever else happened to it, it is started again.
# A signal to both is for the runner, which ends its task first.
cat >run-fleet.sh <<SH
trap '' TERM
until $WS_FLEET; do sleep 1; done
SH
# A clean environment: terraform's own holds the owner's session token and SSH key, and Coder's settings of the server.
# The ports and sockets have fixed defaults, which would clash with many agents on one machine.
setsid env -i PATH="$PATH" LANG="${LANG:-C.UTF-8}" TZ="${TZ:-UTC}" SHELL=/bin/bash HOME="$WS_DIR/home" \
  CODER_AGENT_TOKEN="$WS_AGENT_TOKEN" CODER_AGENT_URL="$WS_AGENT_URL" CODER_AGENT_AUTH=token \
  CODER_AGENT_LOG_DIR="$WS_DIR/log" CODER_AGENT_SCRIPT_DATA_DIR="$WS_DIR/home" \
  CODER_AGENT_PPROF_ADDRESS=127.0.0.1:0 CODER_AGENT_PROMETHEUS_ADDRESS=127.0.0.1:0 CODER_AGENT_DEBUG_ADDRESS=127.0.0.1:0 \
  CODER_AGENT_SOCKET_PATH="$WS_DIR/agent.sock" \
  CODER_AGENT_BOUNDARY_LOG_PROXY_SOCKET_PATH="$WS_DIR/boundary.sock" CODER_AGENT_FIREWALL_LOG_PROXY_SOCKET_PATH="$WS_DIR/firewall.sock" \
  CODER_AGENT_DEVCONTAINERS_ENABLE=false CODER_AGENT_DEVCONTAINERS_PROJECT_DISCOVERY_ENABLE=false \
  "$WS_BIN" agent --no-reap >log/agent.out 2>&1 </dev/null &
echo $! >agent.pid
