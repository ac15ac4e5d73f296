// Package test holds what is tested from outside the product.
//
//   - arch_test.go and its neighbours: the rules of the architecture, checked by parsing every
//     Go file of the repository (imports, file names, budgets, documentation);
//   - conformance: one black-box subtest per row of the contract;
//   - stories: text scripts that drive the true binary;
//   - crash: the true binary killed while clients write;
//   - bench: a bare server and ours, measured in one run;
//   - peers: other programs and ours, measured in turn.
//
// It owns no product code. Nothing under internal imports it.
package test
