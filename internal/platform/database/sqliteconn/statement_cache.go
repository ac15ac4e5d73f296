package sqliteconn

import "container/list"

// MaxStatements bounds the prepared statements of one connection. The program
// has fewer texts than this; the bound guards against a text built from input.
const MaxStatements = 1000

// cache keeps prepared statements by their text.
type cache struct {
	texts map[string]*list.Element
	order *list.List // most recently used first
}

func newCache() cache {
	return cache{texts: make(map[string]*list.Element), order: list.New()}
}

func (c *cache) get(text string) *statement {
	e, ok := c.texts[text]
	if !ok {
		return nil
	}
	c.order.MoveToFront(e)
	return e.Value.(*statement)
}

// put keeps s and returns the statement that has to go for it: the one that was
// not used for the longest time. It is nil when there is space.
func (c *cache) put(s *statement) (gone *statement) {
	c.texts[s.text] = c.order.PushFront(s)
	if c.order.Len() <= MaxStatements {
		return nil
	}
	for e := c.order.Back(); e != nil; e = e.Prev() {
		if old := e.Value.(*statement); !old.busy {
			c.order.Remove(e)
			delete(c.texts, old.text)
			return old
		}
	}
	return nil
}

// drop hands every statement to free and forgets it.
func (c *cache) drop(free func(*statement)) {
	for e := c.order.Front(); e != nil; e = e.Next() {
		free(e.Value.(*statement))
	}
	c.order.Init()
	clear(c.texts)
}
