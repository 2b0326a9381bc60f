import { type DeclaredSetting, declaredBy } from '#libs/runtime/config.js';
import type { SettingNote, SettingNotes } from '#libs/runtime/setting-notes.js';
import { declareConfig as bff } from '../../services/bff/src/config.js';
import { settingNotes as bffNotes } from '../../services/bff/src/settings.js';
import { declareConfig as gateway } from '../../services/gateway/src/config.js';
import { settingNotes as gatewayNotes } from '../../services/gateway/src/settings.js';
import { declareConfig as inventory } from '../../services/inventory/src/config.js';
import { settingNotes as inventoryNotes } from '../../services/inventory/src/settings.js';
import { declareConfig as order } from '../../services/order/src/config.js';
import { settingNotes as orderNotes } from '../../services/order/src/settings.js';
import { declareConfig as scheduler } from '../../services/scheduler/src/config.js';
import { settingNotes as schedulerNotes } from '../../services/scheduler/src/settings.js';
import { declareConfig as webhook } from '../../services/webhook/src/config.js';
import { settingNotes as webhookNotes } from '../../services/webhook/src/settings.js';
import { everyServiceNotes } from './every-service.js';
import { skuSettings } from './sku-settings.js';
import { bullet, heading, paragraph, table } from './text.js';

/** A service with what it declares and what is to be said of that. */
export interface ServiceSettings {
  readonly service: string;
  readonly declared: readonly DeclaredSetting[];
  readonly notes: SettingNotes;
}

/** All services, in the order of a request. */
export const services: readonly ServiceSettings[] = [
  { service: 'bff', declared: declaredBy(bff), notes: bffNotes },
  { service: 'gateway', declared: declaredBy(gateway), notes: gatewayNotes },
  { service: 'inventory', declared: declaredBy(inventory), notes: inventoryNotes },
  { service: 'order', declared: declaredBy(order), notes: orderNotes },
  { service: 'scheduler', declared: declaredBy(scheduler), notes: schedulerNotes },
  { service: 'webhook', declared: declaredBy(webhook), notes: webhookNotes },
];

/** What is to be said of one setting: the word of its service, else what holds for every service. */
export function noteOf({ notes }: ServiceSettings, name: string): SettingNote | undefined {
  return notes[name] ?? everyServiceNotes[name];
}

const introduction = [
  'This page is made by `npm run settings` from the code that reads the settings; a test compares them.',
  `Services are set up by environment variables, read once at the start. All that is wrong with them is said at once, and
  the process ends. An empty variable counts as not set. \`npm start\` passes its own environment on and decides addresses,
  targets and servers itself; the file of \`npm run calibrate\` gives some of them their figures for this machine, and a
  variable in the environment overrules it.`,
  `Most figures here are limits and times that nobody has to touch. Those that are worth a thought for each sale are the
  ones of skus, at the end. The figures behind the reasons were measured on two cores.`,
];

/** The whole of docs/settings.md. */
export function settingsPage(): string {
  const parts = [
    heading(1, 'Settings'),
    ...introduction.map(paragraph),
    heading(2, 'Every service'),
    paragraph('What these mean is the same wherever they are read; what holds when they are not set is in the tables.'),
    ...Object.entries(everyServiceNotes).flatMap(([name, note]) => [heading(3, name), ...said(note)]),
    ...services.flatMap(serviceSection),
    heading(2, 'Skus and stores'),
    paragraph(`Data, not variables: set when a sku is put or imported, or by \`holdfast limits set\`. They hold for the
      orders that come after.`),
    table(
      ['setting', 'default', 'allowed'],
      skuSettings.map((setting) => [`\`${setting.name}\``, setting.default, setting.allowed]),
    ),
    ...skuSettings.flatMap((setting) => [heading(3, setting.name), ...said(setting)]),
  ];
  return `${parts.join('\n\n')}\n`;
}

function serviceSection(settings: ServiceSettings): string[] {
  const { service, declared, notes } = settings;
  const rows = declared.map((one) => [`\`${one.name}\``, shownDefault(settings, one), shownRange(one)]);
  return [
    heading(2, service),
    table(['variable', 'default', 'allowed'], rows),
    ...declared.flatMap(({ name }) => {
      const note = notes[name];
      return note ? [heading(3, `${name} of ${service}`), ...said(note)] : [];
    }),
  ];
}

function said({ why, smaller, larger }: SettingNote): string[] {
  const consequences = [
    ...(smaller === undefined ? [] : [bullet(`Smaller: ${smaller}`)]),
    ...(larger === undefined ? [] : [bullet(`Larger: ${larger}`)]),
  ];
  return [paragraph(why), ...(consequences.length > 0 ? [consequences.join('\n')] : [])];
}

function shownDefault(
  settings: ServiceSettings,
  { name, default: fallback, optional, range }: DeclaredSetting,
): string {
  const note = noteOf(settings, name);
  if (note?.default !== undefined) return note.default.replace('SERVICE', settings.service);
  if (fallback === undefined) return optional ? 'none' : 'required';
  if (fallback === '') return 'none';
  return range ? `${Number(fallback).toLocaleString('en')} ${note?.unit ?? ''}`.trim() : `\`${fallback}\``;
}

function shownRange({ allowed, range }: DeclaredSetting): string {
  if (!range) return allowed;
  const from = range.min.toLocaleString('en');
  return range.max === Number.MAX_SAFE_INTEGER ? `at least ${from}` : `${from} to ${range.max.toLocaleString('en')}`;
}
