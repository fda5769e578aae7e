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
  description = "An image with git, npm, Node 22.18 or newer, curl, and a user coder with the id 1000; coder/image has a recipe."
  default     = "codercom/enterprise-node:ubuntu"
}

variable "security_opts" {
  type        = string
  description = "Security options of the container, separated by commas; for sandboxes of programs in it: seccomp=unconfined,systempaths=unconfined,apparmor=unconfined."
  default     = ""
}

variable "agent_env" {
  type        = string
  description = "Variables of the workspace, one NAME=value a line, such as the login of the coding agent (ANTHROPIC_API_KEY, ...)."
  default     = ""
  sensitive   = true
}

variable "fleet_token" {
  type        = string
  description = "A token of the fleet at fleet_url, for the role manager."
  default     = ""
  sensitive   = true
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
    repository       = var.repository
    "run-fleet.sh"   = file("${path.module}/run-fleet.sh")
  }
  # The fleet's token is for the role that runs a team, and for no other.
  runs_team = can(jsondecode(data.coder_parameter.fleet_role.value).fleet)
  env = concat(
    ["CODER_AGENT_TOKEN=${coder_agent.main.token}"],
    compact(split("\n", var.agent_env)),
    local.runs_team ? ["FLEET_TEAM_TOKEN=${var.fleet_token}"] : [],
  )
}

# Nothing of the parameters is in env or in the script: both are part of every answer about the workspace.
resource "coder_agent" "main" {
  os   = "linux"
  arch = var.arch
  env = {
    FLEET_PORT       = tostring(local.port)
    FLEET_PARAMETERS = "/run/fleet"
    FLEET_STATE      = "${local.home}/.fleet/state"
    FLEET_DIRECTORY  = "${local.home}/project"
    FLEET_STORAGE    = "persistent"
    FLEET_PACKAGE    = var.fleet_package
  }
  startup_script  = "sh /run/fleet/run-fleet.sh start"
  shutdown_script = "sh /run/fleet/run-fleet.sh stop"
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
  count         = data.coder_workspace.me.start_count
  image         = var.image
  name          = "fleet-${data.coder_workspace.me.id}"
  hostname      = data.coder_workspace.me.name
  entrypoint    = ["sh", "-c", replace(coder_agent.main.init_script, "/localhost|127\\.0\\.0\\.1/", "host.docker.internal")]
  env           = local.env
  security_opts = compact(split(",", var.security_opts))
  # It is there again after a restart of the Docker daemon, or of the machine.
  restart = "unless-stopped"
  # The runner ends its task first.
  destroy_grace_seconds = 20
  host {
    host = "host.docker.internal"
    ip   = "host-gateway"
  }
  volumes {
    container_path = local.home
    volume_name    = docker_volume.home.name
  }
  # The provider refuses empty files.
  dynamic "upload" {
    for_each = { for name, text in local.given : name => text if text != "" }
    content {
      file    = "/run/fleet/${upload.key}"
      content = upload.value
    }
  }
}
