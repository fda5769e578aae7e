# A workspace that is a container on the Docker host of the Coder server, with a volume for its home directory.
terraform {
  required_providers {
    coder = {
      source = "coder/coder"
    }
    docker = {
      source = "kreuzwerker/docker"
    }
  }
}

variable "fleet_package" {
  type        = string
  description = "What npm installs as the runner: fleet-mcp@VERSION, or the address of a packed fleet-mcp."
}

variable "repository" {
  type        = string
  description = "A git repository that is cloned into each workspace; empty for none."
  default     = ""
}

variable "arch" {
  type    = string
  default = "amd64"
}

variable "image" {
  type        = string
  description = "An image with git, npm and Node 22.18 or newer, and a user coder."
  default     = "codercom/enterprise-node:ubuntu"
}

locals {
  home = "/home/coder"
  port = 7433
  given = {
    ai_prompt        = data.coder_parameter.ai_prompt.value
    system_prompt    = data.coder_parameter.system_prompt.value
    fleet_role       = data.coder_parameter.fleet_role.value
    fleet_task_id    = data.coder_parameter.fleet_task_id.value
    fleet_spec       = data.coder_parameter.fleet_spec.value
    fleet_origin     = data.coder_parameter.fleet_origin.value
    fleet_public_key = data.coder_parameter.fleet_public_key.value
  }
}

# Nothing of the parameters is in env or in the script: both are part of every answer about the workspace.
resource "coder_agent" "main" {
  os   = "linux"
  arch = var.arch
  dir  = "${local.home}/project"
  env = {
    FLEET_PORT       = tostring(local.port)
    FLEET_PARAMETERS = "/run/fleet"
    FLEET_STATE      = "${local.home}/.fleet/state"
    FLEET_DIRECTORY  = "${local.home}/project"
    FLEET_STORAGE    = "persistent"
    FLEET_PACKAGE    = var.fleet_package
  }
  startup_script = <<-SH
    mkdir -p "$HOME/project" "$HOME/.fleet"
    if [ -n '${var.repository}' ] && [ ! -d "$HOME/project/.git" ]; then git clone '${var.repository}' "$HOME/project"; fi
    setsid sh /run/fleet/run-fleet.sh >>"$HOME/.fleet/runner.log" 2>&1 </dev/null &
  SH
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

resource "docker_volume" "home" {
  name = "fleet-${data.coder_workspace.me.id}-home"
  lifecycle {
    ignore_changes = all
  }
}

resource "docker_container" "workspace" {
  count      = data.coder_workspace.me.start_count
  image      = var.image
  name       = "fleet-${data.coder_workspace.me.id}"
  hostname   = data.coder_workspace.me.name
  entrypoint = ["sh", "-c", replace(coder_agent.main.init_script, "/localhost|127\\.0\\.0\\.1/", "host.docker.internal")]
  env        = ["CODER_AGENT_TOKEN=${coder_agent.main.token}"]
  host {
    host = "host.docker.internal"
    ip   = "host-gateway"
  }
  volumes {
    container_path = local.home
    volume_name    = docker_volume.home.name
  }
  dynamic "upload" {
    for_each = merge(local.given, { "run-fleet.sh" = file("${path.module}/run-fleet.sh") })
    content {
      file    = "/run/fleet/${upload.key}"
      content = upload.value
    }
  }
}
