import { catalogue, isReason, type Reason } from './catalogue.js';
import { en } from './texts/en.js';
import type { ReasonText, Sentence } from './texts/reason-text.js';
import { violationsZhCn } from './texts/violations-zh-cn.js';
import { zhCn } from './texts/zh-cn.js';

/** The languages of the texts, as BCP 47 tags. */
export type Locale = 'en' | 'zh-CN';

/** What is known of one occurrence, by name. */
export type Facts = Readonly<Record<string, unknown>>;

/** A reason as people read it. */
export interface Localized {
  readonly title: string;
  /** The sentence for one occurrence. `message` is what the fault itself says, in English. */
  detail(facts: Facts, message?: string): string;
  readonly next: string;
  /** The sentences that it may say, with the names of facts in braces. */
  readonly templates: readonly string[];
}

/** The text of a reason. For one that only a newer peer knows it says no more than that. */
export function localized(reason: string, locale: Locale): Localized {
  return (isReason(reason) ? compiled[locale][reason] : undefined) ?? unknown[locale];
}

/** What is wrong with a field, said in the language where it can be. */
export function localizedViolation(description: string, locale: Locale): string {
  return locale === 'zh-CN' ? (violationsZhCn[description] ?? description) : description;
}

type Part = (facts: Facts, message: string | undefined) => unknown;
type Say = (facts: Facts, message: string | undefined) => string | undefined;

const unknown: Readonly<Record<Locale, Localized>> = {
  en: compile({ title: 'Refused', detail: ['{message}', 'Nothing was taken.'], next: 'Decide by the status.' }),
  'zh-CN': compile({ title: '请求被拒绝', detail: ['没有占用任何名额。'], next: '请根据状态码处理。' }),
};

/** Made once: a crowd is told the same few sentences. */
const compiled: Readonly<Record<Locale, Readonly<Record<Reason, Localized>>>> = {
  en: compileAll(en),
  'zh-CN': compileAll(zhCn),
};

function compileAll(texts: Readonly<Record<Reason, ReasonText>>): Record<Reason, Localized> {
  const all = Object.keys(catalogue)
    .filter(isReason)
    .map((reason) => [reason, compile(texts[reason])]);
  // One for each key of the catalogue.
  return Object.fromEntries(all) as Record<Reason, Localized>;
}

function compile({ title, detail, next }: ReasonText): Localized {
  const sentences = detail.map(compileSentence);
  return {
    title,
    next,
    templates: detail.map((sentence) => templateOf(sentence).replaceAll(/\{\w+:(\w+)\|(\w+)\}/g, '$1/$2')),
    detail(facts, message) {
      for (const say of sentences) {
        const said = say(facts, message);
        if (said !== undefined) return said;
      }
      return title;
    },
  };
}

function compileSentence(sentence: Sentence): Say {
  const parts = templateOf(sentence)
    .split(/(\{[^}]+\})/)
    .map(partOf);
  const [name = '', value] = typeof sentence === 'string' ? [] : sentence.if.split('=');
  return (facts, message) => {
    if (name !== '' && (value === undefined ? facts[name] === undefined : facts[name] !== value)) return undefined;
    let said = '';
    for (const part of parts) {
      const word = part(facts, message);
      if (word === undefined) return undefined;
      said += word;
    }
    return said;
  };
}

function templateOf(sentence: Sentence): string {
  return typeof sentence === 'string' ? sentence : sentence.say;
}

function partOf(text: string): Part {
  if (!text.startsWith('{')) return () => text;
  const [name = '', words] = text.slice(1, -1).split(':');
  if (name === 'message') return (_, message) => message;
  if (words === undefined) return (facts) => facts[name];
  const [one, several] = words.split('|');
  return (facts) => (Number(facts[name]) === 1 ? one : several);
}
