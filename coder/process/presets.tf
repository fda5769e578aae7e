data "coder_parameter" "fleet_role" {
  name        = "fleet_role"
  description = "What runs, as JSON; comes with the role."
  type        = "string"
  default     = "{\"agent\":\"command\",\"command\":[\"sh\",\"-s\"]}"
  mutable     = true
  order       = 3
}

# The roles. These run each task as a shell script, so that everything can be seen to work without a model.
data "coder_workspace_preset" "coder" {
  name        = "coder"
  description = "Runs each task as a shell script"
  default     = true
  parameters = {
    fleet_role    = jsonencode({ agent = "command", command = ["sh", "-s"] })
    system_prompt = "You write code."
  }
}

data "coder_workspace_preset" "operator" {
  name        = "operator"
  description = "Runs each task as a shell script and stops at the first error"
  parameters = {
    fleet_role    = jsonencode({ agent = "command", command = ["sh", "-es"] })
    system_prompt = "You run things."
  }
}

data "coder_workspace_preset" "manager" {
  name        = "manager"
  description = "Runs each task as a shell script and shows every line"
  parameters = {
    fleet_role    = jsonencode({ agent = "command", command = ["sh", "-xs"] })
    system_prompt = "You lead other agents."
  }
}
