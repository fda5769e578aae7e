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
  description = "An image with git, npm and Node 22.18 or newer, whose user has the id 1000."
  default     = "codercom/enterprise-node:ubuntu"
}

variable "disk_gb" {
  type    = number
  default = 10
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
  data = merge(local.given, { "run-fleet.sh" = file("${path.module}/run-fleet.sh") })
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
      env {
        name  = "CODER_AGENT_TOKEN"
        value = coder_agent.main.token
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
