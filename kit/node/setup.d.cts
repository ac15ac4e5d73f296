/** One lab for all workers of a run: `globalSetup: 'stoatest/setup'` of jest and vitest. */
declare function setup(): Promise<void>;
export = setup;
