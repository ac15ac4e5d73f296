package identity

import "stoa.dev/stoa/internal/platform/module"

const passwordHelp = "Without a password one is made up and printed once. " +
	"Other users of the machine can see what is given with --password; --password-stdin keeps it from them."

func passwordFlag() module.Flag {
	return module.Flag{Name: "password", Help: "password to sign in with"}
}

func passwordStdinFlag() module.Flag {
	return module.Flag{Name: "password-stdin", Kind: module.Bool, StdinFor: "password", Help: "read the password from standard input"}
}

// chosenPassword is what the operator gave, or one that is made up, which is
// printed too.
func (i *Identity) chosenPassword(in *module.Input) (password, printed string, err error) {
	if in.Bool("password-stdin") {
		return "", "", module.Fail(module.Usage, "send password", "only the command line reads standard input")
	}
	if !in.Has("password") {
		made := i.NewPassword()
		return made, made, nil
	}
	password = in.Text("password")
	return password, "", commandError(i.passwords.checkNew(password), "")
}
