//go:build linux && amd64

package llama

import (
	"slices"
	"testing"
)

func TestTopTokens(t *testing.T) {
	t.Parallel()
	logits := []float32{1, 5, -2, 5, 3, 0}
	for _, row := range []struct {
		n    int
		want []int32
	}{
		{0, nil}, {1, []int32{1}}, {3, []int32{1, 3, 4}}, {6, []int32{1, 3, 4, 0, 5, 2}}, {9, []int32{1, 3, 4, 0, 5, 2}},
	} {
		if got := topTokens(logits, row.n); !slices.Equal(got, row.want) {
			t.Errorf("topTokens(%d) = %v, want %v", row.n, got, row.want)
		}
	}
}

func TestSlotCommon(t *testing.T) {
	t.Parallel()
	s := &slot{tokens: []int32{1, 2, 3}}
	for _, row := range []struct {
		prompt []int32
		want   int
	}{{nil, 0}, {[]int32{2}, 0}, {[]int32{1, 2, 9}, 2}, {[]int32{1, 2, 3, 4}, 3}} {
		if got := s.common(row.prompt); got != row.want {
			t.Errorf("common(%v) = %d, want %d", row.prompt, got, row.want)
		}
	}
}

func TestPickPrefersTheSameConversation(t *testing.T) {
	t.Parallel()
	m := &model{slots: []*slot{{number: 0, tokens: []int32{1, 2, 3, 4}}, {number: 1, tokens: []int32{7, 8}}}}
	if got := m.pick([]int32{7, 8, 9}); got.number != 1 {
		t.Errorf("a continued conversation got slot %d, want 1", got.number)
	}
	if got := m.pick([]int32{5, 5, 5}); got.number != 0 {
		t.Errorf("a new conversation got slot %d, want the one unused for longest, 0", got.number)
	}
	if got := m.pick([]int32{6, 6, 6}); got.number != 1 {
		t.Errorf("the next new conversation got slot %d, want 1", got.number)
	}
}

func TestQuoteExpression(t *testing.T) {
	t.Parallel()
	if got, want := quoteExpression("<a.b>{("), `<a\.b>\{\(`; got != want {
		t.Errorf("quoted = %s, want %s", got, want)
	}
}
