module recipe.example/contract

go 1.25

require stoa.dev/stoa/kit/go v1.0.0

replace stoa.dev/stoa/kit/go => ../../../../kit/go
