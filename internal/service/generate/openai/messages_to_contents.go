package openai

import "stoa.dev/stoa/internal/service/generate/api"

// conversation gathers the turns of a request in the order they were sent.
type conversation struct {
	system []api.Part
	turns  []api.Content
	// called are the names of functions by the id of their call.
	called map[string]string
}

// add appends parts; neighbours of one role are one turn, as are the results of
// several calls.
func (c *conversation) add(role string, parts ...api.Part) {
	if last := len(c.turns) - 1; last >= 0 && c.turns[last].Role == role {
		c.turns[last].Parts = append(c.turns[last].Parts, parts...)
		return
	}
	c.turns = append(c.turns, api.Content{Role: role, Parts: parts})
}

// message adds what one role wrote. Instructions are one text before everything
// else, wherever they stand.
func (c *conversation) message(field, role string, content messageContent) error {
	switch role {
	case "system", "developer":
		text, err := content.plainText(field + ".content")
		if err == nil && text != "" {
			c.system = append(c.system, api.Text(text))
		}
		return err
	case "user", "assistant":
		parts, err := content.toParts(field + ".content")
		if err != nil || len(parts) == 0 {
			return err
		}
		if role == "assistant" {
			role = api.RoleModel
		}
		c.add(role, parts...)
		return nil
	}
	return api.ErrInvalidField(field+".role", "%q is not one of system, developer, user, assistant and tool", role)
}

func (c *conversation) call(field, id, name, arguments string) error {
	part, err := callPart(field, id, name, arguments)
	if err != nil {
		return err
	}
	if c.called == nil {
		c.called = map[string]string{}
	}
	c.called[id] = name
	c.add(api.RoleModel, part)
	return nil
}

func (c *conversation) result(field, id, text string) error {
	name, ok := c.called[id]
	if !ok {
		return api.ErrInvalidField(field, "%q is not the id of a call before it", id)
	}
	part, err := resultPart(id, name, text)
	if err != nil {
		return err
	}
	c.add(api.RoleUser, part)
	return nil
}

// into sets the conversation of a request.
func (c *conversation) into(r *api.Request) {
	r.Contents = c.turns
	if len(c.system) > 0 {
		r.SystemInstruction = &api.Content{Parts: c.system}
	}
}
