data "coder_workspace" "me" {}

data "coder_parameter" "ai_prompt" {
  name         = "ai_prompt"
  display_name = "Task"
  description  = "What the agent is asked to do first."
  type         = "string"
  form_type    = "textarea"
  default      = ""
  mutable      = true
  order        = 1
}

data "coder_parameter" "system_prompt" {
  name        = "system_prompt"
  description = "The agent's standing orders; comes with the role."
  type        = "string"
  form_type   = "textarea"
  default     = ""
  mutable     = true
  order       = 2
}

# Set by Fleet, never by hand.
data "coder_parameter" "fleet_managed" {
  name    = "fleet_managed"
  type    = "string"
  default = "false"
  mutable = true
  order   = 10
}

data "coder_parameter" "fleet_agent_id" {
  name    = "fleet_agent_id"
  type    = "string"
  default = ""
  mutable = true
  order   = 11
}

data "coder_parameter" "fleet_task_id" {
  name    = "fleet_task_id"
  type    = "string"
  default = ""
  mutable = true
  order   = 12
}

data "coder_parameter" "fleet_spec" {
  name      = "fleet_spec"
  type      = "string"
  form_type = "textarea"
  default   = ""
  mutable   = true
  order     = 13
}

data "coder_parameter" "fleet_origin" {
  name    = "fleet_origin"
  type    = "string"
  default = ""
  mutable = true
  order   = 14
}

data "coder_parameter" "fleet_public_key" {
  name    = "fleet_public_key"
  type    = "string"
  default = ""
  mutable = true
  order   = 15
}
