module wiki.example

go 1.25
