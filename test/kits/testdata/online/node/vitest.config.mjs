export default { test: { include: ['vitest.spec.mjs'], globalSetup: 'stoatest/setup' } };
