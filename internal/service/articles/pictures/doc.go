// Package pictures keeps the pictures of articles and draws those of users.
//
// A picture that a user uploads is a blob with an id that cannot be guessed: who
// knows its address may see it, as with the articles that it stands in. Its bytes
// count against what the user may upload in a month (UTC), also after it was
// deleted. A user's own picture is drawn from a number that says nothing about the
// user.
package pictures
