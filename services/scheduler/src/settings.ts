import type { SettingNotes } from '#libs/runtime/setting-notes.js';

/** Why the settings of config.ts are what they are. */
export const settingNotes: SettingNotes = {
  GRPC_ADDRESS: { why: 'Where it serves gRPC.' },
  ORDER_TARGET: { why: 'The order services, which close what has expired.' },
  INVENTORY_TARGET: { why: 'The inventories, which sweep journals and set gates.' },
};
