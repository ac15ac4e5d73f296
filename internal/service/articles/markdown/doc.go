// Package markdown turns Markdown into HTML that is safe to show.
//
// Beyond CommonMark, tables, task lists, footnotes and strikethrough it knows
// notes (:::note), mentions (@name), emoji (:name:), formulas ($x$) and code
// blocks with a title, coloured by class. The same text always gives the same
// HTML, or the same refusal; Version grows with every change of what is rendered.
//
// The HTML passes an allow-list. Ids of headings begin with h-, and links to them
// within the text follow; of the HTML in the text no id and no name is kept, so
// that none is taken for an element of the page around it.
//
// # Limits
//
// A small text can become a large tree or much HTML, and parsing takes time with
// the square of some things. So a text is refused with a ComplexityError when it
// has quotations or lists nested a hundred deep, more than a thousand footnotes,
// link reference definitions or marks in a heading, tables with more than 50,000
// cells (short rows are filled up), more than 150,000 elements in all, or more
// than 4 MB of HTML. A paragraph with more than a thousand marks is shown as it was
// written; notes do not nest. Of the code of one text 256 KB are coloured, within
// two seconds. Two texts of one owner and eight in all are rendered at once, and
// memory of the process is taken for what is made of them.
package markdown
