package catalog

// InTurn takes the first packages of lists: one of each list, then another of each.
func InTurn(lists [][]PackageKey, most int) (taken []PackageKey) {
	for i := 0; ; i++ {
		before := len(taken)
		for _, list := range lists {
			if i < len(list) && len(taken) < most {
				taken = append(taken, list[i])
			}
		}
		if len(taken) == before {
			return taken
		}
	}
}
