// Package groups keeps the groups of teams and says what their members see.
//
// A private group, with what is written in it, is visible to its members, and to the owner and the admins of the team,
// who look after all groups. Items and templates name their group by its number, and statements that list them use the
// conditions of this package. What a group held when it ends becomes the whole team's.
package groups
