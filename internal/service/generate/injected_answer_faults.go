package generate

import "stoa.dev/stoa/internal/service/generate/api"

// Faults that change what a model says.
const (
	faultSafetyBlock = "safety_block"
	faultEmpty       = "empty_candidate"
	faultMaxTokens   = "finish_max_tokens"
	faultSafety      = "finish_safety"
	faultOther       = "finish_other"
	faultMalformed   = "finish_malformed_function_call"
)

// changePiece is the first piece of an answer as a fault wants it, which is then the
// last; false where there is no fault.
func changePiece(fault string, p api.Piece) (api.Piece, bool) {
	switch fault {
	case faultSafetyBlock:
		return api.Piece{Block: "SAFETY"}, true
	case faultEmpty:
		return api.Piece{Finish: api.FinishStop}, true
	case faultMaxTokens:
		text := api.PlainText(p.Parts)
		half := api.Text(api.FirstChars(text, len([]rune(text))/2))
		return api.Piece{Parts: []api.Part{half}, Finish: api.FinishMaxTokens}, true
	case faultSafety:
		return api.Piece{Finish: api.FinishSafety}, true
	case faultOther:
		p.Finish = api.FinishOther
		return p, true
	case faultMalformed:
		return api.Piece{Finish: api.FinishMalformedCall}, true
	}
	return p, false
}
