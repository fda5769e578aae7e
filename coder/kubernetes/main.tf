# A workspace that is a pod of the cluster that the Coder server can reach, with a volume for its home directory.
terraform {
  required_providers {
    coder = {
      source = "coder/coder"
    }
    kubernetes = {
      source = "hashicorp/kubernetes"
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

variable "namespace" {
  type        = string
  description = "Where pods and volumes are made."
}

variable "image" {
  type        = string
  description = "An image with git, npm, Node 22.18 or newer, curl, and a user coder with the id 1000; coder/image has a recipe."
  default     = "codercom/enterprise-node:ubuntu"
}

variable "disk_gb" {
  type    = number
  default = 10
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
  env = merge(
    { CODER_AGENT_TOKEN = coder_agent.main.token },
    { for line in compact(split("\n", var.agent_env)) : split("=", line)[0] => trimprefix(line, "${split("=", line)[0]}=") },
    local.runs_team ? { FLEET_TEAM_TOKEN = var.fleet_token } : {},
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

resource "kubernetes_persistent_volume_claim" "home" {
  metadata {
    name      = "fleet-${data.coder_workspace.me.id}-home"
    namespace = var.namespace
  }
  wait_until_bound = false
  spec {
    access_modes = ["ReadWriteOnce"]
    resources {
      requests = {
        storage = "${var.disk_gb}Gi"
      }
    }
  }
}

# Prompts may hold what is not everybody's business.
resource "kubernetes_secret" "given" {
  metadata {
    name      = "fleet-${data.coder_workspace.me.id}"
    namespace = var.namespace
  }
  data = local.given
}

resource "kubernetes_secret" "env" {
  metadata {
    name      = "fleet-${data.coder_workspace.me.id}-env"
    namespace = var.namespace
  }
  data = local.env
}

resource "kubernetes_pod" "workspace" {
  count = data.coder_workspace.me.start_count
  metadata {
    name      = "fleet-${data.coder_workspace.me.id}"
    namespace = var.namespace
  }
  spec {
    restart_policy = "Never"
    security_context {
      run_as_user = 1000
      fs_group    = 1000
    }
    container {
      name    = "workspace"
      image   = var.image
      command = ["sh", "-c", coder_agent.main.init_script]
      env_from {
        secret_ref {
          name = kubernetes_secret.env.metadata[0].name
        }
      }
      volume_mount {
        mount_path = local.home
        name       = "home"
      }
      volume_mount {
        mount_path = "/run/fleet"
        name       = "given"
        read_only  = true
      }
    }
    volume {
      name = "home"
      persistent_volume_claim {
        claim_name = kubernetes_persistent_volume_claim.home.metadata[0].name
      }
    }
    volume {
      name = "given"
      secret {
        secret_name = kubernetes_secret.given.metadata[0].name
      }
    }
  }
}
