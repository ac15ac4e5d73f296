package snapshots

import "testing"

// A definition names what is read at the right.
func TestRightAxis(t *testing.T) {
	t.Parallel()
	p, err := makePlan(GraphRequest{Start: 1, End: 2, GraphDef: `{"requests":[{"q":"a{*}"},
		{"q":"b{*}","on_right_yaxis":true}],"right_yaxis":{"max":"100","label":"share","scale":"log"}}`})
	if err != nil {
		t.Fatal(err)
	}
	if p.layers[0].layer.Right || !p.layers[1].layer.Right || *p.chart.Right.Max != 100 || p.chart.Right.Label != "share" {
		t.Errorf("axes: %+v", p.chart.Right)
	}
	_, err = makePlan(GraphRequest{Start: 1, End: 2, GraphDef: `{"requests":[{"q":"a{*}"}],"right_yaxis":{"min":"x"}}`})
	if err == nil {
		t.Error("a minimum that is not a number is accepted")
	}
}
