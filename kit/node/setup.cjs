'use strict';

// One lab for all workers of a run: globalSetup of jest and vitest. Its variables are those that workers inherit.
const { theLab } = require('./lab.cjs');

async function setup() {
  Object.assign(process.env, (await theLab()).env);
}

module.exports = setup;
module.exports.setup = setup;
module.exports.default = setup;
