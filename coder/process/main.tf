# A workspace that is a plain process on the machine of the Coder server: `coder agent` in a directory of its own, and
# Fleet's runner beside it. For trying things out and for tests: no container, no cloud, and no wall between workspaces.
terraform {
  required_providers {
    coder = {
      source = "coder/coder"
    }
  }
}

variable "workspaces_dir" {
  type        = string
  description = "Where each workspace gets its directory."
}

variable "coder_bin" {
  type        = string
  description = "The absolute path of the coder program on the machine of the Coder server; it runs the agent."
}

variable "fleet_command" {
  type        = string
  description = "What starts Fleet's runner: a node binary and the file of the runner, as one line for the shell."
}

variable "repository" {
  type        = string
  description = "A git repository that is cloned into each workspace; empty for none."
  default     = ""
}

locals {
  dir = "${var.workspaces_dir}/${data.coder_workspace.me.id}"
  # One machine, many workspaces: each needs a port of its own, below the ephemeral range.
  port = 10000 + parseint(substr(sha256(data.coder_workspace.me.id), 0, 8), 16) % 22000
}

# Nothing of the parameters is in env or in the script: both are part of every answer about the workspace.
resource "coder_agent" "main" {
  os   = "linux"
  arch = "amd64"
  dir  = local.dir
  env = {
    FLEET_PORT       = tostring(local.port)
    FLEET_PARAMETERS = "${local.dir}/parameters"
    FLEET_STATE      = "${local.dir}/fleet"
    FLEET_DIRECTORY  = "${local.dir}/project"
    FLEET_STORAGE    = "persistent"
  }
  startup_script = <<-SH
    cd '${local.dir}'
    if [ -n '${var.repository}' ] && [ ! -d project/.git ]; then git clone '${var.repository}' project; fi
    setsid sh ./run-fleet.sh >>fleet.log 2>&1 </dev/null &
    echo $! >fleet.pid
  SH
  display_apps {
    vscode          = false
    vscode_insiders = false
    web_terminal    = true
    ssh_helper      = false
  }
}

resource "coder_app" "fleet" {
  agent_id     = coder_agent.main.id
  slug         = "fleet"
  display_name = "Fleet runner"
  url          = "http://127.0.0.1:${local.port}"
  share        = "owner"
  subdomain    = false
  healthcheck {
    url       = "http://127.0.0.1:${local.port}/healthz"
    interval  = 5
    threshold = 3
  }
}

resource "terraform_data" "agent" {
  count            = data.coder_workspace.me.start_count
  depends_on       = [terraform_data.directory]
  triggers_replace = [coder_agent.main.token]
  input = {
    dir = local.dir
  }

  # Also checked when the template is imported: without the program a workspace agent never connects.
  lifecycle {
    precondition {
      condition     = substr(var.coder_bin, 0, 1) == "/" && fileexists(var.coder_bin)
      error_message = "coder_bin is \"${var.coder_bin}\", which is not the path of the coder program on the machine of the Coder server."
    }
  }

  provisioner "local-exec" {
    command = "sh '${path.module}/start.sh'"
    environment = {
      WS_DIR           = local.dir
      WS_BIN           = var.coder_bin
      WS_FLEET         = var.fleet_command
      WS_AGENT_TOKEN   = coder_agent.main.token
      WS_AGENT_URL     = data.coder_workspace.me.access_url
      ai_prompt        = data.coder_parameter.ai_prompt.value
      system_prompt    = data.coder_parameter.system_prompt.value
      fleet_role       = data.coder_parameter.fleet_role.value
      fleet_task_id    = data.coder_parameter.fleet_task_id.value
      fleet_spec       = data.coder_parameter.fleet_spec.value
      fleet_origin     = data.coder_parameter.fleet_origin.value
      fleet_public_key = data.coder_parameter.fleet_public_key.value
    }
  }

  provisioner "local-exec" {
    when    = destroy
    command = <<-SH
      cd "$WS_DIR" 2>/dev/null || exit 0
      for f in fleet.pid agent.pid; do
        [ -s "$f" ] || continue
        p=$(cat "$f")
        # The pid must still be a process that was started in this directory.
        [ "$(readlink "/proc/$p/cwd" 2>/dev/null)" = "$WS_DIR" ] || { rm -f "$f"; continue; }
        kill -TERM "-$p" 2>/dev/null || kill -TERM "$p" 2>/dev/null || true
        # Gone, or a zombie that its parent has not yet reaped.
        i=0
        while grep -q '^State:.[^Z]' "/proc/$p/status" 2>/dev/null && [ $i -lt 300 ]; do sleep 0.05; i=$((i+1)); done
        kill -KILL "-$p" 2>/dev/null || true
        rm -f "$f"
      done
    SH
    environment = {
      WS_DIR = self.input.dir
    }
  }
}

# Goes with the workspace and not with a stop.
resource "terraform_data" "directory" {
  input = {
    dir = local.dir
  }
  provisioner "local-exec" {
    when    = destroy
    command = "rm -rf -- \"$WS_DIR\""
    environment = {
      WS_DIR = self.input.dir
    }
  }
}
