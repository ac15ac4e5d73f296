module stoa.dev/stoa/test/bench/charts

go 1.26.0

require (
	github.com/wcharczuk/go-chart/v2 v2.1.2
	gonum.org/v1/plot v0.17.0
	stoa.dev/stoa v0.0.0
)

require (
	codeberg.org/go-fonts/liberation v0.5.0 // indirect
	codeberg.org/go-latex/latex v0.2.0 // indirect
	codeberg.org/go-pdf/fpdf v0.11.1 // indirect
	git.sr.ht/~sbinet/gg v0.8.0 // indirect
	github.com/ajstarks/svgo v0.0.0-20211024235047-1546f124cd8b // indirect
	github.com/golang/freetype v0.0.0-20170609003504-e2365dfdc4a0 // indirect
	github.com/klauspost/compress v1.20.3 // indirect
	golang.org/x/image v0.40.0 // indirect
	golang.org/x/text v0.43.0 // indirect
)

replace stoa.dev/stoa => ../../..
