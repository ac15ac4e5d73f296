import kit from './index.cjs';

export const { Inbox, Lab, LabError, Report, VERSION, World, theLab, world } = kit;
