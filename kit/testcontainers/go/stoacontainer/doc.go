// Package stoacontainer is a module of Testcontainers: a lab of Stoa in a container.
//
//	func TestMain(m *testing.M) {
//		lab, err := stoacontainer.Run(context.Background(), "stoa:1.0.0")
//		if err != nil {
//			log.Fatal(err)
//		}
//		lab.Export() // stoatest.World(t) now makes its worlds in the container
//		code := m.Run()
//		_ = lab.Terminate(context.Background())
//		os.Exit(code)
//	}
package stoacontainer
