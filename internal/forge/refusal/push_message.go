package refusal

import "cmp"

// Push says why a push is refused: the token lacks the scope, or its user the right, with
// the step that mends it.
func Push(repository, user, scope string, tokenMay bool) string {
	if !tokenMay {
		return "this token may not push to " + repository + ": it needs the scope " + scope
	}
	return cmp.Or(user, "the token's owner") + " may not push to " + repository +
		": write access is missing; an owner can give it with stoa repo member " + repository + " " +
		cmp.Or(user, "USER") + " --permission write"
}
