import kit = require('stoatest');

export const made: Promise<kit.World> = kit.world({ from: 'empty' });
