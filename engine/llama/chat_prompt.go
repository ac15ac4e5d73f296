//go:build linux && amd64

package llama

import (
	"errors"
	"fmt"
	"strings"

	"stoa.dev/stoa/engine"
)

// prompt is the tokens of a conversation in the model's own chat template. Only
// the template may name special tokens, such as those between turns; what users
// wrote is tokenized apart from it, so that no text can end a turn.
func (m *model) prompt(messages []engine.Message) ([]int32, error) {
	frame, err := m.render(messages)
	if err != nil {
		return nil, err
	}
	var out []int32
	add := func(text string, special bool) error {
		tokens, err := m.tokens(text, special, special && len(out) == 0)
		out = append(out, tokens...)
		return err
	}
	for i, msg := range messages {
		before, after, ok := strings.Cut(frame, placeholder(i))
		if !ok {
			return nil, errors.New("the model's chat template leaves out a turn")
		}
		if err := errors.Join(add(before, true), add(msg.Content, false)); err != nil {
			return nil, err
		}
		frame = after
	}
	return out, add(frame, true)
}

// placeholder stands for the text of a turn while the template is applied.
func placeholder(i int) string { return fmt.Sprintf("\x02turn %d\x03", i) }

// render applies the template to the roles.
func (m *model) render(messages []engine.Message) (string, error) {
	if len(messages) == 0 {
		return "", errors.New("a prompt needs at least one turn")
	}
	chat := make([]chatMessage, len(messages))
	for i, msg := range messages {
		chat[i] = chatMessage{cText(msg.Role), cText(placeholder(i))}
	}
	size := 1024 + 128*len(messages)
	tmpl := m.lib.modelTemplate(m.handle, 0)
	for range 2 {
		buf := make([]byte, size)
		n := m.lib.template(tmpl, &chat[0], uint64(len(chat)), true, &buf[0], int32(len(buf)))
		if n < 0 {
			return "", errors.New("the model's chat template is not one the engine knows")
		}
		if int(n) <= len(buf) {
			return string(buf[:n]), nil
		}
		size = int(n)
	}
	return "", errors.New("the engine cannot apply the chat template")
}

func cText(s string) *byte {
	b := append([]byte(s), 0)
	return &b[0]
}
