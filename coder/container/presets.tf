variable "fleet_url" {
  type        = string
  description = "The MCP address of a fleet serve that workspaces can reach, such as https://fleet.example.com/mcp: agents of the role manager then create agents of their own. Empty for none."
  default     = ""
}

data "coder_parameter" "fleet_role" {
  name        = "fleet_role"
  description = "What runs, as JSON; comes with the role."
  type        = "string"
  default     = "{\"agent\":\"claude\"}"
  mutable     = true
  order       = 3
}

# The roles: what runs, and its standing orders. Change them and add your own.
data "coder_workspace_preset" "coder" {
  name        = "coder"
  description = "Writes code, implements features, fixes bugs"
  default     = true
  parameters = {
    fleet_role    = jsonencode({ agent = "claude" })
    system_prompt = "You are a software engineer. You turn a task into working, tested code."
  }
}

data "coder_workspace_preset" "operator" {
  name        = "operator"
  description = "Maintains infrastructure, builds, deployments and automation"
  parameters = {
    fleet_role    = jsonencode({ agent = "claude" })
    system_prompt = "You are an operations engineer. You look after what the software runs on."
  }
}

data "coder_workspace_preset" "manager" {
  name        = "manager"
  description = "Plans and delegates work, and reviews the work of other agents"
  parameters = {
    fleet_role = jsonencode(merge({ agent = "claude" },
    var.fleet_url == "" ? {} : { fleet = { url = var.fleet_url, token_env = "FLEET_TEAM_TOKEN" } }))
    system_prompt = "You are an engineering manager. You turn a goal into work that others can do, and you review what comes back."
  }
}

data "coder_workspace_preset" "shell" {
  name        = "shell"
  description = "Runs each task as a shell script"
  parameters = {
    fleet_role    = jsonencode({ agent = "command", command = ["sh", "-s"] })
    system_prompt = ""
  }
}
