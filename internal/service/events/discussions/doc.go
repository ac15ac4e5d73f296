// Package discussions keeps what is said about a repository: issues, pull requests,
// reviews, labels, and comments on issues, on lines of a pull request and on commits.
//
// An issue and a pull request share one series of numbers. A row holds the columns that
// lists choose and sort by, and the rest as one JSON document, which is also what the
// event of a change is made of: an event shows the issue as it was. Every change and its
// event are one transaction, in the lane of the repository.
//
// A pull request joins two branches of one repository. While it is open its commits are
// those that the branches name now; when it closes they are written down.
package discussions
