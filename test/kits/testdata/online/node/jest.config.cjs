module.exports = { testMatch: ['**/jest.spec.cjs'], globalSetup: 'stoatest/setup' };
